package expr

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/millrace/millrace/compat-tests/internal/value"
)

func str(a []any) (any, error) { return value.Str(a[0]), nil }

func concat(a []any) (any, error) {
	var b strings.Builder
	for _, v := range a {
		b.WriteString(value.Str(v))
	}
	return b.String(), nil
}

func text(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", bad("not a string: %s", value.Str(v))
}

func twoTexts(a []any) (s, p string, err error) {
	if s, err = text(a[0]); err == nil {
		p, err = text(a[1])
	}
	return s, p, err
}

// search makes a test of one string against another that is false for nulls.
func search(f func(s, p string) bool) func([]any) (any, error) {
	return func(a []any) (any, error) {
		if a[0] == nil || a[1] == nil {
			return false, nil
		}
		s, p, err := twoTexts(a)
		return f(s, p), err
	}
}

var (
	startsWith = search(strings.HasPrefix)
	endsWith   = search(strings.HasSuffix)
	contains   = search(strings.Contains)
)

// letters maps the ASCII letters from one case to the other.
func letters(first, last byte) func([]any) (any, error) {
	return func(a []any) (any, error) {
		s, err := text(a[0])
		b := []byte(s)
		for i, c := range b {
			if c >= first && c <= last {
				b[i] = c ^ 0x20
			}
		}
		return string(b), err
	}
}

var (
	upper = letters('a', 'z')
	lower = letters('A', 'Z')
)

func length(a []any) (any, error) {
	switch x := a[0].(type) {
	case []byte:
		return int64(len(x)), nil
	case []any:
		return int64(len(x)), nil
	}
	s, err := text(a[0])
	return int64(utf8.RuneCountInString(s)), err
}

// clamped gives the string's code points and the count n, not more than there are.
func clamped(a []any) (points []rune, n int, err error) {
	s, err := text(a[0])
	if err != nil {
		return nil, 0, err
	}
	count, err := long(a[1])
	points = []rune(s)
	return points, int(max(0, min(int64(len(points)), count))), err
}

func take(a []any) (any, error) {
	points, n, err := clamped(a)
	return string(points[:n]), err
}

func takeLast(a []any) (any, error) {
	points, n, err := clamped(a)
	return string(points[len(points)-n:]), err
}

func before(a []any) (any, error) {
	s, p, err := twoTexts(a)
	head, _, _ := strings.Cut(s, p)
	return head, err
}

func after(a []any) (any, error) {
	s, p, err := twoTexts(a)
	if _, tail, found := strings.Cut(s, p); found {
		return tail, err
	}
	return nil, err
}

func reverse(a []any) (any, error) {
	s, err := text(a[0])
	points := []rune(s)
	slices.Reverse(points)
	return string(points), err
}

func split(a []any) (any, error) {
	s, p, err := twoTexts(a)
	if err != nil {
		return nil, err
	}
	if p == "" {
		return nil, bad("empty separator")
	}
	return texts(strings.Split(s, p)), nil
}

func words(a []any) (any, error) {
	s, err := text(a[0])
	parts := slices.DeleteFunc(strings.Split(s, " "), func(w string) bool { return w == "" })
	return texts(parts), err
}

func texts(parts []string) []any {
	l := make([]any, len(parts))
	for i, p := range parts {
		l[i] = p
	}
	return l
}

func list(a []any) (any, error) { return a, nil }

func elements(v any) ([]any, error) {
	if l, ok := v.([]any); ok {
		return l, nil
	}
	return nil, bad("not a list: %s", value.Str(v))
}

func join(a []any) (any, error) {
	l, err := elements(a[0])
	if err != nil {
		return nil, err
	}
	sep, err := text(a[1])
	parts := make([]string, len(l))
	for i, e := range l {
		parts[i] = value.Str(e)
	}
	return strings.Join(parts, sep), err
}

func appendTo(a []any) (any, error) {
	var l []any
	if a[0] != nil {
		var err error
		if l, err = elements(a[0]); err != nil {
			return nil, err
		}
	}
	return append(slices.Clone(l), a[1]), nil
}

func setAdd(a []any) (any, error) {
	return changeSet(a, func(set []string, item string) []string { return append(set, item) })
}

func setRemove(a []any) (any, error) {
	return changeSet(a, func(set []string, item string) []string {
		return slices.DeleteFunc(set, func(s string) bool { return s == item })
	})
}

// changeSet works on the comma-separated set a[0]; the result is sorted by
// UTF-8 bytes.
func changeSet(a []any, change func(set []string, item string) []string) (any, error) {
	var set []string
	if a[0] != nil {
		s, err := text(a[0])
		if err != nil {
			return nil, err
		}
		if s != "" {
			set = strings.Split(s, ",")
		}
	}
	set = change(set, value.Str(a[1]))
	slices.Sort(set)
	return strings.Join(slices.Compact(set), ","), nil
}

func hash(a []any) (any, error) {
	var sum int64
	for _, b := range []byte(value.Str(a[0])) {
		sum += int64(b)
	}
	return sum, nil
}
