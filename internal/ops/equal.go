package ops

import (
	"reflect"
	"unsafe"
)

// keyEqual returns what Java's equals is for keys of type K, decided once per
// unit. Byte slices are equal only if they are the same memory, as Java's
// arrays are; pointers are compared by what they point to.
func keyEqual[K any]() func(a, b K) bool {
	t := reflect.TypeFor[K]()
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return func(a, b K) bool { return sameBytes(asBytes(&a), asBytes(&b)) }
	case t.Kind() == reflect.Interface:
		return func(a, b K) bool { return anyEqual(a, b) }
	case flat(t):
		return func(a, b K) bool { return any(a) == any(b) }
	default:
		return func(a, b K) bool { return reflect.DeepEqual(a, b) }
	}
}

// flat reports whether == on the type compares content and cannot panic.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Chan, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return flat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !flat(t.Field(i).Type) {
				return false
			}
		}
		return true
	default:
		return t.Comparable()
	}
}

func anyEqual(a, b any) bool {
	x, isBytes := a.([]byte)
	if y, ok := b.([]byte); ok && isBytes {
		return sameBytes(x, y)
	}
	switch a.(type) {
	case string, int64, int32, int, float64, bool:
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

func sameBytes(a, b []byte) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// asBytes views a value of a type with underlying type []byte as such.
func asBytes[K any](k *K) []byte { return *(*[]byte)(unsafe.Pointer(k)) }
