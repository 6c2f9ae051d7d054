package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// TableReduce combines the rows of a regrouped table for each key (Java:
// KTableReduce): the old value is taken out first, then the new one put in. A
// new value with nothing to add it to is taken as it is. A null result deletes.
type TableReduce[K, V any] struct {
	store    string
	add, sub func(V, V) V
	sendOld  bool
}

// NewTableReduce plans a reduction that keeps its results in the store. Both
// functions get the result so far and then the value.
func NewTableReduce[K, V any](store string, add, sub func(V, V) V) *TableReduce[K, V] {
	return &TableReduce[K, V]{store: store, add: add, sub: sub}
}

// EnableOldValues implements dsl.TableSupplier.
func (r *TableReduce[K, V]) EnableOldValues(bool) bool {
	r.sendOld = true
	return true
}

// View implements dsl.TableSupplier.
func (r *TableReduce[K, V]) View() dsl.View[K, V] { return StoreView[K, V](r.store) }

// New makes the unit of a task.
func (r *TableReduce[K, V]) New() (processor.Unit, error) {
	return &tableReduce[K, V]{plan: r, null: record.NullsOf[V]()}, nil
}

type tableReduce[K, V any] struct {
	processor.Out[K, processor.Change[V]]
	plan    *TableReduce[K, V]
	null    record.Nulls[V]
	store   *tableStore[K, V]
	forward TupleForwarder[K, V]
}

// Init implements processor.Unit.
func (r *tableReduce[K, V]) Init(n *processor.Node) (err error) {
	if r.store, err = openStore[K, V](n, r.plan.store); err != nil {
		return err
	}
	r.forward = NewTupleForwarder(r.store.store(), &r.Out, r.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (r *tableReduce[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (r *tableReduce[K, V]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	if rec.KeyNull {
		return nullGroupKey("reduce", r.plan.store)
	}
	row, hasOld, err := r.store.get(rec.Key)
	if err != nil {
		return err
	}
	in, ts := &rec.Value, rec.Timestamp
	c := processor.Change[V]{Old: row.Value, HasOld: hasOld, New: row.Value, HasNew: hasOld}
	if in.HasOld && hasOld {
		c.New = r.plan.sub(row.Value, in.Old)
		c.HasNew = !r.null.Is(&c.New)
		ts = max(ts, row.Timestamp)
	}
	switch {
	case in.HasNew && c.HasNew:
		c.New = r.plan.add(c.New, in.New)
		c.HasNew = !r.null.Is(&c.New)
		ts = max(ts, row.Timestamp)
	case in.HasNew:
		c.New, c.HasNew = in.New, true
	}
	stored, stale, err := r.store.put(rec.Key, c.New, c.HasNew, ts)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return r.forward.Forward(withChange(rec, c, ts))
}
