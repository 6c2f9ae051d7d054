package run

import (
	"github.com/millrace/millrace/compat-tests/internal/golden"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// row is one entry of a store. What its kind of store lacks is nil.
type row struct {
	key, value  any
	ts, validTo *int64
	// headers is not nil in stores with headers.
	headers *record.Headers
}

// tree gives an entry; a windowed key shows its bounds.
func (e row) tree() *tree.Object {
	o := tree.NewObject()
	if w, ok := e.key.(value.Windowed); ok {
		o.Set("k", value.Text(w.Key))
		o.Set("start", w.Start)
		o.Set("end", w.End)
	} else {
		o.Set("k", value.Text(e.key))
	}
	e.describe(o)
	return o
}

// describe adds what an entry shows of its value.
func (e row) describe(o *tree.Object) {
	o.Set("v", value.Text(e.value))
	if e.ts != nil {
		o.Set("ts", *e.ts)
	}
	if e.validTo != nil {
		o.Set("validTo", *e.validTo)
	}
	if e.headers != nil {
		o.Set("h", golden.Headers(e.headers.All()))
	}
}

func rows(l []row) []any {
	out := []any{}
	for _, e := range l {
		out = append(out, e.tree())
	}
	return out
}

// format turns the values of one kind of store into rows and back. V is the
// type a store has for the scenario's values: any, or int64 in stores of
// counts; S is what the store keeps.
type format[S any] struct {
	row func(key any, s S) row
	// make builds what is written. null says that the value is null and that V
	// cannot hold that.
	make func(w write) (s S, null bool, err error)
}

// typed gives a value the store's type.
func typed[V any](v any) (out V, null bool, err error) {
	if v == nil {
		return out, any(out) != nil, nil
	}
	out, ok := v.(V)
	if !ok {
		return out, false, &value.Exception{Class: value.ClassCast, Message: value.Str(v) + " is not of the store's type"}
	}
	return out, false, nil
}

// plainFormat is that of stores that keep values as they are.
func plainFormat[V any]() format[V] {
	return format[V]{
		row:  func(key any, v V) row { return row{key: key, value: v} },
		make: func(w write) (V, bool, error) { return typed[V](w.value) },
	}
}

// timedFormat is that of stores whose values carry a timestamp.
func timedFormat[V any]() format[statestore.Timed[V]] {
	return format[statestore.Timed[V]]{
		row: func(key any, v statestore.Timed[V]) row {
			if record.IsNull(v.Value) {
				return row{key: key}
			}
			return row{key: key, value: v.Value, ts: &v.Timestamp}
		},
		make: func(w write) (v statestore.Timed[V], null bool, err error) {
			if v.Timestamp, err = long(w.ts); err != nil {
				return v, false, err
			}
			v.Value, null, err = typed[V](w.value)
			return v, null, err
		},
	}
}

// headersFormat is that of stores whose values carry a timestamp and headers.
func headersFormat[V any]() format[statestore.TimedHeaders[V]] {
	return format[statestore.TimedHeaders[V]]{
		row: func(key any, v statestore.TimedHeaders[V]) row {
			if record.IsNull(v.Value) {
				return row{key: key}
			}
			return row{key: key, value: v.Value, ts: &v.Timestamp, headers: listOf(v.Headers)}
		},
		make: func(w write) (v statestore.TimedHeaders[V], null bool, err error) {
			if v.Timestamp, err = long(w.ts); err != nil {
				return v, false, err
			}
			v.Headers = w.headers.Clone()
			v.Value, null, err = typed[V](w.value)
			return v, null, err
		},
	}
}

// aggregateFormat is that of session stores with headers.
func aggregateFormat[V any]() format[statestore.WithHeaders[V]] {
	return format[statestore.WithHeaders[V]]{
		row: func(key any, v statestore.WithHeaders[V]) row {
			if record.IsNull(v.Value) {
				return row{key: key}
			}
			return row{key: key, value: v.Value, headers: listOf(v.Headers)}
		},
		make: func(w write) (v statestore.WithHeaders[V], null bool, err error) {
			v.Headers = w.headers.Clone()
			v.Value, null, err = typed[V](w.value)
			return v, null, err
		},
	}
}

// listOf makes the empty list of no headers.
func listOf(h *record.Headers) *record.Headers {
	if h == nil {
		return &record.Headers{}
	}
	return h
}
