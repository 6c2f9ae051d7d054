package statestore

import (
	"iter"

	"github.com/millrace/millrace/window"
)

// WindowEntries is a scan over the rows of a window or session store.
type WindowEntries[K, V any] = iter.Seq2[Entry[window.Windowed[K], V], error]

// ReadOnlyWindow is the reading half of a window store. All times are the
// starts of windows in milliseconds, bounds inclusive. Rows whose start is not
// later than the store's stream time (the largest start ever put) minus the
// retention are not seen.
//
// The order of a scan over several keys depends on the backend, as in Java: in
// memory it is by start, then key bytes. On disk it is by segment, then key
// bytes, then start; a time-ordered store has start before key. Stores that
// keep duplicates give the rows of one key and start in the order of their
// insertion. Backward scans are the exact reverse.
type ReadOnlyWindow[K, V any] interface {
	// Fetch returns the value of a key in the window that begins at start. A store
	// that keeps duplicates finds nothing, or on disk the row that was put last.
	Fetch(key K, start int64) (V, bool, error)
	// FetchKey scans the windows of one key that begin in a range, ascending by
	// start.
	FetchKey(key K, from, to int64) WindowEntries[K, V]
	// FetchKeyBackward is FetchKey, descending.
	FetchKeyBackward(key K, from, to int64) WindowEntries[K, V]
	// FetchKeys scans the windows of the keys between the bounds that begin in a
	// range; reversed bounds (Bounds.Reverse) scan backward.
	FetchKeys(keys Bounds[K], from, to int64) WindowEntries[K, V]
	// FetchAll scans the windows of all keys that begin in a range.
	FetchAll(from, to int64) WindowEntries[K, V]
	// FetchAllBackward is FetchAll, backward.
	FetchAllBackward(from, to int64) WindowEntries[K, V]
	// All scans every row.
	All() WindowEntries[K, V]
	// Backward is All, backward.
	Backward() WindowEntries[K, V]
}

// Window is a store of values by key and window (Java: WindowStore). A null key
// is an error.
type Window[K, V any] interface {
	Store
	ReadOnlyWindow[K, V]
	// Put sets the value of a key in the window that begins at start. A null
	// value deletes; a store that keeps duplicates ignores it. A row that is
	// already expired is dropped and counted with Host.Dropped.
	Put(key K, value V, start int64) error
	// Remove is Put with a null value.
	Remove(key K, start int64) error
}

// TimestampedWindow is a window store whose values carry a timestamp (Java:
// TimestampedWindowStore).
type TimestampedWindow[K, V any] interface {
	Window[K, Timed[V]]
}

// QueryableWindow is a window store that other goroutines may read while its
// task writes it, see [Queryable].
type QueryableWindow[K, V any] interface {
	// Reader is a view that any number of goroutines may use at once. After the
	// store is closed its methods return ErrClosed.
	Reader() ReadOnlyWindow[K, V]
}

// WindowFlusher is the [CacheFlusher] of window and session stores.
type WindowFlusher[K, V any] interface {
	CacheFlusher[window.Windowed[K], V]
}
