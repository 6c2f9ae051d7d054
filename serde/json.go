package serde

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// JSON writes and reads T with encoding/json. Unlike json.Marshal it leaves
// <, > and & alone, as the JSON libraries of the JVM do. Reading a text that
// holds more than one value is an error.
//
// The text null is not Kafka's null: it decodes to what encoding/json makes of
// it, the nil of a pointer or the zero value.
func JSON[T any]() Serde[T] { return jsonSerde[T]{} }

type jsonSerde[T any] struct{}

func (s jsonSerde[T]) Append(dst []byte, _ string, v T) ([]byte, error) {
	w := appendWriter{buf: dst}
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return dst, fmt.Errorf("encode %s: %w", s, err)
	}
	return w.buf[:len(w.buf)-1], nil // the encoder ends each value with a line feed
}

func (s jsonSerde[T]) Decode(_ string, data []byte) (T, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		var zero T
		return zero, fmt.Errorf("decode %s: %w", s, err)
	}
	return v, nil
}

func (jsonSerde[T]) String() string { return "json(" + reflect.TypeFor[T]().String() + ")" }

// appendWriter collects what is written to it behind what buf holds.
type appendWriter struct{ buf []byte }

// Write never fails.
func (w *appendWriter) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	return len(p), nil
}
