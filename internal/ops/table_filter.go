package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// TableFilter keeps the rows of a table that a predicate takes; the others
// become deletions (Java: KTableFilter). If old values are at hand, a row that
// was not in the result and still is not sends nothing; otherwise a deletion is
// sent each time.
type TableFilter[K, V any] struct {
	parent    dsl.TableSupplier[K, V]
	keep      func(K, V) bool
	store     string
	sendOld   bool
	versioned bool
}

// NewTableFilter plans a filter of a table. store is empty for a result that is
// not materialised. The parent is asked for old values unless that would
// materialise it. The predicate is never called for a missing value.
func NewTableFilter[K, V any](parent dsl.TableSupplier[K, V], keep func(K, V) bool, store string) *TableFilter[K, V] {
	return &TableFilter[K, V]{parent: parent, keep: keep, store: store, sendOld: parent.EnableOldValues(false)}
}

// UseVersioned makes the filter send every deletion, as the result of a
// versioned table must (Java: setUseVersionedSemantics).
func (f *TableFilter[K, V]) UseVersioned(versioned bool) { f.versioned = versioned }

// EnableOldValues implements dsl.TableSupplier.
func (f *TableFilter[K, V]) EnableOldValues(force bool) bool {
	if f.store != "" || f.parent.EnableOldValues(force) {
		f.sendOld = true
	}
	return f.sendOld
}

// View implements dsl.TableSupplier.
func (f *TableFilter[K, V]) View() dsl.View[K, V] {
	if f.store != "" {
		return StoreView[K, V](f.store)
	}
	parent := f.parent.View()
	return dsl.View[K, V]{Stores: parent.Stores, New: func() dsl.ValueGetter[K, V] {
		return &filterGetter[K, V]{parent.New(), f.keep}
	}}
}

// New makes the unit of a task.
func (f *TableFilter[K, V]) New() (processor.Unit, error) { return &tableFilter[K, V]{plan: f}, nil }

type tableFilter[K, V any] struct {
	processor.Out[K, processor.Change[V]]
	plan    *TableFilter[K, V]
	store   *tableStore[K, V]
	forward TupleForwarder[K, V]
}

// Init implements processor.Unit.
func (f *tableFilter[K, V]) Init(n *processor.Node) (err error) {
	if f.plan.store == "" {
		return nil
	}
	if f.store, err = openStore[K, V](n, f.plan.store); err != nil {
		return err
	}
	f.forward = NewTupleForwarder(f.store.store(), &f.Out, f.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (f *tableFilter[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (f *tableFilter[K, V]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	in := &rec.Value
	c := processor.Change[V]{Stale: in.Stale}
	if in.HasNew && f.plan.keep(rec.Key, in.New) {
		c.New, c.HasNew = in.New, true
	}
	if err := f.old(&c, rec.Key, in); err != nil {
		return err
	}
	if f.plan.sendOld && !f.plan.versioned && !c.HasOld && !c.HasNew {
		return nil
	}
	if f.store == nil {
		return f.Forward(withChange(rec, c, rec.Timestamp))
	}
	stored, stale, err := f.store.put(rec.Key, c.New, c.HasNew, rec.Timestamp)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return f.forward.Forward(withChange(rec, c, rec.Timestamp))
}

// old fills in the old value: from the store if there is one, else by
// filtering the parent's.
func (f *tableFilter[K, V]) old(c *processor.Change[V], key K, in *processor.Change[V]) (err error) {
	switch {
	case !f.plan.sendOld:
	case f.store != nil:
		var row statestore.Timed[V]
		row, c.HasOld, err = f.store.get(key)
		c.Old = row.Value
	case in.HasOld && f.plan.keep(key, in.Old):
		c.Old, c.HasOld = in.Old, true
	}
	return err
}

// filterGetter reads a filter that is not materialised through its parent.
type filterGetter[K, V any] struct {
	dsl.ValueGetter[K, V]
	keep func(K, V) bool
}

// Get implements dsl.ValueGetter.
func (g *filterGetter[K, V]) Get(key K) (statestore.Timed[V], bool, error) {
	t, ok, err := g.ValueGetter.Get(key)
	return g.kept(key, t, ok, err)
}

// GetAsOf implements dsl.ValueGetter.
func (g *filterGetter[K, V]) GetAsOf(key K, time int64) (statestore.Timed[V], bool, error) {
	t, ok, err := g.ValueGetter.GetAsOf(key, time)
	return g.kept(key, t, ok, err)
}

func (g *filterGetter[K, V]) kept(key K, t statestore.Timed[V], ok bool, err error) (statestore.Timed[V], bool, error) {
	if err == nil && ok && g.keep(key, t.Value) {
		return t, true, nil
	}
	return statestore.Timed[V]{}, false, err
}
