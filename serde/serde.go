// Package serde turns keys and values into bytes and back. It owns the
// [Serde] interface, Kafka's own serdes byte for byte, JSON, and the registry
// that finds a serde by Go type. It refuses to know nulls: the framework
// handles a null key or value before a serde is asked.
package serde

import "github.com/millrace/millrace/record"

// Serde writes and reads one Go type.
//
// Append appends the bytes of v to dst and returns the extended slice; the
// caller owns the buffer. On an error the returned slice is ignored. A serde
// that wants to write Kafka's null (a tombstone) for a non-null value returns
// ErrNull.
//
// Decode reads a value; data is only valid during the call, so what is kept
// must be copied. Decode is never called for null.
//
// topic is the topic (or changelog topic) the bytes belong to.
type Serde[T any] interface {
	Append(dst []byte, topic string, v T) ([]byte, error)
	Decode(topic string, data []byte) (T, error)
}

// HeaderSerde is a Serde that also reads or writes record headers. The
// framework looks for it once, when a node is built. The key is written before
// the value.
type HeaderSerde[T any] interface {
	Serde[T]
	AppendWithHeaders(dst []byte, topic string, h *record.Headers, v T) ([]byte, error)
	DecodeWithHeaders(topic string, h *record.Headers, data []byte) (T, error)
}
