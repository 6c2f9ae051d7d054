package serde

import (
	"reflect"

	"github.com/millrace/millrace/record"
)

// Nullable is the serde of pointers to T: a nil pointer is null, anything else
// is written as inner writes it. With it a table can hold V that may be null
// (*V), and a list entries that may be null: List(Nullable(Int64())).
//
// The framework sees a nil pointer before the serde does; where it is appended
// nevertheless the answer is [ErrNull]. A list of Nullable entries has the bytes
// of a list of inner entries.
func Nullable[T any](inner Serde[T]) Serde[*T] { return nullable[T]{inner} }

type nullable[T any] struct{ inner Serde[T] }

func (s nullable[T]) Append(dst []byte, topic string, v *T) ([]byte, error) {
	return s.AppendWithHeaders(dst, topic, nil, v)
}

func (s nullable[T]) Decode(topic string, data []byte) (*T, error) {
	return s.DecodeWithHeaders(topic, nil, data)
}

func (s nullable[T]) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v *T) ([]byte, error) {
	if v == nil {
		return dst, ErrNull
	}
	return AppendWith(s.inner, dst, topic, h, *v)
}

func (s nullable[T]) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (*T, error) {
	v, err := DecodeWith(s.inner, topic, h, data)
	if err != nil {
		return nil, err
	}
	return &v, nil
}

func (s nullable[T]) String() string { return "nullable(" + NameOf(s.inner) + ")" }

func (s nullable[T]) unwrap() any { return s.inner }

// nilKind says how values of a type can be null, decided once per serde.
type nilKind uint8

const (
	neverNil nilKind = iota
	nilPointer
	nilInterface
	nilBytes
)

// nilKindOf follows the framework's rule: pointers, interfaces and []byte are
// null when nil; other slices and maps never are.
func nilKindOf[T any]() nilKind {
	t := reflect.TypeFor[T]()
	switch {
	case t.Kind() == reflect.Pointer:
		return nilPointer
	case t.Kind() == reflect.Interface:
		return nilInterface
	case t == reflect.TypeFor[[]byte]():
		return nilBytes
	default:
		return neverNil
	}
}

func isNil[T any](kind nilKind, v T) bool {
	switch kind {
	case nilPointer:
		return reflect.ValueOf(v).IsNil()
	case nilInterface:
		return any(v) == nil
	case nilBytes:
		return any(v).([]byte) == nil
	default:
		return false
	}
}
