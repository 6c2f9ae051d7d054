package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
)

// ForeignKeyLookup answers a subscription from the right table (Java:
// SubscriptionJoinProcessorSupplier). An answer has the later timestamp of the
// two rows.
type ForeignKeyLookup[F, K, R any] struct{ Right dsl.View[F, R] }

// New makes the unit of a task.
func (l *ForeignKeyLookup[F, K, R]) New() (processor.Unit, error) {
	return &foreignKeyLookup[F, K, R]{right: l.Right.New()}, nil
}

type foreignKeyLookup[F, K, R any] struct {
	processor.Out[K, Response[R]]
	right dsl.ValueGetter[F, R]
}

// Init implements processor.Unit.
func (l *foreignKeyLookup[F, K, R]) Init(n *processor.Node) error { return l.right.Init(n) }

// Close implements processor.Unit.
func (l *foreignKeyLookup[F, K, R]) Close() error { return l.right.Close() }

// Receive implements processor.Receiver.
func (l *foreignKeyLookup[F, K, R]) Receive(rec processor.Record[CombinedKey[F, K], Subscription[K]]) error {
	sub := &rec.Value
	out := processor.Record[K, Response[R]]{Key: rec.Key.primary, Timestamp: rec.Timestamp, Headers: rec.Headers,
		Value: Response[R]{hash: sub.hash, partition: sub.partition, version: responseVersion}}
	has := false
	if rec.Key.hasForeign {
		row, found, err := l.right.Get(rec.Key.foreign)
		if err != nil {
			return err
		}
		if has = found; has {
			out.Value.value = row.Value
			out.Timestamp = max(rec.Timestamp, row.Timestamp)
		}
	}
	switch sub.instruction {
	case unsubscribe:
		return nil
	case unsubscribeAnswered:
		var none R
		out.Value.value = none
	case subscribe:
		if !has {
			return nil
		}
		out.Value.has = true
	case subscribeAnswered:
		out.Value.has = has
	}
	return l.Forward(out)
}
