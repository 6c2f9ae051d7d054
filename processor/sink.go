package processor

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/internal/murmur"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// TopicFunc computes the topic a record goes to (Java: TopicNameExtractor).
// The topic must exist.
type TopicFunc[K, V any] func(rec Record[K, V], ctx *record.Context) (topic string, err error)

// Partitioner chooses the partitions of an output record (Java:
// StreamPartitioner). With usual true the default is used: the key's murmur2
// hash, or the producer's choice for a null key. Otherwise the record goes to
// each of the partitions; an empty list drops and counts it.
type Partitioner[K, V any] func(topic string, rec Record[K, V], partitions int32) (to []int32, usual bool)

// Sink writes records to a topic.
type Sink[K, V any] struct {
	node        *Node
	key         encoder[K]
	value       encoder[V]
	topic       string
	topicFunc   TopicFunc[K, V]
	partitioner Partitioner[K, V]
	windowed    window.BaseKeySerde[K]
	keyBuf      []byte
	valueBuf    []byte
	one         [1]int32
	unsent      record.Headers
}

// SinkConfig says where a [Sink] writes. TopicFunc wins over Topic; a nil
// Partitioner is the default.
type SinkConfig[K, V any] struct {
	Key         serde.Serde[K]
	Value       serde.Serde[V]
	Topic       string
	TopicFunc   TopicFunc[K, V]
	Partitioner Partitioner[K, V]
	// Windowed, if set, writes windowed keys without their window; where there
	// is no Partitioner the hash of that decides, so that all windows of a key
	// stay together (Java: WindowedStreamPartitioner).
	Windowed window.BaseKeySerde[K]
}

// NewSink makes the unit of a sink node.
func NewSink[K, V any](c SinkConfig[K, V]) *Sink[K, V] {
	return &Sink[K, V]{key: newEncoder(c.Key), value: newEncoder(c.Value), topic: c.Topic,
		topicFunc: c.TopicFunc, partitioner: c.Partitioner, windowed: c.Windowed}
}

// Attach implements [Unit]: a sink has no children.
func (s *Sink[K, V]) Attach(child *Node) error {
	return fmt.Errorf("a sink cannot have the child %s", child.Name())
}

// Init implements [Unit].
func (s *Sink[K, V]) Init(n *Node) error {
	s.node = n
	if s.topicFunc == nil {
		s.topic = n.Host().TopicName(s.topic)
	}
	return nil
}

// Close implements [Unit].
func (s *Sink[K, V]) Close() error { return nil }

// Receive implements [Receiver].
func (s *Sink[K, V]) Receive(rec Record[K, V]) error {
	host := s.node.host
	topic := s.topic
	if s.topicFunc != nil {
		var err error
		if topic, err = s.topicFunc(rec, host.RecordContext()); err != nil {
			return err
		}
	}
	if rec.Timestamp < 0 {
		return &StreamsError{Msg: fmt.Sprintf("node %s: a record for topic %s has the negative timestamp %d",
			s.node.name, topic, rec.Timestamp)}
	}
	out := Outgoing{Topic: topic, Partition: -1, Timestamp: rec.Timestamp, Headers: rec.Headers, Node: s.node.name}
	targets, usual, err := s.targets(topic, rec)
	if err != nil {
		return err
	}
	if !usual && len(targets) == 0 {
		host.Dropped()
		return nil
	}
	ok, err := s.encode(&out, rec)
	if !ok || err != nil {
		return err
	}
	// What is written has no need of the source record any more, as Java sees it.
	rc := host.RecordContext()
	rc.RawKey, rc.RawValue = nil, nil
	if usual {
		return host.Send(out)
	}
	for _, out.Partition = range targets {
		if err := host.Send(out); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sink[K, V]) targets(topic string, rec Record[K, V]) (to []int32, usual bool, err error) {
	if s.partitioner == nil && s.windowed == nil {
		return nil, true, nil
	}
	n, err := s.node.host.Partitions(topic)
	if err != nil {
		return nil, false, err
	}
	if s.partitioner == nil {
		return s.byBaseKey(topic, rec, n)
	}
	to, usual = s.partitioner(topic, rec, n)
	return to, usual, nil
}

// byBaseKey is the partition of a windowed key without its window. The headers
// a serializer adds here are not those of the record.
func (s *Sink[K, V]) byBaseKey(topic string, rec Record[K, V], partitions int32) (to []int32, usual bool, err error) {
	if rec.KeyNull {
		return nil, false, fmt.Errorf("node %s: the windowed key of a record for topic %s is null: %w", s.node.name, topic, ErrNull)
	}
	s.unsent.Reset()
	s.keyBuf, err = s.windowed.AppendBaseKey(s.keyBuf[:0], topic, &s.unsent, rec.Key)
	if err != nil {
		return nil, false, fmt.Errorf("node %s: partition of a record for topic %s: %w", s.node.name, topic, err)
	}
	s.one[0] = murmur.Partition(s.keyBuf, partitions)
	return s.one[:], false, nil
}

// encode serialises key and value; false means that the production exception
// handler has decided to drop the record.
func (s *Sink[K, V]) encode(out *Outgoing, rec Record[K, V]) (bool, error) {
	var err error
	s.keyBuf, out.Key, err = s.key.encode(s.keyBuf, out.Topic, rec.Headers, rec.Key, rec.KeyNull)
	if err != nil {
		return false, s.failed(out.Topic, true, rec, err)
	}
	s.valueBuf, out.Value, err = s.value.encode(s.valueBuf, out.Topic, rec.Headers, rec.Value, rec.ValueNull)
	if err != nil {
		return false, s.failed(out.Topic, false, rec, err)
	}
	return true, nil
}

func (s *Sink[K, V]) failed(topic string, key bool, rec Record[K, V], err error) error {
	return s.node.host.SerializationFailed(s.node, topic, key, Failing{Key: rec.Key, Value: rec.Value,
		KeyNull: rec.KeyNull, ValueNull: rec.ValueNull, Timestamp: rec.Timestamp, Headers: rec.Headers}, err)
}

// encoder writes one side of a record with a serde chosen once.
type encoder[T any] struct {
	plain   serde.Serde[T]
	headers serde.HeaderSerde[T]
}

func newEncoder[T any](s serde.Serde[T]) encoder[T] {
	e := encoder[T]{plain: s}
	e.headers, _ = s.(serde.HeaderSerde[T])
	return e
}

// encode writes v into buf from its start. data is nil for null and otherwise
// shares memory with the returned buffer, which serves the next call.
func (e *encoder[T]) encode(buf []byte, topic string, h *record.Headers, v T, null bool) (grown, data []byte, err error) {
	if null {
		return buf, nil, nil
	}
	if e.headers != nil {
		data, err = e.headers.AppendWithHeaders(buf[:0], topic, h, v)
	} else {
		data, err = e.plain.Append(buf[:0], topic, v)
	}
	if errors.Is(err, serde.ErrNull) {
		return buf, nil, nil
	}
	if err != nil {
		return buf, nil, err
	}
	if data == nil {
		data = []byte{}
	}
	return data, data, nil
}
