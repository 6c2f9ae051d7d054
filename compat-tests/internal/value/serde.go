package value

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// Serde is a serde of the language over values of any type. A value of another
// type than the serde's is a ClassCastException, as in Java, where erasure lets
// it come that far.
type Serde struct {
	serde.Serde[any]
	// Name is the serde's name in the language, such as list:long.
	Name string
	// plain means that the serde has no parameters and so can be a default.
	plain bool
	// list makes the serde of lists of this one.
	list func() serde.Serde[any]
}

// String names the serde.
func (s Serde) String() string { return s.Name }

// Option is the serde as an option of an operator takes it.
func (s Serde) Option() any { return s.Serde }

// CanBeDefault tells whether the serde may stand in the configuration.
func (s Serde) CanBeDefault() bool { return s.plain }

// NewSerde finds a serde by its name; an unknown one is a fault.
func NewSerde(name string) (Serde, error) {
	if s, ok := builtin[name]; ok {
		s.Name = name
		return s, nil
	}
	kind, rest, _ := strings.Cut(name, ":")
	switch kind {
	case "timeWindowed":
		if i := strings.LastIndexByte(rest, ':'); i >= 0 {
			size, err := strconv.ParseInt(rest[i+1:], 10, 64)
			inner, innerErr := NewSerde(rest[:i])
			if err == nil && innerErr == nil {
				return composite(name, newWindowed(window.SerdeMillis[any](inner, size), 8)), nil
			}
		}
	case "sessionWindowed":
		if inner, err := NewSerde(rest); err == nil {
			return composite(name, newWindowed(window.SessionSerde[any](inner), 16)), nil
		}
	case "list":
		if inner, err := NewSerde(rest); err == nil {
			return composite(name, inner.list()), nil
		}
	}
	return Serde{}, &Fault{"unknown serde: " + name}
}

// builtin are the serdes without parameters.
var builtin = map[string]Serde{
	"string":  simple(serde.String()),
	"long":    simple(serde.Int64()),
	"int":     simple(serde.Int32()),
	"short":   simple(serde.Int16()),
	"double":  simple(serde.Float64()),
	"float":   simple(serde.Float32()),
	"boolean": simple(serde.Bool()),
	"uuid":    simple(serde.UUID()),
	"bytes":   simple(serde.Bytes()),
	"void":    simple[serde.None](serde.Void()),
	"poison":  simple[string](poison{serde.String()}),
}

// simple erases a serde's type.
func simple[T any](inner serde.Serde[T]) Serde {
	return Serde{Serde: erased[T]{inner}, plain: true, list: func() serde.Serde[any] {
		return listOf[T]{serde.List(serde.Nullable(inner))}
	}}
}

// composite is a serde whose values are built from those of others; lists of
// it have the layout of variable sizes.
func composite(name string, s serde.Serde[any]) Serde {
	return Serde{Serde: s, Name: name, list: func() serde.Serde[any] { return anyList{serde.List(s)} }}
}

type erased[T any] struct{ inner serde.Serde[T] }

func (s erased[T]) Append(dst []byte, topic string, v any) ([]byte, error) {
	t, ok := v.(T)
	if !ok {
		return dst, classCast(v, serde.NameOf(s.inner))
	}
	return s.inner.Append(dst, topic, t)
}

func (s erased[T]) Decode(topic string, data []byte) (any, error) {
	v, err := s.inner.Decode(topic, data)
	if err != nil {
		return v, inJava(err)
	}
	return v, nil
}

func classCast(v any, to string) error {
	return &Exception{ClassCast, fmt.Sprintf("%T cannot be cast to %s", v, to)}
}

// listOf erases a list of a serde without parameters, whose layout may depend
// on that serde.
type listOf[T any] struct{ inner serde.Serde[[]*T] }

func (s listOf[T]) Append(dst []byte, topic string, v any) ([]byte, error) {
	l, ok := v.([]any)
	if !ok {
		return dst, classCast(v, "list")
	}
	typed := make([]*T, len(l))
	for i, e := range l {
		if e == nil {
			continue
		}
		t, ok := e.(T)
		if !ok {
			return dst, classCast(e, serde.NameOf(s.inner))
		}
		typed[i] = &t
	}
	return s.inner.Append(dst, topic, typed)
}

func (s listOf[T]) Decode(topic string, data []byte) (any, error) {
	typed, err := s.inner.Decode(topic, data)
	if err != nil {
		return nil, err
	}
	l := make([]any, len(typed))
	for i, e := range typed {
		if e != nil {
			l[i] = *e
		}
	}
	return l, nil
}

// anyList erases a list of a serde that is erased already.
type anyList struct{ inner serde.Serde[[]any] }

func (s anyList) Append(dst []byte, topic string, v any) ([]byte, error) {
	l, ok := v.([]any)
	if !ok {
		return dst, classCast(v, "list")
	}
	return s.inner.Append(dst, topic, l)
}

func (s anyList) Decode(topic string, data []byte) (any, error) {
	return s.inner.Decode(topic, data)
}

// poison is a string serde that fails on marked texts.
type poison struct{ serde.Serde[string] }

func (p poison) Append(dst []byte, topic string, v string) ([]byte, error) {
	if strings.Contains(v, "POISON-S") {
		return dst, &Exception{ClassSerialization, "poisoned on write"}
	}
	return p.Serde.Append(dst, topic, v)
}

func (p poison) Decode(topic string, data []byte) (string, error) {
	s, err := p.Serde.Decode(topic, data)
	if err == nil && strings.Contains(s, "POISON-D") {
		return "", &Exception{ClassSerialization, "poisoned on read"}
	}
	return s, err
}

// windowed erases a serde of windowed keys and still shows how it writes the
// key alone, which decides the partition.
type windowed struct {
	erased[Windowed]
	base window.BaseKeySerde[Windowed]
	// size is how many bytes a window takes.
	size int
}

func newWindowed(s serde.Serde[Windowed], size int) windowed {
	return windowed{erased[Windowed]{s}, s.(window.BaseKeySerde[Windowed]), size}
}

func (s windowed) Decode(topic string, data []byte) (any, error) {
	if err := longEnough(data, s.size); err != nil {
		return nil, err
	}
	return s.erased.Decode(topic, data)
}

// AppendBaseKey implements window.BaseKeySerde.
func (s windowed) AppendBaseKey(dst []byte, topic string, h *record.Headers, v any) ([]byte, error) {
	w, ok := v.(Windowed)
	if !ok {
		return dst, classCast(v, "windowed key")
	}
	return s.base.AppendBaseKey(dst, topic, h, w)
}
