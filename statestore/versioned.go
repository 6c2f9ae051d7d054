package statestore

import (
	"iter"
	"math"
)

// Version is a value with the time in milliseconds from which it holds, and
// until which, if a later version is known (Java: VersionedRecord).
type Version[V any] struct {
	Value     V
	Timestamp int64
	// ValidTo is exclusive; [ValidNow] for the latest version.
	ValidTo int64
}

const (
	// ValidNow is the end of validity of a latest version (Java:
	// PUT_RETURN_CODE_VALID_TO_UNDEFINED).
	ValidNow int64 = -1
	// NotPut is what Put returns for a record older than the history retention,
	// which it drops (Java: PUT_RETURN_CODE_NOT_PUT).
	NotPut int64 = math.MinInt64
)

// ReadOnlyVersioned is the reading half of a versioned store. Times are in
// milliseconds. Versions that ended before the history retention are not seen.
type ReadOnlyVersioned[K, V any] interface {
	// Get returns the latest version of a key.
	Get(key K) (Version[V], bool, error)
	// GetAsOf returns the version that held at a time; none if the time lies
	// before the history retention, unless the latest version held then already.
	GetAsOf(key K, timestamp int64) (Version[V], bool, error)
	// History scans the versions of a key that held at any time between from and
	// to, inclusive (Java: MultiVersionedKeyQuery, which has descending order by
	// default). Deleted times have no version.
	History(key K, from, to int64, descending bool) iter.Seq2[Version[V], error]
}

// Versioned is a store of all values a key had within the history retention
// (Java: VersionedKeyValueStore, KIP-889). A null key is an error.
type Versioned[K, V any] interface {
	Store
	ReadOnlyVersioned[K, V]
	// Put makes value hold from timestamp on, until the next version; a null
	// value marks that there is none. It returns until when it holds, [ValidNow]
	// for a latest one, or [NotPut] if the record was dropped as too old, which
	// is also counted with Host.Dropped.
	Put(key K, value V, timestamp int64) (validTo int64, err error)
	// Remove is Put with a null value.
	Remove(key K, timestamp int64) (validTo int64, err error)
	// Delete is GetAsOf, then Remove (Java: delete). It does nothing if the time
	// lies before the history retention.
	Delete(key K, timestamp int64) (Version[V], bool, error)
}

// QueryableVersioned is a versioned store that other goroutines may read while
// its task writes it, see [Queryable].
type QueryableVersioned[K, V any] interface {
	// Reader is a view that any number of goroutines may use at once. After the
	// store is closed its methods return ErrClosed.
	Reader() ReadOnlyVersioned[K, V]
}
