package testdriver

import (
	"errors"
	"fmt"
	"slices"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// ErrEmpty is returned by a read of an output that has no more records.
var ErrEmpty = errors.New("no more records")

// Output reads typed records from a topic of a driver (Java:
// TestOutputTopic), also from changelog and repartition topics.
type Output[K, V any] struct {
	d     *Driver
	topic string
	key   serde.Serde[K]
	value serde.Serde[V]
}

// Message is a decoded record of an output.
type Message[K, V any] struct {
	Key                K
	Value              V
	KeyNull, ValueNull bool
	// Timestamp in milliseconds.
	Timestamp int64
	Headers   []record.Header
}

// NewOutput returns the output of a topic. Outputs of the same topic share what
// has been read.
func NewOutput[K, V any](d *Driver, topic string, key serde.Serde[K], value serde.Serde[V]) *Output[K, V] {
	return &Output[K, V]{d: d, topic: topic, key: key, value: value}
}

// Len is the number of records not yet read.
func (o *Output[K, V]) Len() int { return len(o.d.output[o.topic]) - o.d.waiting[o.topic] }

// Read returns the next record; ErrEmpty if there is none.
func (o *Output[K, V]) Read() (Message[K, V], error) {
	var m Message[K, V]
	if o.Len() == 0 && len(o.d.output[o.topic]) == 0 {
		return m, fmt.Errorf("output %s: nothing was written to this topic (the names of internal topics begin with the application id, here %q): %w",
			o.topic, o.d.cfg.ApplicationID+"-", ErrEmpty)
	}
	if o.Len() == 0 {
		return m, fmt.Errorf("output %s: %w", o.topic, ErrEmpty)
	}
	r := o.d.output[o.topic][o.d.waiting[o.topic]]
	o.d.waiting[o.topic]++
	m.Timestamp, m.Headers = r.Timestamp, r.Headers
	m.KeyNull, m.ValueNull = r.Key == nil, r.Value == nil
	var err error
	if !m.KeyNull {
		if m.Key, err = o.key.Decode(o.topic, r.Key); err != nil {
			return m, fmt.Errorf("output %s: key: %w", o.topic, err)
		}
	}
	if !m.ValueNull {
		if m.Value, err = o.value.Decode(o.topic, r.Value); err != nil {
			return m, fmt.Errorf("output %s: value: %w", o.topic, err)
		}
	}
	return m, nil
}

// ReadAll returns the records not yet read.
func (o *Output[K, V]) ReadAll() ([]Message[K, V], error) {
	var all []Message[K, V]
	for o.Len() > 0 {
		m, err := o.Read()
		if err != nil {
			return all, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Written returns what has been written to a topic since the start, as bytes.
func (d *Driver) Written(topic string) []Record { return slices.Clone(d.output[topic]) }

// TakeWritten returns everything written to any topic since the last call, by
// topic and in order, and forgets it; Outputs see none of it.
func (d *Driver) TakeWritten() map[string][]Record {
	all := d.output
	d.output, d.waiting = map[string][]Record{}, map[string]int{}
	return all
}
