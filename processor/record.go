// Package processor owns the processor API and the physical topology: records,
// nodes and the typed edges between them, contexts, punctuators, timestamp
// extractors, partitioners, and [Topology] with its sub-topologies and its
// description. It is where the DSL and the runtime meet; it refuses to know
// either, and no Kafka client.
package processor

import (
	"time"

	"github.com/millrace/millrace/record"
)

// Record is what nodes hand to each other (Java: api.Record). It is passed by
// value: a change made by one child is not seen by its siblings, except to
// Headers, which are one mutable list that all children of a node share, as in
// Java. A record that is made of another by [WithKey], [WithValue] or an
// operator has a copy.
type Record[K, V any] struct {
	Key   K
	Value V
	// KeyNull and ValueNull say that the key or the value is Kafka's null; Key
	// or Value is then the zero value. For types that can be nil the flags and
	// nil always agree on records that come from the framework.
	KeyNull, ValueNull bool
	// Timestamp in milliseconds since the epoch, never negative.
	Timestamp int64
	Headers   *record.Headers
}

// Time is the timestamp as a time in UTC.
func (r Record[K, V]) Time() time.Time { return time.UnixMilli(r.Timestamp).UTC() }

// WithKey returns the record with another key, which is null when it is a nil
// of a type that can be null, and with headers of its own.
func WithKey[K2, K, V any](r Record[K, V], key K2) Record[K2, V] {
	return Record[K2, V]{Key: key, KeyNull: record.IsNull(key), Value: r.Value, ValueNull: r.ValueNull,
		Timestamp: r.Timestamp, Headers: r.Headers.Clone()}
}

// WithValue returns the record with another value, which is null when it is a
// nil of a type that can be null, and with headers of its own.
func WithValue[V2, K, V any](r Record[K, V], value V2) Record[K, V2] {
	return Record[K, V2]{Key: r.Key, KeyNull: r.KeyNull, Value: value, ValueNull: record.IsNull(value),
		Timestamp: r.Timestamp, Headers: r.Headers.Clone()}
}

// Change is an update of a table: the new value of a key and, where a node
// downstream asked for it, the one before (Java: internals.Change). The record
// that carries it never has a null value.
type Change[V any] struct {
	New, Old V
	// HasNew is false for a deletion; HasOld is false when there was no value
	// before or when old values are not sent.
	HasNew, HasOld bool
	// Stale marks an out-of-order update of a versioned table (Java:
	// isLatest=false).
	Stale bool
}
