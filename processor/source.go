package processor

import (
	"errors"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// SourceUnit is the unit of a source node. It stays typed although the task's
// queues hold bytes: each queue has a [Head] that decodes the record next in
// line and keeps it in typed fields.
type SourceUnit interface {
	Unit
	// NewHead makes the head of one partition's queue.
	NewHead() Head
}

// Head holds the decoded first record of a queue. When a record is taken, the
// next one is loaded before the taken one is emitted, as in Java, where an
// undecodable successor is noticed first; so there are two places.
type Head interface {
	// Load decodes a record into the first place. The topic is the real name;
	// raw is only read during the call, headers is kept until Emit.
	Load(topic string, raw *record.Raw, headers *record.Headers) error
	// Describe fills in key and value of the loaded record for a timestamp
	// extractor.
	Describe(m *Message)
	// Take moves the loaded record to the second place.
	Take()
	// Emit sends the taken record downstream under the timestamp.
	Emit(timestamp int64) error
}

// Source reads records of one key and value type from topics.
type Source[K, V any] struct {
	Out[K, V]
	key   serde.Serde[K]
	value serde.Serde[V]
}

// NewSource makes the unit of a source node.
func NewSource[K, V any](key serde.Serde[K], value serde.Serde[V]) *Source[K, V] {
	return &Source[K, V]{key: key, value: value}
}

// Init implements [Unit].
func (s *Source[K, V]) Init(*Node) error { return nil }

// Close implements [Unit].
func (s *Source[K, V]) Close() error { return nil }

// NewHead implements [SourceUnit].
func (s *Source[K, V]) NewHead() Head {
	h := &head[K, V]{source: s}
	h.key = newDecoder(s.key)
	h.value = newDecoder(s.value)
	return h
}

type head[K, V any] struct {
	source *Source[K, V]
	key    decoder[K]
	value  decoder[V]
	next   Record[K, V]
	taken  Record[K, V]
}

// Load implements [Head]. The key is decoded before the value.
func (h *head[K, V]) Load(topic string, raw *record.Raw, headers *record.Headers) error {
	h.next = Record[K, V]{Headers: headers}
	var err error
	if h.next.Key, h.next.KeyNull, err = h.key.decode(topic, headers, raw.Key); err != nil {
		return &DecodeError{Part: "key", Err: err}
	}
	if h.next.Value, h.next.ValueNull, err = h.value.decode(topic, headers, raw.Value); err != nil {
		return &DecodeError{Part: "value", Err: err}
	}
	return nil
}

// Describe implements [Head].
func (h *head[K, V]) Describe(m *Message) {
	m.Key, m.Value = nil, nil
	if !h.next.KeyNull {
		m.Key = h.next.Key
	}
	if !h.next.ValueNull {
		m.Value = h.next.Value
	}
}

// Take implements [Head].
func (h *head[K, V]) Take() { h.taken, h.next = h.next, Record[K, V]{} }

// Emit implements [Head].
func (h *head[K, V]) Emit(timestamp int64) error {
	rec := h.taken
	rec.Timestamp = timestamp
	h.taken = Record[K, V]{}
	return h.source.Pass(rec)
}

// DecodeError is a key or value that its serde cannot read.
type DecodeError struct {
	// Part is "key" or "value".
	Part string
	Err  error
}

// Error implements error.
func (e *DecodeError) Error() string { return "cannot decode the " + e.Part + ": " + e.Err.Error() }

// Unwrap returns the serde's error.
func (e *DecodeError) Unwrap() error { return e.Err }

// decoder reads one side of a record with a serde chosen once.
type decoder[T any] struct {
	plain   serde.Serde[T]
	headers serde.HeaderSerde[T]
	null    record.Nulls[T]
}

func newDecoder[T any](s serde.Serde[T]) decoder[T] {
	d := decoder[T]{plain: s, null: record.NullsOf[T]()}
	d.headers, _ = s.(serde.HeaderSerde[T])
	return d
}

func (d *decoder[T]) decode(topic string, h *record.Headers, data []byte) (v T, null bool, err error) {
	if data == nil {
		return v, true, nil
	}
	if d.headers != nil {
		v, err = d.headers.DecodeWithHeaders(topic, h, data)
	} else {
		v, err = d.plain.Decode(topic, data)
	}
	if errors.Is(err, serde.ErrNull) {
		return v, true, nil
	}
	return v, err == nil && d.null.Is(&v), err
}
