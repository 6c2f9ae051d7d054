// Package value owns the values of the scenario language: their Go types, their
// text form and the faults that working with them can raise. It refuses to know
// expressions and programs.
//
// The Go types are string, int64 (long), int32 (int), int16 (short), float64
// (double), float32 (float), bool, [16]byte (uuid), []byte, [Windowed], []any
// (list) and nil for null. A nil []byte does not occur: null is the untyped nil.
package value

import (
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// Windowed is a key with the bounds of its window in milliseconds.
type Windowed = window.Windowed[any]

// Fault is an error in the scenario itself: an unknown operator, an ill-typed
// expression. It is what the oracle calls an oracle error, and no exception
// handler may hide it.
type Fault struct{ Message string }

func (f *Fault) Error() string { return "oracle error: " + f.Message }

// Exception stands for an exception that Java code of the scenario would throw
// while a program runs.
type Exception struct {
	Class   string // with its package, such as java.lang.RuntimeException
	Message string
}

func (e *Exception) Error() string { return e.Class + ": " + e.Message }

// JavaClass names the exception's class with its package.
func (e *Exception) JavaClass() string { return e.Class }

// JavaMessage is the exception's message.
func (e *Exception) JavaMessage() string { return e.Message }

// Unwrap gives the framework's own kind of the error, where it has one.
func (e *Exception) Unwrap() error {
	switch e.Class {
	case ClassCast:
		return processor.ErrTypeMismatch
	case ClassNullPointer:
		return processor.ErrNull
	}
	return nil
}

// The classes of exceptions that scenarios raise themselves.
const (
	ClassRuntime         = "java.lang.RuntimeException"
	ClassCast            = "java.lang.ClassCastException"
	ClassNullPointer     = "java.lang.NullPointerException"
	ClassIllegalArgument = "java.lang.IllegalArgumentException"
	ClassSerialization   = "org.apache.kafka.common.errors.SerializationException"
)

// Str is the text form of a value, "null" for null and "?" for what the
// language has no text for.
func Str(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case string:
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case int32:
		return strconv.FormatInt(int64(x), 10)
	case int16:
		return strconv.FormatInt(int64(x), 10)
	case bool:
		return strconv.FormatBool(x)
	case float64:
		return fixed(x)
	case float32:
		return fixed(float64(x))
	case [16]byte:
		return serde.FormatUUID(x)
	case []byte:
		return "0x" + hex.EncodeToString(x)
	case Windowed:
		return "[" + Str(x.Key) + "@" + Str(x.Start) + "/" + Str(x.End) + "]"
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = Str(e)
		}
		return "[" + strings.Join(parts, ",") + "]"
	default:
		return "?"
	}
}

// Text is Str as a golden member: nil for null.
func Text(v any) any {
	if v == nil {
		return nil
	}
	return Str(v)
}

// Hex is the bytes as a golden member: nil for null.
func Hex(b []byte) any {
	if b == nil {
		return nil
	}
	return hex.EncodeToString(b)
}

// fixed rounds the exact binary value half to even to four decimals, as
// BigDecimal.setScale does; zero has no sign.
func fixed(d float64) string {
	switch {
	case math.IsNaN(d):
		return "NaN"
	case math.IsInf(d, 1):
		return "Infinity"
	case math.IsInf(d, -1):
		return "-Infinity"
	}
	s := strconv.FormatFloat(d, 'f', 4, 64)
	if s == "-0.0000" {
		return "0.0000"
	}
	return s
}

// Unhex reads lower-case hexadecimal digits; the result is never nil.
func Unhex(s string) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil || strings.ToLower(s) != s {
		return nil, &Fault{"bad hex: " + s}
	}
	if b == nil {
		b = []byte{}
	}
	return b, nil
}
