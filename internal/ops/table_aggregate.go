package ops

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// TableAggregate folds the rows of a regrouped table into an aggregate for each
// key (Java: KTableAggregate): the old value is taken out first, then the new
// one put in. The initializer runs when a value is put in and there is no
// aggregate; the subtractor only if there is one. A null result deletes.
type TableAggregate[K, V, A any] struct {
	store    string
	init     func() A
	add, sub func(K, V, A) A
	sendOld  bool
}

// NewTableAggregate plans an aggregation that keeps its results in the store.
func NewTableAggregate[K, V, A any](store string, init func() A, add, sub func(K, V, A) A) *TableAggregate[K, V, A] {
	return &TableAggregate[K, V, A]{store: store, init: init, add: add, sub: sub}
}

// EnableOldValues implements dsl.TableSupplier.
func (a *TableAggregate[K, V, A]) EnableOldValues(bool) bool {
	a.sendOld = true
	return true
}

// View implements dsl.TableSupplier.
func (a *TableAggregate[K, V, A]) View() dsl.View[K, A] { return StoreView[K, A](a.store) }

// New makes the unit of a task.
func (a *TableAggregate[K, V, A]) New() (processor.Unit, error) {
	return &tableAggregate[K, V, A]{plan: a, null: record.NullsOf[A]()}, nil
}

type tableAggregate[K, V, A any] struct {
	processor.Out[K, processor.Change[A]]
	plan    *TableAggregate[K, V, A]
	null    record.Nulls[A]
	store   *tableStore[K, A]
	forward TupleForwarder[K, A]
}

// Init implements processor.Unit.
func (a *tableAggregate[K, V, A]) Init(n *processor.Node) (err error) {
	if a.store, err = openStore[K, A](n, a.plan.store); err != nil {
		return err
	}
	a.forward = NewTupleForwarder(a.store.store(), &a.Out, a.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (a *tableAggregate[K, V, A]) Close() error { return nil }

// Receive implements processor.Receiver.
func (a *tableAggregate[K, V, A]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	if rec.KeyNull {
		return nullGroupKey("aggregate", a.plan.store)
	}
	row, hasOld, err := a.store.get(rec.Key)
	if err != nil {
		return err
	}
	in, ts := &rec.Value, rec.Timestamp
	c := processor.Change[A]{Old: row.Value, HasOld: hasOld, New: row.Value, HasNew: hasOld}
	if in.HasOld && hasOld {
		c.New = a.plan.sub(rec.Key, in.Old, c.New)
		c.HasNew = !a.null.Is(&c.New)
		ts = max(ts, row.Timestamp)
	}
	if in.HasNew {
		if !c.HasNew {
			c.New = a.plan.init()
		}
		c.New = a.plan.add(rec.Key, in.New, c.New)
		c.HasNew = !a.null.Is(&c.New)
		if hasOld {
			ts = max(ts, row.Timestamp)
		}
	}
	stored, stale, err := a.store.put(rec.Key, c.New, c.HasNew, ts)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return a.forward.Forward(withChange(rec, c, ts))
}

func nullGroupKey(operator, store string) error {
	return &processor.StreamsError{Msg: fmt.Sprintf("Record key for KTable %s operator with state %s should not be null.", operator, store)}
}
