// Package serde turns keys and values into bytes and back. It owns the
// [Serde] interface, Kafka's own serdes byte for byte, JSON, and the registry
// that finds a serde by Go type. It refuses to know nulls: the framework
// handles a null key or value before a serde is asked.
package serde

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/record"
)

// Serde writes and reads one Go type.
//
// Append appends the bytes of v to dst and returns the extended slice; the
// caller owns the buffer. On an error the returned slice is ignored. A serde
// that wants to write Kafka's null (a tombstone) for a non-null value returns
// [ErrNull].
//
// Decode reads a value; data is only valid during the call, so what is kept
// must be copied. Decode is never called for null. A serde that reads the
// bytes it was given as null returns ErrNull too.
//
// topic is the topic (or changelog topic) the bytes belong to. Errors of the
// built-in serdes do not repeat it: the framework adds topic, partition and
// offset.
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

// ErrNull says that a value is Kafka's null on the other side: returned by
// Append, that the value is to be written as null; returned by Decode, that
// the bytes mean null. It is an answer, not a failure. Java's serdes return
// null instead. Test for it with [errors.Is].
var ErrNull = errors.New("null")

// LengthError is the failure of a fixed-size serde to read bytes of another
// length. Java's deserializers throw a SerializationException for it.
type LengthError struct {
	// Type is the name of the serde, as [NameOf] gives it.
	Type string
	// Want and Got are numbers of bytes.
	Want, Got int
}

// Error names the type and both lengths.
func (e *LengthError) Error() string {
	return fmt.Sprintf("decode %s: wanted %d bytes, got %d", e.Type, e.Want, e.Got)
}

// NameOf describes a serde for error messages: the result of its String
// method, else its Go type, and "none" for nil.
func NameOf(s any) string {
	switch s := s.(type) {
	case nil:
		return "none"
	case fmt.Stringer:
		return s.String()
	default:
		return fmt.Sprintf("%T", s)
	}
}

// AppendWith appends v with s, handing it the headers if it is a
// [HeaderSerde] and h is not nil. It serves serdes that wrap others.
func AppendWith[T any](s Serde[T], dst []byte, topic string, h *record.Headers, v T) ([]byte, error) {
	if h != nil {
		if hs, ok := s.(HeaderSerde[T]); ok {
			return hs.AppendWithHeaders(dst, topic, h, v)
		}
	}
	return s.Append(dst, topic, v)
}

// DecodeWith is the reading side of [AppendWith].
func DecodeWith[T any](s Serde[T], topic string, h *record.Headers, data []byte) (T, error) {
	if h != nil {
		if hs, ok := s.(HeaderSerde[T]); ok {
			return hs.DecodeWithHeaders(topic, h, data)
		}
	}
	return s.Decode(topic, data)
}
