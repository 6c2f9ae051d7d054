package serde_test

import (
	"testing"

	"github.com/millrace/millrace/serde"
)

// registered returns the name of the serde of T, "" if there is none.
func registered[T any](r *serde.Registry) string {
	s, ok := serde.Lookup[T](r)
	if !ok {
		return ""
	}
	return serde.NameOf(s)
}

func TestRegistry(t *testing.T) {
	r := serde.Default()
	type named string
	for _, c := range []struct{ got, want string }{
		{registered[string](r), "string"},
		{registered[[]byte](r), "bytes"},
		{registered[int16](r), "int16"},
		{registered[int32](r), "int32"},
		{registered[int64](r), "int64"},
		{registered[int](r), "int"},
		{registered[float32](r), "float32"},
		{registered[float64](r), "float64"},
		{registered[bool](r), "bool"},
		{registered[[16]byte](r), "uuid"},
		{registered[*int64](r), "nullable(int64)"},
		{registered[named](r), ""},
		{registered[any](r), ""},
		{registered[string](nil), ""},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	serde.Register(r, serde.JSON[string]())
	if got := registered[string](r); got != "json(string)" {
		t.Errorf("replaced: %q", got)
	}
	if got := registered[*string](r); got != "nullable(json(string))" {
		t.Errorf("pointer after replacing: %q", got)
	}
	serde.Register(r, serde.JSON[*trip]())
	serde.Register(r, serde.JSON[trip]())
	if got := registered[*trip](r); got != "json(*serde_test.trip)" {
		t.Errorf("a pointer's own serde was replaced: %q", got)
	}
	if got := registered[string](serde.Default()); got != "string" {
		t.Errorf("another registry changed: %q", got)
	}
}
