package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// StreamReduce combines the values of each key (Java: KStreamReduce). The first
// value is taken as it is. Records with a null key or value are dropped; a
// reducer that returns null deletes the row.
type StreamReduce[K, V any] struct {
	store   string
	reduce  func(V, V) V
	sendOld bool
}

// NewStreamReduce plans a reduction that keeps its results in the store. The
// reducer gets the result so far and the new value.
func NewStreamReduce[K, V any](store string, reduce func(V, V) V) *StreamReduce[K, V] {
	return &StreamReduce[K, V]{store: store, reduce: reduce}
}

// EnableOldValues implements dsl.TableSupplier.
func (r *StreamReduce[K, V]) EnableOldValues(bool) bool {
	r.sendOld = true
	return true
}

// View implements dsl.TableSupplier.
func (r *StreamReduce[K, V]) View() dsl.View[K, V] { return StoreView[K, V](r.store) }

// New makes the unit of a task.
func (r *StreamReduce[K, V]) New() (processor.Unit, error) {
	return &streamReduce[K, V]{plan: r, null: record.NullsOf[V]()}, nil
}

type streamReduce[K, V any] struct {
	processor.Out[K, processor.Change[V]]
	plan    *StreamReduce[K, V]
	null    record.Nulls[V]
	node    *processor.Node
	store   *tableStore[K, V]
	forward TupleForwarder[K, V]
}

// Init implements processor.Unit.
func (r *streamReduce[K, V]) Init(n *processor.Node) (err error) {
	r.node = n
	if r.store, err = openStore[K, V](n, r.plan.store); err != nil {
		return err
	}
	r.forward = NewTupleForwarder(r.store.store(), &r.Out, r.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (r *streamReduce[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (r *streamReduce[K, V]) Receive(rec processor.Record[K, V]) error {
	if rec.KeyNull || rec.ValueNull {
		r.node.Host().Dropped()
		return nil
	}
	row, ok, err := r.store.get(rec.Key)
	if err != nil {
		return err
	}
	c := processor.Change[V]{New: rec.Value, HasNew: true, Old: row.Value, HasOld: ok}
	ts := rec.Timestamp
	if ok {
		c.New = r.plan.reduce(row.Value, rec.Value)
		c.HasNew = !r.null.Is(&c.New)
		ts = max(ts, row.Timestamp)
	}
	stored, stale, err := r.store.put(rec.Key, c.New, c.HasNew, ts)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return r.forward.Forward(withChange(rec, c, ts))
}
