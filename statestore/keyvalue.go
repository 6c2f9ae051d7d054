package statestore

import (
	"iter"

	"github.com/millrace/millrace/record"
)

// Entry is one row of a scan.
type Entry[K, V any] struct {
	Key   K
	Value V
}

// ReadOnlyKeyValue is the reading half of a key-value store. Scans run in the
// unsigned order of the serialised keys, see the store as it was when the scan
// began, and close themselves; an error ends a scan as its last element.
type ReadOnlyKeyValue[K, V any] interface {
	// Get returns the value of a key, and whether there is one.
	Get(K) (V, bool, error)
	// Range scans the keys between the bounds.
	Range(Bounds[K]) iter.Seq2[Entry[K, V], error]
	// All scans every key, ascending.
	All() iter.Seq2[Entry[K, V], error]
	// Backward scans every key, descending (Java: reverseAll).
	Backward() iter.Seq2[Entry[K, V], error]
	// Prefix scans the keys whose bytes begin with prefix (Java: prefixScan).
	Prefix(prefix []byte) iter.Seq2[Entry[K, V], error]
	// ApproximateLen estimates the number of entries.
	ApproximateLen() (int64, error)
}

// KeyValue is a key-value store (Java: KeyValueStore). A null key is an error.
// Putting a null value (see record.Nulls) deletes.
type KeyValue[K, V any] interface {
	Store
	ReadOnlyKeyValue[K, V]
	Put(K, V) error
	// Remove deletes without reading what was there (Java: put with null).
	Remove(K) error
	// PutIfAbsent puts unless the key has a value, which it then returns.
	PutIfAbsent(K, V) (V, bool, error)
	// Delete removes the key and returns the value it had.
	Delete(K) (V, bool, error)
}

// Timed is a value with its timestamp in milliseconds (Java: ValueAndTimestamp).
type Timed[V any] struct {
	Value     V
	Timestamp int64
}

// TimestampedKeyValue is a key-value store whose values carry a timestamp
// (Java: TimestampedKeyValueStore). Every table of the DSL is one.
type TimestampedKeyValue[K, V any] interface {
	KeyValue[K, Timed[V]]
}

// Flushed is an update that left the record cache: the value before the first
// cached update and the last one. The context is that of the last update.
type Flushed[K, V any] struct {
	Key            K
	New, Old       V
	HasNew, HasOld bool
	Context        *record.Context
}

// CacheFlusher is a store whose updates may wait in the record cache. OnFlush
// sets who is told when they leave it; it reports whether the store is cached
// at all. With sendOld false the old value is not read. The listener runs with
// the host's record context set to the update's own (Java: CachedStateStore).
// What a Flushed points to is valid during the call. A key that was put and
// deleted within one flush, and that the store never had, is not told of.
type CacheFlusher[K, V any] interface {
	OnFlush(f func(Flushed[K, V]) error, sendOld bool) (cached bool)
}

// Queryable is a store that other goroutines may read while its task writes
// it, as interactive queries do. The task itself uses the store's own methods,
// which are faster and keep the record cache's order of use.
type Queryable[K, V any] interface {
	// Reader is a view that any number of goroutines may use at once. After the
	// store is closed its methods return ErrClosed.
	Reader() ReadOnlyKeyValue[K, V]
}
