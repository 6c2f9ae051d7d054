package statestore

import "github.com/millrace/millrace/record"

// TimedHeaders is a value with its timestamp in milliseconds and its headers
// (KIP-1271, Java: ValueTimestampHeaders). Nil headers are an empty list.
type TimedHeaders[V any] struct {
	Value     V
	Timestamp int64
	Headers   *record.Headers
}

// WithHeaders is the aggregate of a session with its headers (KIP-1271, Java:
// AggregationWithHeaders). Nil headers are an empty list.
type WithHeaders[V any] struct {
	Value   V
	Headers *record.Headers
}

// HeadersKeyValue is a key-value store whose values carry a timestamp and
// headers (Java: TimestampedKeyValueStoreWithHeaders).
type HeadersKeyValue[K, V any] interface {
	KeyValue[K, TimedHeaders[V]]
}

// HeadersWindow is a window store whose values carry a timestamp and headers
// (Java: TimestampedWindowStoreWithHeaders).
type HeadersWindow[K, V any] interface {
	Window[K, TimedHeaders[V]]
}

// HeadersSession is a session store whose aggregates carry headers (Java:
// SessionStoreWithHeaders).
type HeadersSession[K, V any] interface {
	Session[K, WithHeaders[V]]
}
