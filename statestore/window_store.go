package statestore

import (
	"math"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// windowReads are the reads of a window store, for its task or for others.
type windowReads[K, V any] struct {
	s   *windows[K, V]
	own bool
}

// Fetch returns the value of a key in the window that begins at start.
func (r windowReads[K, V]) Fetch(k K, start int64) (V, bool, error) {
	if !r.own {
		return r.s.peek(k, window.Span{Start: start})
	}
	return r.s.fetch(k, window.Span{Start: start})
}

// FetchKey scans the windows of one key that begin in a range.
func (r windowReads[K, V]) FetchKey(k K, from, to int64) WindowEntries[K, V] {
	return r.s.query(From(k), WindowQuery{Mode: QueryKey, Earliest: from, Latest: to}, r.own)
}

// FetchKeyBackward is FetchKey, descending.
func (r windowReads[K, V]) FetchKeyBackward(k K, from, to int64) WindowEntries[K, V] {
	return r.s.query(From(k).Reverse(), WindowQuery{Mode: QueryKey, Earliest: from, Latest: to}, r.own)
}

// FetchKeys scans the windows of several keys that begin in a range.
func (r windowReads[K, V]) FetchKeys(keys Bounds[K], from, to int64) WindowEntries[K, V] {
	return r.s.query(keys, WindowQuery{Mode: QueryKeys, Earliest: from, Latest: to}, r.own)
}

// FetchAll scans the windows of all keys that begin in a range.
func (r windowReads[K, V]) FetchAll(from, to int64) WindowEntries[K, V] {
	return r.s.query(Bounds[K]{}, WindowQuery{Mode: QueryTimes, Earliest: from, Latest: to}, r.own)
}

// FetchAllBackward is FetchAll, backward.
func (r windowReads[K, V]) FetchAllBackward(from, to int64) WindowEntries[K, V] {
	return r.s.query(Bounds[K]{}.Reverse(), WindowQuery{Mode: QueryTimes, Earliest: from, Latest: to}, r.own)
}

// All scans every row.
func (r windowReads[K, V]) All() WindowEntries[K, V] {
	return r.s.query(Bounds[K]{}, WindowQuery{Mode: QueryAll, Earliest: math.MinInt64, Latest: math.MaxInt64}, r.own)
}

// Backward is All, backward.
func (r windowReads[K, V]) Backward() WindowEntries[K, V] {
	return r.s.query(Bounds[K]{}.Reverse(), WindowQuery{Mode: QueryAll, Earliest: math.MinInt64, Latest: math.MaxInt64}, r.own)
}

// windowStore is the typed face of a window store.
type windowStore[K, V any] struct {
	*windows[K, V]
	windowReads[K, V]
}

func newWindowStore[K, V any](b *built, c WindowConfig, key serde.Serde[K], value valueCoder[V]) *windowStore[K, V] {
	s := newWindows(b, c.rows(), c.Check(b.name), key, value)
	s.openWith = func(h Host, from Backend) (WindowBytes, error) {
		if w, ok := from.(WindowBackend); ok {
			return w.OpenWindow(h, b.name, c)
		}
		return openRows(h, from, b.name, b.kind, &b.settings, c.rows())
	}
	return &windowStore[K, V]{windows: &s, windowReads: windowReads[K, V]{&s, true}}
}

// Put sets the value of a key in the window that begins at start.
func (s *windowStore[K, V]) Put(k K, v V, start int64) error {
	return s.put(k, v, window.Span{Start: start})
}

// Remove is Put with a null value.
func (s *windowStore[K, V]) Remove(k K, start int64) error {
	return s.remove(k, window.Span{Start: start})
}

// Reader is the view for other goroutines.
func (s *windowStore[K, V]) Reader() ReadOnlyWindow[K, V] {
	return windowReads[K, V]{s.snapshotOfLayers(), false}
}
