package statestore

import (
	"encoding/binary"
	"fmt"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// coder is a serde with the choice between its two forms made once.
type coder[T any] struct {
	plain   serde.Serde[T]
	headers serde.HeaderSerde[T]
	null    record.Nulls[T]
}

func newCoder[T any](s serde.Serde[T]) coder[T] {
	c := coder[T]{plain: s, null: record.NullsOf[T]()}
	c.headers, _ = s.(serde.HeaderSerde[T])
	return c
}

// append returns serde.ErrNull for a null.
func (c *coder[T]) append(dst []byte, topic string, h *record.Headers, v T) ([]byte, error) {
	if c.null.Is(&v) {
		return dst, serde.ErrNull
	}
	if c.headers != nil {
		return c.headers.AppendWithHeaders(dst, topic, h, v)
	}
	return c.plain.Append(dst, topic, v)
}

func (c *coder[T]) nullable() bool { return c.null.Possible() }

func (c *coder[T]) decode(topic string, h *record.Headers, data []byte) (T, error) {
	if c.headers != nil {
		return c.headers.DecodeWithHeaders(topic, h, data)
	}
	return c.plain.Decode(topic, data)
}

// valueCoder turns the values of a kind of store into what its layers hold.
// append returns serde.ErrNull for a null; decode does so for bytes that the
// serde takes for null.
type valueCoder[V any] interface {
	append(dst []byte, topic string, h *record.Headers, v V) ([]byte, error)
	decode(topic string, h *record.Headers, data []byte) (V, error)
	// nullable tells whether a value, or what V wraps, can be null.
	nullable() bool
}

// plainValues are stored as the serde writes them.
type plainValues[V any] struct{ coder[V] }

func (p *plainValues[V]) append(dst []byte, topic string, h *record.Headers, v V) ([]byte, error) {
	return p.coder.append(dst, topic, h, v)
}

func (p *plainValues[V]) decode(topic string, h *record.Headers, data []byte) (V, error) {
	return p.coder.decode(topic, h, data)
}

// timestampSize is the length of the timestamp in front of a value.
const timestampSize = 8

// timedValues are stored as `i64 timestamp ‖ raw`.
type timedValues[V any] struct{ coder[V] }

func (t *timedValues[V]) append(dst []byte, topic string, h *record.Headers, v Timed[V]) ([]byte, error) {
	dst = binary.BigEndian.AppendUint64(dst, uint64(v.Timestamp))
	return t.coder.append(dst, topic, h, v.Value)
}

func (t *timedValues[V]) decode(topic string, h *record.Headers, data []byte) (Timed[V], error) {
	if len(data) < timestampSize {
		return Timed[V]{}, fmt.Errorf("value of %d bytes has no timestamp", len(data))
	}
	v, err := t.coder.decode(topic, h, data[timestampSize:])
	return Timed[V]{Value: v, Timestamp: int64(binary.BigEndian.Uint64(data))}, err
}
