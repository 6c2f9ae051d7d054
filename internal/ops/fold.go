package ops

import (
	"fmt"
	"reflect"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// Fold is what an aggregation in windows computes: how an aggregate begins, how
// a record is put in and, for sessions, how two become one. With each aggregate
// goes whether there is one; false is Java's null.
type Fold[K, V, A any] struct {
	Init func() (agg A, has bool)
	Add  func(rec processor.Record[K, V], agg A, has bool) (A, bool, error)
	// Merge gets the sessions merged so far on the left. It is nil where there
	// are no sessions.
	Merge func(key K, left A, hasLeft bool, right A, hasRight bool) (A, bool)
}

// Counting counts records, also those with a null value.
func Counting[K, V any]() Fold[K, V, int64] {
	return Fold[K, V, int64]{
		Init:  func() (int64, bool) { return 0, true },
		Add:   func(_ processor.Record[K, V], n int64, _ bool) (int64, bool, error) { return n + 1, true, nil },
		Merge: func(_ K, a int64, _ bool, b int64, _ bool) (int64, bool) { return a + b, true },
	}
}

// Reducing combines values: f gets the result so far and the next value. The
// first value is the result as it is, null too. Sessions are combined by f as
// well.
func Reducing[K, V any](f func(V, V) V) Fold[K, V, V] {
	null := record.NullsOf[V]()
	reduce := func(a V, hasA bool, b V, hasB bool) (V, bool) {
		if !hasA {
			return b, hasB
		}
		out := f(a, b)
		return out, !null.Is(&out)
	}
	return Fold[K, V, V]{
		Init: func() (none V, has bool) { return none, false },
		Add: func(rec processor.Record[K, V], agg V, has bool) (V, bool, error) {
			if has && rec.ValueNull && !null.Possible() {
				return agg, has, nullValue[V]()
			}
			out, ok := reduce(agg, has, rec.Value, !rec.ValueNull)
			return out, ok, nil
		},
		Merge: func(_ K, a V, hasA bool, b V, hasB bool) (V, bool) { return reduce(a, hasA, b, hasB) },
	}
}

// Aggregating begins with what init returns and lets add put each value in.
// merge combines the aggregates of two sessions; it may be nil where there are
// none.
func Aggregating[K, V, A any](init func() A, add func(K, V, A) A, merge func(K, A, A) A) Fold[K, V, A] {
	null, nullV := record.NullsOf[A](), record.NullsOf[V]()
	f := Fold[K, V, A]{
		Init: func() (A, bool) {
			out := init()
			return out, !null.Is(&out)
		},
		Add: func(rec processor.Record[K, V], agg A, has bool) (A, bool, error) {
			if rec.ValueNull && !nullV.Possible() {
				return agg, has, nullValue[V]()
			}
			out := add(rec.Key, rec.Value, agg)
			return out, !null.Is(&out), nil
		},
	}
	if merge != nil {
		f.Merge = func(key K, a A, _ bool, b A, _ bool) (A, bool) {
			out := merge(key, a, b)
			return out, !null.Is(&out)
		}
	}
	return f
}

func nullValue[V any]() error {
	t := reflect.TypeFor[V]()
	return fmt.Errorf("a null value reached a function over %v, which cannot hold it; a stream over *%v can: %w", t, t, processor.ErrNull)
}
