package expr

import (
	"crypto/md5"
	"math"
	"reflect"
	"regexp"
	"strconv"

	"github.com/millrace/millrace/compat-tests/internal/value"
)

func long(v any) (int64, error) {
	if i, ok := v.(int64); ok {
		return i, nil
	}
	return 0, bad("not a long: %s", value.Str(v))
}

// asInt64 widens an integer of any width; other values give 0.
func asInt64(v any) int64 {
	switch x := v.(type) {
	case int64:
		return x
	case int32:
		return int64(x)
	case int16:
		return int64(x)
	}
	return 0
}

// arithmeticOp computes on both kinds of numbers. integers gives no result for
// a division by zero.
type arithmeticOp struct {
	integers func(p, q int64) (result int64, ok bool)
	doubles  func(p, q float64) float64
}

var (
	addition       = arithmeticOp{func(p, q int64) (int64, bool) { return p + q, true }, func(p, q float64) float64 { return p + q }}
	subtraction    = arithmeticOp{func(p, q int64) (int64, bool) { return p - q, true }, func(p, q float64) float64 { return p - q }}
	multiplication = arithmeticOp{func(p, q int64) (int64, bool) { return p * q, true }, func(p, q float64) float64 { return p * q }}
	division       = arithmeticOp{quotient, func(p, q float64) float64 { return p / q }}
	remainder      = arithmeticOp{modulo, nil}
)

func quotient(p, q int64) (int64, bool) {
	if q == 0 {
		return 0, false
	}
	return p / q, true
}

func modulo(p, q int64) (int64, bool) {
	if q == 0 {
		return 0, false
	}
	return p % q, true
}

// arithmetic makes an operator on two numbers of one type; the result has that
// type, integers wrap, floats are computed as doubles.
func arithmetic(op arithmeticOp) func([]any) (any, error) {
	return func(a []any) (any, error) {
		if reflect.TypeOf(a[0]) != reflect.TypeOf(a[1]) {
			return nil, bad("operands differ in type")
		}
		switch p := a[0].(type) {
		case float64:
			if op.doubles == nil {
				return nil, bad("mod of floating values")
			}
			return op.doubles(p, a[1].(float64)), nil
		case float32:
			if op.doubles == nil {
				return nil, bad("mod of floating values")
			}
			return float32(op.doubles(float64(p), float64(a[1].(float32)))), nil
		case int64, int32, int16:
			r, ok := op.integers(asInt64(a[0]), asInt64(a[1]))
			if !ok {
				return nil, nil
			}
			return narrow(r, a[0]), nil
		}
		return nil, bad("not numbers")
	}
}

// narrow gives r the integer type of like.
func narrow(r int64, like any) any {
	switch like.(type) {
	case int32:
		return int32(r)
	case int16:
		return int16(r)
	}
	return r
}

var (
	longText   = regexp.MustCompile(`^-?[0-9]{1,18}\z`)
	doubleText = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,15})?\z`)
)

func toLong(a []any) (any, error) {
	switch x := a[0].(type) {
	case string:
		if !longText.MatchString(x) {
			return nil, nil
		}
		i, err := strconv.ParseInt(x, 10, 64)
		return i, err
	case int64, int32, int16:
		return asInt64(x), nil
	case float64:
		return truncate(x), nil
	case float32:
		return truncate(float64(x)), nil
	case bool:
		if x {
			return int64(1), nil
		}
		return int64(0), nil
	}
	return nil, bad("toLong of %s", value.Str(a[0]))
}

// truncate is Java's cast of a double to long: toward zero, saturating, NaN is 0.
func truncate(d float64) int64 {
	switch {
	case math.IsNaN(d):
		return 0
	case d >= math.MaxInt64:
		return math.MaxInt64
	case d <= math.MinInt64:
		return math.MinInt64
	}
	return int64(d)
}

func toInt(a []any) (any, error) {
	v, err := toLong(a)
	if v == nil {
		return nil, err
	}
	return int32(v.(int64)), nil
}

func toShort(a []any) (any, error) {
	v, err := toLong(a)
	if v == nil {
		return nil, err
	}
	return int16(v.(int64)), nil
}

func toDouble(a []any) (any, error) {
	switch x := a[0].(type) {
	case string:
		if !doubleText.MatchString(x) {
			return nil, nil
		}
		d, err := strconv.ParseFloat(x, 64)
		return d, err
	case int64, int32, int16:
		return float64(asInt64(x)), nil
	case float64:
		return x, nil
	case float32:
		return float64(x), nil
	}
	return nil, bad("toDouble of %s", value.Str(a[0]))
}

func toFloat(a []any) (any, error) {
	v, err := toDouble(a)
	if v == nil {
		return nil, err
	}
	return float32(v.(float64)), nil
}

func toBytes(a []any) (any, error) {
	s, err := text(a[0])
	return []byte(s), err
}

// toUUID is Java's UUID.nameUUIDFromBytes: MD5 with version 3.
func toUUID(a []any) (any, error) {
	s, err := text(a[0])
	u := [16]byte(md5.Sum([]byte(s)))
	u[6] = u[6]&0x0f | 0x30
	u[8] = u[8]&0x3f | 0x80
	return u, err
}

// rangeLimit is the greatest length of a rangeTo list.
const rangeLimit = 1000

func rangeTo(a []any) (any, error) {
	n, err := long(a[0])
	l := []any{}
	for i := int64(0); i < min(rangeLimit, n); i++ {
		l = append(l, i)
	}
	return l, err
}
