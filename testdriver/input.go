package testdriver

import (
	"time"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// Input writes typed records to a topic of a driver (Java: TestInputTopic). A
// nil key or value of a type that can be nil is written as null.
type Input[K, V any] struct {
	d       *Driver
	topic   string
	key     serde.Serde[K]
	value   serde.Serde[V]
	next    int64
	advance int64
}

// NewInput returns an input whose records get the driver's start time unless
// told otherwise.
func NewInput[K, V any](d *Driver, topic string, key serde.Serde[K], value serde.Serde[V]) *Input[K, V] {
	return &Input[K, V]{d: d, topic: topic, key: key, value: value, next: d.clock}
}

// StartAt sets the timestamp of the next record piped without one, and how
// much each such record moves it on.
func (in *Input[K, V]) StartAt(t time.Time, advance time.Duration) *Input[K, V] {
	in.next, in.advance = t.UnixMilli(), advance.Milliseconds()
	return in
}

// Pipe writes a record under the input's own timestamp.
func (in *Input[K, V]) Pipe(key K, value V) error {
	ts := in.next
	in.next += in.advance
	return in.PipeAt(key, value, ts)
}

// PipeAt writes a record under a timestamp in milliseconds.
func (in *Input[K, V]) PipeAt(key K, value V, timestamp int64) error {
	return in.PipeRecord(key, value, timestamp)
}

// PipeRecord writes a record with headers.
func (in *Input[K, V]) PipeRecord(key K, value V, timestamp int64, headers ...record.Header) error {
	k, err := encode(in.key, in.topic, key)
	if err != nil {
		return err
	}
	v, err := encode(in.value, in.topic, value)
	if err != nil {
		return err
	}
	return in.d.Pipe(Record{Topic: in.topic, Key: k, Value: v, Timestamp: timestamp, Headers: headers})
}

// Delete writes a tombstone: the key with a null value.
func (in *Input[K, V]) Delete(key K, timestamp int64) error {
	k, err := encode(in.key, in.topic, key)
	if err != nil {
		return err
	}
	return in.d.Pipe(Record{Topic: in.topic, Key: k, Timestamp: timestamp})
}

// PipeValue writes a record with a null key under the input's own timestamp.
func (in *Input[K, V]) PipeValue(value V) error {
	v, err := encode(in.value, in.topic, value)
	if err != nil {
		return err
	}
	ts := in.next
	in.next += in.advance
	return in.d.Pipe(Record{Topic: in.topic, Value: v, Timestamp: ts})
}

func encode[T any](s serde.Serde[T], topic string, v T) ([]byte, error) {
	if record.IsNull(v) {
		return nil, nil
	}
	return s.Append([]byte{}, topic, v)
}
