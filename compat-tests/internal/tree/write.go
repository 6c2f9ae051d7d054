package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// lineLimit is the greatest length, in bytes of the compact form, of a
// container that the file form keeps on one line.
const lineLimit = 160

// Compact returns the one-line form without spaces.
func Compact(node any) string {
	return string(appendNode(nil, node, -1))
}

// File returns the indented form of files: short containers on one line, one
// newline at the end.
func File(node any) string {
	return string(appendNode(nil, node, 0)) + "\n"
}

// appendNode writes a node; depth is the indentation of the line it stands on,
// negative for the compact form.
func appendNode(b []byte, node any, depth int) []byte {
	switch x := node.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, x)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case int:
		return strconv.AppendInt(b, int64(x), 10)
	case Number:
		return append(b, x...)
	case string:
		return appendQuoted(b, x)
	case []any:
		return appendContainer(b, node, depth, '[', ']', len(x), func(b []byte, i, depth int) []byte {
			return appendNode(b, x[i], depth)
		})
	case *Object:
		return appendContainer(b, node, depth, '{', '}', x.Len(), func(b []byte, i, depth int) []byte {
			b = append(appendQuoted(b, x.names[i]), ':')
			if depth >= 0 {
				b = append(b, ' ')
			}
			return appendNode(b, x.values[x.names[i]], depth)
		})
	default:
		panic(fmt.Sprintf("tree: %T is no node", node))
	}
}

func appendContainer(b []byte, node any, depth int, open, shut byte, n int, element func([]byte, int, int) []byte) []byte {
	if depth >= 0 {
		if flat := appendNode(nil, node, -1); len(flat) <= lineLimit {
			return append(b, flat...)
		}
	}
	inner := -1
	if depth >= 0 {
		inner = depth + 1
	}
	b = append(b, open)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNewline(b, inner)
		b = element(b, i, inner)
	}
	b = appendNewline(b, depth)
	return append(b, shut)
}

// appendNewline starts a line of the file form; the compact form has none.
func appendNewline(b []byte, depth int) []byte {
	if depth < 0 {
		return b
	}
	return append(append(b, '\n'), strings.Repeat(" ", depth)...)
}

const hexDigits = "0123456789abcdef"

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"':
			b = append(b, `\"`...)
		case r == '\\':
			b = append(b, `\\`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// SortNames sorts names by their UTF-16 code units, which is Java's order of
// strings and the order of objects keyed by names.
func SortNames(names []string) {
	slices.SortFunc(names, CompareUTF16)
}

// CompareUTF16 orders strings as Java's String.compareTo does. It differs from
// the order of bytes only where a character beyond the basic plane meets one
// of U+E000 to U+FFFF.
func CompareUTF16(a, b string) int {
	for i := 0; i < len(a) && i < len(b); {
		if a[i] == b[i] && a[i] < utf8.RuneSelf {
			i++
			continue
		}
		return slices.Compare(utf16.Encode([]rune(a[i:])), utf16.Encode([]rune(b[i:])))
	}
	return len(a) - len(b)
}
