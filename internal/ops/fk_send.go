package ops

import (
	"bytes"
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// What the topic of subscriptions is called towards serdes that write something
// else than its own keys: primary keys, foreign keys in the store, and values
// that are only hashed.
const (
	keyTopicSuffix        = "-pk"
	foreignKeyTopicSuffix = "-fk"
	hashedTopicSuffix     = "-vh"
)

// ForeignKeySend turns the updates of the left table of a foreign-key join into
// subscriptions, keyed by the foreign key (Java:
// SubscriptionSendProcessorSupplier). The table must send old values.
type ForeignKeySend[K, V, F any] struct {
	// Extract finds a row's foreign key; false is null.
	Extract func(K, V) (F, bool)
	Left    bool
	// Topic is that of the subscriptions, without the application id.
	Topic      string
	ForeignKey serde.Serde[F]
	Value      serde.Serde[V]
	versioned  bool
}

// UseVersioned makes the operator drop out-of-order updates.
func (s *ForeignKeySend[K, V, F]) UseVersioned(string) { s.versioned = true }

// New makes the unit of a task.
func (s *ForeignKeySend[K, V, F]) New() (processor.Unit, error) {
	return &foreignKeySend[K, V, F]{plan: s, null: record.NullsOf[F]()}, nil
}

type foreignKeySend[K, V, F any] struct {
	processor.Out[F, Subscription[K]]
	plan     *ForeignKeySend[K, V, F]
	node     *processor.Node
	null     record.Nulls[F]
	keyTopic string
	topic    string
	oldBuf   []byte
	newBuf   []byte
	// hash is that of the record at hand once hashed is set.
	hash   rowHash
	hashed bool
}

// Init implements processor.Unit.
func (s *foreignKeySend[K, V, F]) Init(n *processor.Node) error {
	s.node = n
	topic := n.Host().ApplicationID() + "-" + s.plan.Topic
	s.keyTopic, s.topic = topic+foreignKeyTopicSuffix, topic+hashedTopicSuffix
	return dsl.Missing(s.plan.ForeignKey, s.plan.Value)
}

// Close implements processor.Unit.
func (s *foreignKeySend[K, V, F]) Close() error { return nil }

// foreignKey is the foreign key of one side of a change.
type foreignKey[F any] struct {
	key F
	has bool
}

func (s *foreignKeySend[K, V, F]) extract(key K, v V, has bool) (f foreignKey[F]) {
	if has {
		f.key, f.has = s.plan.Extract(key, v)
		f.has = f.has && !s.null.Is(&f.key)
	}
	if !f.has {
		return foreignKey[F]{}
	}
	return f
}

// Receive implements processor.Receiver.
func (s *foreignKeySend[K, V, F]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	in := &rec.Value
	s.hash, s.hashed = rowHash{}, !in.HasNew
	if s.plan.versioned && in.Stale {
		s.node.Host().Dropped()
		return nil
	}
	if !in.HasOld && !in.HasNew {
		return nil
	}
	before := s.extract(rec.Key, in.Old, in.HasOld)
	after := s.extract(rec.Key, in.New, in.HasNew)
	if s.plan.Left {
		return s.left(&rec, before, after)
	}
	return s.inner(&rec, before, after)
}

// left always asks for an answer: also a row without a foreign key and a
// deletion have a result.
func (s *foreignKeySend[K, V, F]) left(rec *processor.Record[K, processor.Change[V]], before, after foreignKey[F]) error {
	if before.has {
		changed, err := s.changed(rec.Headers, before, after)
		if err != nil {
			return err
		}
		if changed {
			if err := s.send(rec, before, unsubscribe); err != nil {
				return err
			}
		}
	}
	return s.send(rec, after, subscribeAnswered)
}

func (s *foreignKeySend[K, V, F]) inner(rec *processor.Record[K, processor.Change[V]], before, after foreignKey[F]) error {
	if rec.Value.HasNew && !after.has {
		s.node.Host().Dropped()
	}
	switch {
	case !after.has && !before.has:
		return nil
	case !after.has:
		return s.send(rec, before, unsubscribeAnswered)
	case !before.has:
		return s.send(rec, after, subscribe)
	}
	changed, err := s.changed(rec.Headers, before, after)
	if err != nil {
		return err
	}
	if !changed {
		return s.send(rec, after, subscribe)
	}
	if err := s.send(rec, before, unsubscribe); err != nil {
		return err
	}
	// The old row may have had a result that must go now.
	return s.send(rec, after, subscribeAnswered)
}

// changed compares the bytes of two foreign keys, the first of which exists.
func (s *foreignKeySend[K, V, F]) changed(h *record.Headers, before, after foreignKey[F]) (_ bool, err error) {
	if !after.has {
		return true, nil
	}
	if s.newBuf, err = serde.AppendWith(s.plan.ForeignKey, s.newBuf[:0], s.keyTopic, h, after.key); err != nil {
		return false, fmt.Errorf("foreign key: %w", err)
	}
	if s.oldBuf, err = serde.AppendWith(s.plan.ForeignKey, s.oldBuf[:0], s.keyTopic, h, before.key); err != nil {
		return false, fmt.Errorf("foreign key: %w", err)
	}
	return !bytes.Equal(s.newBuf, s.oldBuf), nil
}

func (s *foreignKeySend[K, V, F]) send(rec *processor.Record[K, processor.Change[V]], to foreignKey[F], what instruction) error {
	if !s.hashed {
		var err error
		if s.newBuf, err = serde.AppendWith(s.plan.Value, s.newBuf[:0], s.topic, rec.Headers, rec.Value.New); err != nil {
			return fmt.Errorf("hash of the value: %w", notNull(err))
		}
		s.hash, s.hashed = hashOf(s.newBuf), true
	}
	return s.Forward(processor.Record[F, Subscription[K]]{Key: to.key, KeyNull: !to.has, Timestamp: rec.Timestamp, Headers: rec.Headers,
		Value: Subscription[K]{hash: s.hash, instruction: what, key: rec.Key, version: subscriptionVersion,
			partition: s.node.Host().RecordContext().Partition}})
}
