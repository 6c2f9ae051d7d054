package ops

import (
	"encoding/binary"
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// ForeignKeyUpdate sends an update of the right table of a foreign-key join to
// all rows that subscribe to it, in the order of the bytes of their keys (Java:
// ForeignTableJoinProcessorSupplier). A deletion is sent each time, also if
// there was nothing to delete.
type ForeignKeyUpdate[F, K, R any] struct {
	Keys      *ForeignKeys[F, K]
	versioned bool
}

// UseVersioned makes the operator drop out-of-order updates.
func (u *ForeignKeyUpdate[F, K, R]) UseVersioned(string) { u.versioned = true }

// New makes the unit of a task.
func (u *ForeignKeyUpdate[F, K, R]) New() (processor.Unit, error) {
	return &foreignKeyUpdate[F, K, R]{plan: u, keys: foreignKeys[F, K]{ForeignKeys: u.Keys}}, nil
}

type foreignKeyUpdate[F, K, R any] struct {
	processor.Out[K, Response[R]]
	plan *ForeignKeyUpdate[F, K, R]
	node *processor.Node
	keys foreignKeys[F, K]
}

// Init implements processor.Unit.
func (u *foreignKeyUpdate[F, K, R]) Init(n *processor.Node) error {
	u.node = n
	return u.keys.init(n)
}

// Close implements processor.Unit.
func (u *foreignKeyUpdate[F, K, R]) Close() error { return nil }

// Receive implements processor.Receiver.
func (u *foreignKeyUpdate[F, K, R]) Receive(rec processor.Record[F, processor.Change[R]]) error {
	if rec.KeyNull || u.plan.versioned && rec.Value.Stale {
		u.node.Host().Dropped()
		return nil
	}
	if err := u.keys.prefix(rec.Headers, rec.Key); err != nil {
		return err
	}
	out := processor.Record[K, Response[R]]{Timestamp: rec.Timestamp, Headers: rec.Headers,
		Value: Response[R]{value: rec.Value.New, has: rec.Value.HasNew, version: responseVersion}}
	for row, err := range u.keys.store.Prefix(u.keys.buf) {
		if err != nil {
			return err
		}
		var sub Subscription[K]
		if _, err := splitSubscription(row.Value.Value, &sub); err != nil {
			return err
		}
		if out.Key, err = u.primary(row.Key, &rec); err != nil {
			return err
		}
		out.Value.hash, out.Value.partition = sub.hash, sub.partition
		if err := u.Forward(out); err != nil {
			return err
		}
	}
	return nil
}

// primary is the left table's key inside a key of the store.
func (u *foreignKeyUpdate[F, K, R]) primary(key []byte, rec *processor.Record[F, processor.Change[R]]) (k K, err error) {
	if len(key) < 4 || int64(len(key)-4) < int64(binary.BigEndian.Uint32(key)) {
		return k, fmt.Errorf("store %s: key: %w", u.keys.Store, errShort)
	}
	raw := key[4+binary.BigEndian.Uint32(key):]
	if k, err = serde.DecodeWith(u.keys.Primary, u.keys.primaryTopic, rec.Headers, raw); err != nil {
		return k, fmt.Errorf("key of a subscription: %w", notNull(err))
	}
	return k, nil
}
