package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// StreamAggregate folds the records of each key into an aggregate (Java:
// KStreamAggregate). Records with a null key or value are dropped. The
// aggregate's timestamp is the highest of the records in it; an aggregator that
// returns null deletes the row, after which the next record starts anew.
type StreamAggregate[K, V, A any] struct {
	store   string
	init    func() A
	add     func(K, V, A) A
	sendOld bool
}

// NewStreamAggregate plans an aggregation that keeps its results in the store.
func NewStreamAggregate[K, V, A any](store string, init func() A, add func(K, V, A) A) *StreamAggregate[K, V, A] {
	return &StreamAggregate[K, V, A]{store: store, init: init, add: add}
}

// EnableOldValues implements dsl.TableSupplier.
func (a *StreamAggregate[K, V, A]) EnableOldValues(bool) bool {
	a.sendOld = true
	return true
}

// View implements dsl.TableSupplier.
func (a *StreamAggregate[K, V, A]) View() dsl.View[K, A] { return StoreView[K, A](a.store) }

// New makes the unit of a task.
func (a *StreamAggregate[K, V, A]) New() (processor.Unit, error) {
	return &streamAggregate[K, V, A]{plan: a, null: record.NullsOf[A]()}, nil
}

type streamAggregate[K, V, A any] struct {
	processor.Out[K, processor.Change[A]]
	plan    *StreamAggregate[K, V, A]
	null    record.Nulls[A]
	node    *processor.Node
	store   *tableStore[K, A]
	forward TupleForwarder[K, A]
}

// Init implements processor.Unit.
func (a *streamAggregate[K, V, A]) Init(n *processor.Node) (err error) {
	a.node = n
	if a.store, err = openStore[K, A](n, a.plan.store); err != nil {
		return err
	}
	a.forward = NewTupleForwarder(a.store.store(), &a.Out, a.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (a *streamAggregate[K, V, A]) Close() error { return nil }

// Receive implements processor.Receiver.
func (a *streamAggregate[K, V, A]) Receive(rec processor.Record[K, V]) error {
	if rec.KeyNull || rec.ValueNull {
		a.node.Host().Dropped()
		return nil
	}
	row, ok, err := a.store.get(rec.Key)
	if err != nil {
		return err
	}
	old, ts := row.Value, max(row.Timestamp, rec.Timestamp)
	if !ok {
		// What the initializer made is also what is sent as the old value.
		old, ts = a.plan.init(), rec.Timestamp
	}
	c := processor.Change[A]{Old: old, HasOld: !a.null.Is(&old)}
	c.New = a.plan.add(rec.Key, rec.Value, old)
	c.HasNew = !a.null.Is(&c.New)
	stored, stale, err := a.store.put(rec.Key, c.New, c.HasNew, ts)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return a.forward.Forward(withChange(rec, c, ts))
}
