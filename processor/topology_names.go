package processor

import (
	"fmt"
	"unicode/utf8"
)

// TopologyError is a mistake in a topology (Java: TopologyException).
type TopologyError struct {
	Msg string
}

// Error implements error.
func (e *TopologyError) Error() string { return "Invalid topology: " + e.Msg }

func invalid(format string, args ...any) error {
	return &TopologyError{Msg: fmt.Sprintf(format, args...)}
}

const maxNameLength = 249

// ValidateName checks a name that becomes part of a topic's name: 1 to 249 of
// the ASCII letters, digits, '.', '_' and '-', but not "." or "..". The names
// of the DSL's nodes, stores and internal topics must pass it; names of nodes
// that are added to a [Topology] by hand are free, as in Java.
func ValidateName(name string) error {
	switch {
	case name == "":
		return invalid("Name is illegal, it can't be empty")
	case name == "." || name == "..":
		return invalid(`Name cannot be "." or ".."`)
	case utf8.RuneCountInString(name) > maxNameLength:
		return invalid("Name is illegal, it can't be longer than %d characters, name: %s", maxNameLength, name)
	case !legalCharacters(name):
		return invalid(`Name "%s" is illegal, it contains a character other than ASCII alphanumerics, '.', '_' and '-'`, name)
	}
	return nil
}

func legalCharacters(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '.' && c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
