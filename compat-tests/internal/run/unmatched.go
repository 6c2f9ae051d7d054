package run

import (
	"github.com/millrace/millrace/internal/ops"
)

// unmatched is the store in which joins of streams keep records without a
// partner. Scenarios only show how many it holds: Java's classes for its keys
// and values have no text in the language.
type unmatched struct{ ops.UnmatchedStore[any] }

func (unmatched) kind() string { return "keyValue" }

func (u unmatched) all() ([]row, error) {
	var out []row
	for e, err := range u.All() {
		if err != nil {
			return nil, err
		}
		for range e.Value {
			out = append(out, row{key: opaque{}, value: opaque{}})
		}
	}
	return out, nil
}

// opaque is a value of no type of the language.
type opaque struct{}

func (unmatched) read(op string, _ []any) (row, bool, error) { return row{}, false, wrongKind(op) }

func (unmatched) scan(mode string, _ arguments) ([]row, error) { return nil, wrongKind(mode) }

func (unmatched) put(write) (any, bool, error) { return nil, false, wrongKind("put") }

func (unmatched) putIfAbsent(write) (row, bool, error) { return row{}, false, wrongKind("putIfAbsent") }

func (unmatched) delete(write) (row, bool, error) { return row{}, false, wrongKind("delete") }
