package record

import (
	"reflect"
	"unsafe"
)

// IsNull reports whether v stands for Kafka's null, see [Nulls]. It decides
// anew at each call, which costs a look at the type but no memory.
func IsNull[T any](v T) bool { return NullsOf[T]().Is(&v) }

// Nulls tells whether a T stands for Kafka's null: T is of pointer or interface
// kind or is []byte, and the value is nil. Other slices and maps are never
// null, for an empty list must not become a delete. Decide it once per operator
// with [NullsOf]; the check itself is one pointer load. It is no function value
// because a call through one moves its argument to the heap.
type Nulls[T any] struct{ possible bool }

// NullsOf decides whether a T can be null.
func NullsOf[T any]() Nulls[T] {
	t := reflect.TypeFor[T]()
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		return Nulls[T]{possible: true}
	case reflect.Slice:
		return Nulls[T]{possible: t.Elem().Kind() == reflect.Uint8}
	}
	return Nulls[T]{}
}

// Possible reports whether a T can be null at all.
func (n Nulls[T]) Possible() bool { return n.possible }

// Is reports whether the value is null. The first word of a pointer, an
// interface and a slice is nil exactly when the value is nil.
func (n Nulls[T]) Is(v *T) bool {
	return n.possible && *(*unsafe.Pointer)(unsafe.Pointer(v)) == nil
}
