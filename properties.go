package millrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// property is one setting of a Java properties file and its line.
type property struct {
	key, value string
	line       int
}

// readProperties reads the format of java.util.Properties: "key=value",
// "key:value" or "key value", comments with # and !, backslash escapes with
// \uXXXX, and lines continued by a backslash. The last of equal keys holds.
func readProperties(r io.Reader) ([]property, error) {
	var props []property
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line, first := strings.TrimLeft(lines.Text(), " \t\f"), n
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		for continued(line) && lines.Scan() {
			n++
			line = line[:len(line)-1] + strings.TrimLeft(lines.Text(), " \t\f")
		}
		line = strings.TrimSuffix(line, "\r")
		key, value := splitProperty(line)
		p := property{line: first}
		var err1, err2 error
		p.key, err1 = unescape(key)
		p.value, err2 = unescape(value)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("line %d: %w", first, err)
		}
		props = slices.DeleteFunc(props, func(o property) bool { return o.key == p.key })
		props = append(props, p)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read properties: %w", err)
	}
	return props, nil
}

// continued reports whether a line ends with an odd number of backslashes.
func continued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// splitProperty cuts at the first unescaped separator.
func splitProperty(line string) (key, value string) {
	i := 0
	for i < len(line) && !strings.ContainsRune("=: \t\f", rune(line[i])) {
		if line[i] == '\\' {
			i++
		}
		i++
	}
	i = min(i, len(line))
	rest := strings.TrimLeft(line[i:], " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	return line[:i], rest
}

func unescape(s string) (string, error) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			if i+5 > len(s) {
				return "", fmt.Errorf(`\u needs four hexadecimal digits in %q`, s)
			}
			n, err := strconv.ParseUint(s[i+1:i+5], 16, 16)
			if err != nil {
				return "", fmt.Errorf(`\u needs four hexadecimal digits in %q`, s)
			}
			b.Write(utf8.AppendRune(nil, rune(n)))
			i += 4
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), nil
}
