package record

import (
	"reflect"
	"unsafe"
)

// NullCheck returns the function that tells whether a T stands for Kafka's
// null, or nil when no T can: T is of pointer or interface kind or is []byte,
// and the value is nil. Other slices and maps are never null, for an empty
// list must not become a delete. Decide it once per operator; the check itself
// is one pointer load.
func NullCheck[T any]() func(*T) bool {
	t := reflect.TypeFor[T]()
	switch {
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Interface:
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
	default:
		return nil
	}
	// The first word of a pointer, an interface and a slice is nil exactly
	// when the value is nil.
	return func(v *T) bool { return *(*unsafe.Pointer)(unsafe.Pointer(v)) == nil }
}

// IsNull reports whether v stands for null, see [NullCheck]. It decides anew at
// each call, which costs a look at the type but no memory.
func IsNull[T any](v T) bool { return NullsOf[T]().Is(&v) }

// Nulls is a [NullCheck] that lets its argument stay on the stack: a call
// through a function value makes what its pointer points to escape. Use it on
// the record path.
type Nulls[T any] struct{ possible bool }

// NullsOf decides whether a T can be null.
func NullsOf[T any]() Nulls[T] { return Nulls[T]{possible: NullCheck[T]() != nil} }

// Possible reports whether a T can be null at all.
func (n Nulls[T]) Possible() bool { return n.possible }

// Is reports whether the value is null.
func (n Nulls[T]) Is(v *T) bool {
	return n.possible && *(*unsafe.Pointer)(unsafe.Pointer(v)) == nil
}
