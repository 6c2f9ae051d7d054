// Package statestore owns state stores: their interfaces, builders and the
// layers every store has (typed façade, record cache, changelog, backend). It
// refuses to know topics, tasks and consumers; what it needs of them it
// declares here as [Host] and [Log].
package statestore

import "github.com/millrace/millrace/record"

// Store is what a task knows of every store, whatever its kind.
type Store interface {
	// Name is the store's name, without the application id.
	Name() string
	// Persistent tells whether the content outlives the process.
	Persistent() bool
	// Open makes the store ready in its task. It is called once.
	Open(h Host) error
	// Flush hands what the record cache holds to the changelog, the backend
	// and the flush listener (which forwards downstream). Java: flushCache.
	Flush() error
	// Commit makes everything written so far durable together with the offset
	// of the last changelog record it reflects; offset is -1 if unknown.
	Commit(offset int64) error
	// CommittedOffset is the changelog offset that lies with the data, -1 when
	// there is none and the changelog must be read from its start.
	CommittedOffset() (int64, error)
	// Restore applies changelog records in offset order, bypassing cache and
	// changelog.
	Restore(batch []Change) error
	// Close releases the store; what was not committed may be lost.
	Close() error
}

// Change is one changelog record. Key and Value are only valid during the
// call; a nil Value deletes.
type Change struct {
	Key, Value []byte
	// Timestamp of the changelog record in milliseconds: the value's own
	// timestamp for timestamped stores.
	Timestamp int64
	Offset    int64
	Headers   []record.Header
}

// Host is the task as its stores see it.
type Host interface {
	// ApplicationID and TaskID name the store in errors; TaskID is "0_1".
	ApplicationID() string
	TaskID() string
	// Dir is the task's folder for persistent stores, which exists.
	Dir() string
	// RecordContext is the context of the record being processed. Layers read
	// its timestamp and headers; the cache swaps it while it flushes.
	RecordContext() *record.Context
	SetRecordContext(*record.Context)
	// Log is the changelog of the store; nil when it has none.
	Log(store string) Log
	// Cache is the worker's record cache; nil when caching is off.
	Cache() *Cache
	// Memory is the process-wide budget of block cache and write buffers.
	Memory() *Memory
	// Dropped counts a record that was dropped (metric dropped-records).
	Dropped()
}

// Log writes changelog records. Key and value are copied before it returns; a
// nil value is a tombstone.
type Log interface {
	Log(key, value []byte, timestamp int64, headers *record.Headers) error
}
