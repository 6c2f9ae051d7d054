package expr

import (
	"bytes"
	"cmp"
	"math"
	"reflect"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/value"
)

func isNull(a []any) (any, error) { return a[0] == nil, nil }

func not(a []any) (any, error) {
	b, err := truth(a[0])
	return !b, err
}

func eq(a []any) (any, error) { return equal(a[0], a[1]), nil }

func ne(a []any) (any, error) { return !equal(a[0], a[1]), nil }

// equal compares doubles numerically, everything else as Java's equals; two
// nulls are equal, values of different types are not.
func equal(x, y any) bool {
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	switch p := x.(type) {
	case float64:
		q, ok := y.(float64)
		return ok && p == q
	case float32:
		q, ok := y.(float32)
		return ok && p == q
	}
	return javaEquals(x, y)
}

// javaEquals is Object.equals: inside lists and windowed keys a NaN equals
// itself and the two zeros differ.
func javaEquals(x, y any) bool {
	if reflect.TypeOf(x) != reflect.TypeOf(y) {
		return false
	}
	switch p := x.(type) {
	case nil:
		return true
	case float64:
		return sameDouble(p, y.(float64))
	case float32:
		return sameDouble(float64(p), float64(y.(float32)))
	case []byte:
		return bytes.Equal(p, y.([]byte))
	case value.Windowed:
		q := y.(value.Windowed)
		return p.Start == q.Start && p.End == q.End && javaEquals(p.Key, q.Key)
	case []any:
		q := y.([]any)
		if len(p) != len(q) {
			return false
		}
		for i := range p {
			if !javaEquals(p[i], q[i]) {
				return false
			}
		}
		return true
	default:
		return x == y
	}
}

func sameDouble(p, q float64) bool {
	return math.IsNaN(p) && math.IsNaN(q) || math.Float64bits(p) == math.Float64bits(q)
}

// ordered makes an order operator; a null on either side gives false.
func ordered(holds func(c int) bool) func([]any) (any, error) {
	return func(a []any) (any, error) {
		if a[0] == nil || a[1] == nil {
			return false, nil
		}
		c, comparable, err := compare(a[0], a[1])
		return comparable && holds(c), err
	}
}

func choose(first func(c int) bool) func([]any) (any, error) {
	return func(a []any) (any, error) {
		c, comparable, err := compare(a[0], a[1])
		if err != nil {
			return nil, err
		}
		if comparable && first(c) {
			return a[0], nil
		}
		return a[1], nil
	}
}

// compare orders two numbers or strings of one type; a NaN compares with
// nothing. Strings go by their UTF-8 bytes.
func compare(x, y any) (c int, comparable bool, err error) {
	if reflect.TypeOf(x) != reflect.TypeOf(y) {
		return 0, false, bad("operands differ in type")
	}
	switch p := x.(type) {
	case string:
		return strings.Compare(p, y.(string)), true, nil
	case float64:
		return compareDoubles(p, y.(float64))
	case float32:
		return compareDoubles(float64(p), float64(y.(float32)))
	case int64, int32, int16:
		return cmp.Compare(asInt64(x), asInt64(y)), true, nil
	}
	return 0, false, bad("operands of an unordered type")
}

func compareDoubles(p, q float64) (int, bool, error) {
	switch {
	case p < q:
		return -1, true, nil
	case p > q:
		return 1, true, nil
	}
	return 0, p == q, nil
}
