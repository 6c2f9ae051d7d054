package ops

import (
	"encoding/binary"
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// CombinedKey is the key of a subscription: that of the row of the right table
// and that of the one of the left table (Java: CombinedKey).
type CombinedKey[F, K any] struct {
	foreign    F
	hasForeign bool
	primary    K
}

// SubscriptionRow is a subscription as its store holds it, with the frame of
// [SubscriptionSerde].
type SubscriptionRow []byte

// subscriptionRows writes rows as they are.
type subscriptionRows struct{}

func (subscriptionRows) Append(dst []byte, _ string, v SubscriptionRow) ([]byte, error) {
	return append(dst, v...), nil
}

func (subscriptionRows) Decode(_ string, data []byte) (SubscriptionRow, error) {
	return append(SubscriptionRow{}, data...), nil
}

// subscriptionStore holds the subscriptions of a foreign-key join by foreign
// key and primary key: `i32 length ‖ foreign key ‖ primary key`.
type subscriptionStore = statestore.HeadersKeyValue[[]byte, SubscriptionRow]

// SubscriptionStore is the builder of the store of subscriptions (Java:
// SubscriptionStoreFactory). It is header-aware in every format of stores, so
// that its changelog carries the headers, and never cached.
func SubscriptionStore(n *dsl.Node, name string) statestore.Builder {
	var opts []statestore.Option
	switch c := &n.Graph().Config; {
	case c.InMemoryStores:
		opts = append(opts, statestore.On(memstore.Backend))
	case !c.HeaderStores:
		opts = append(opts, statestore.Supplied(statestore.KindTimestampedKeyValue))
	}
	return statestore.NewHeaders[[]byte, SubscriptionRow](name, serde.Bytes(), subscriptionRows{}, opts...)
}

// ForeignKeys is what the operators on the right side of a foreign-key join have
// in common: how keys of the store of subscriptions are written.
type ForeignKeys[F, K any] struct {
	// Store holds the subscriptions; Topic is theirs, without the application id.
	Store, Topic string
	Foreign      serde.Serde[F]
	Primary      serde.Serde[K]
}

// foreignKeys is a ForeignKeys in a task.
type foreignKeys[F, K any] struct {
	*ForeignKeys[F, K]
	store                      subscriptionStore
	foreignTopic, primaryTopic string
	buf                        []byte
}

func (k *foreignKeys[F, K]) init(n *processor.Node) error {
	topic := n.Host().ApplicationID() + "-" + k.Topic
	k.foreignTopic, k.primaryTopic = topic+foreignKeyTopicSuffix, topic+keyTopicSuffix
	if err := dsl.Missing(k.Foreign, k.Primary); err != nil {
		return err
	}
	s, err := n.Store(k.Store)
	if err != nil {
		return err
	}
	var ok bool
	if k.store, ok = s.(subscriptionStore); !ok {
		return fmt.Errorf("node %s: store %s is %T, want one of subscriptions: %w", n.Name(), k.Store, s, processor.ErrTypeMismatch)
	}
	return nil
}

// prefix writes what all keys of one foreign key begin with; it is valid until
// the next call.
func (k *foreignKeys[F, K]) prefix(h *record.Headers, foreign F) (err error) {
	k.buf = append(k.buf[:0], 0, 0, 0, 0)
	if k.buf, err = serde.AppendWith(k.Foreign, k.buf, k.foreignTopic, h, foreign); err != nil {
		return fmt.Errorf("foreign key: %w", notNull(err))
	}
	binary.BigEndian.PutUint32(k.buf, uint32(len(k.buf)-4))
	return nil
}

// ForeignKeyReceive keeps the subscriptions on the side of the right table and
// hands them to the lookup (Java: SubscriptionReceiveProcessorSupplier).
type ForeignKeyReceive[F, K any] struct{ Keys *ForeignKeys[F, K] }

// New makes the unit of a task.
func (r *ForeignKeyReceive[F, K]) New() (processor.Unit, error) {
	return &foreignKeyReceive[F, K]{keys: foreignKeys[F, K]{ForeignKeys: r.Keys}}, nil
}

type foreignKeyReceive[F, K any] struct {
	processor.Out[CombinedKey[F, K], Subscription[K]]
	node *processor.Node
	keys foreignKeys[F, K]
	row  []byte
}

// Init implements processor.Unit.
func (r *foreignKeyReceive[F, K]) Init(n *processor.Node) error {
	r.node = n
	return r.keys.init(n)
}

// Close implements processor.Unit.
func (r *foreignKeyReceive[F, K]) Close() error { return nil }

// Receive implements processor.Receiver. A subscription without a foreign key
// is not kept; it only wants an answer.
func (r *foreignKeyReceive[F, K]) Receive(rec processor.Record[F, Subscription[K]]) error {
	if rec.KeyNull && rec.Value.instruction != subscribeAnswered {
		r.node.Host().Dropped()
		return nil
	}
	if rec.Value.version > subscriptionVersion {
		return fmt.Errorf("subscription of unknown version %d", rec.Value.version)
	}
	if !rec.KeyNull {
		if err := r.keep(&rec); err != nil {
			return err
		}
	}
	return r.Forward(processor.Record[CombinedKey[F, K], Subscription[K]]{
		Key:   CombinedKey[F, K]{foreign: rec.Key, hasForeign: !rec.KeyNull, primary: rec.Value.key},
		Value: rec.Value, Timestamp: rec.Timestamp, Headers: rec.Headers})
}

func (r *foreignKeyReceive[F, K]) keep(rec *processor.Record[F, Subscription[K]]) (err error) {
	k, sub := &r.keys, &rec.Value
	if err = k.prefix(rec.Headers, rec.Key); err != nil {
		return err
	}
	if k.buf, err = serde.AppendWith(k.Primary, k.buf, k.primaryTopic, rec.Headers, sub.key); err != nil {
		return fmt.Errorf("key of a subscription: %w", notNull(err))
	}
	if sub.instruction == unsubscribe || sub.instruction == unsubscribeAnswered {
		return k.store.Remove(k.buf)
	}
	if r.row, err = appendSubscription(r.row[:0], k.Primary, k.primaryTopic, rec.Headers, sub); err != nil {
		return err
	}
	return k.store.Put(k.buf, statestore.TimedHeaders[SubscriptionRow]{Value: r.row, Timestamp: rec.Timestamp, Headers: rec.Headers})
}
