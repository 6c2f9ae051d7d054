package serde

import "reflect"

// Registry finds a serde by Go type, for operators that were given none. It is
// filled before topologies are built and only read afterwards; it has no lock.
// The nil *Registry is empty.
//
// It replaces Java's default.key.serde and default.value.serde, which know one
// serde for all types.
type Registry struct {
	byType map[reflect.Type]any // Serde[T] under the type T
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{byType: make(map[reflect.Type]any)} }

// Default returns a new registry that knows the types with one obvious
// counterpart in Java: string, []byte, int16, int32, int64, float32, float64,
// bool and [16]byte (UUID), and int, which it writes as Java's Long. Pointers
// to these are known too, see [Register].
func Default() *Registry {
	r := NewRegistry()
	Register(r, String())
	Register(r, Bytes())
	Register(r, Int16())
	Register(r, Int32())
	Register(r, Int64())
	Register(r, Int())
	Register(r, Float32())
	Register(r, Float64())
	Register(r, Bool())
	Register(r, UUID())
	return r
}

// Register makes s the serde of T, in place of an earlier one. If nothing is
// registered for *T, or only what followed from an earlier serde of T, then *T
// gets [Nullable] of s.
func Register[T any](r *Registry, s Serde[T]) {
	r.byType[reflect.TypeFor[T]()] = s
	pointer := reflect.TypeFor[*T]()
	if _, derived := r.byType[pointer].(nullable[T]); derived || r.byType[pointer] == nil {
		r.byType[pointer] = Nullable(s)
	}
}

// Lookup returns the serde of T, and whether there is one.
func Lookup[T any](r *Registry) (Serde[T], bool) {
	if r == nil {
		return nil, false
	}
	s, ok := r.byType[reflect.TypeFor[T]()].(Serde[T])
	return s, ok
}
