package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// TableMapValues maps the values of a table (Java: KTableMapValues). It sends a
// change for each change of its parent, also if the mapped value is the same.
// The mapper is never called for a missing value; if it returns null, the row
// is deleted.
type TableMapValues[K, V, V2 any] struct {
	parent  dsl.TableSupplier[K, V]
	mapper  func(K, V) V2
	store   string
	sendOld bool
}

// NewTableMapValues plans the mapping of a table's values. store is empty for a
// result that is not materialised.
func NewTableMapValues[K, V, V2 any](parent dsl.TableSupplier[K, V], mapper func(K, V) V2, store string) *TableMapValues[K, V, V2] {
	return &TableMapValues[K, V, V2]{parent: parent, mapper: mapper, store: store}
}

// EnableOldValues implements dsl.TableSupplier.
func (m *TableMapValues[K, V, V2]) EnableOldValues(force bool) bool {
	if m.store != "" || m.parent.EnableOldValues(force) {
		m.sendOld = true
	}
	return m.sendOld
}

// View implements dsl.TableSupplier.
func (m *TableMapValues[K, V, V2]) View() dsl.View[K, V2] {
	if m.store != "" {
		return StoreView[K, V2](m.store)
	}
	parent := m.parent.View()
	return dsl.View[K, V2]{Stores: parent.Stores, New: func() dsl.ValueGetter[K, V2] {
		return &mapGetter[K, V, V2]{parent.New(), m.mapper, record.NullsOf[V2]()}
	}}
}

// New makes the unit of a task.
func (m *TableMapValues[K, V, V2]) New() (processor.Unit, error) {
	return &tableMapValues[K, V, V2]{plan: m, null: record.NullsOf[V2]()}, nil
}

type tableMapValues[K, V, V2 any] struct {
	processor.Out[K, processor.Change[V2]]
	plan    *TableMapValues[K, V, V2]
	null    record.Nulls[V2]
	store   *tableStore[K, V2]
	forward TupleForwarder[K, V2]
}

// Init implements processor.Unit.
func (m *tableMapValues[K, V, V2]) Init(n *processor.Node) (err error) {
	if m.plan.store == "" {
		return nil
	}
	if m.store, err = openStore[K, V2](n, m.plan.store); err != nil {
		return err
	}
	m.forward = NewTupleForwarder(m.store.store(), &m.Out, m.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (m *tableMapValues[K, V, V2]) Close() error { return nil }

// Receive implements processor.Receiver.
func (m *tableMapValues[K, V, V2]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	in := &rec.Value
	c := processor.Change[V2]{Stale: in.Stale}
	if in.HasNew {
		c.New = m.plan.mapper(rec.Key, in.New)
		c.HasNew = !m.null.Is(&c.New)
	}
	if err := m.old(&c, rec.Key, in); err != nil {
		return err
	}
	if m.store == nil {
		return m.Forward(withChange(rec, c, rec.Timestamp))
	}
	stored, stale, err := m.store.put(rec.Key, c.New, c.HasNew, rec.Timestamp)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return m.forward.Forward(withChange(rec, c, rec.Timestamp))
}

// old fills in the old value: from the store if there is one, else by mapping
// the parent's.
func (m *tableMapValues[K, V, V2]) old(c *processor.Change[V2], key K, in *processor.Change[V]) (err error) {
	switch {
	case !m.plan.sendOld:
	case m.store != nil:
		var row statestore.Timed[V2]
		row, c.HasOld, err = m.store.get(key)
		c.Old = row.Value
	case in.HasOld:
		c.Old = m.plan.mapper(key, in.Old)
		c.HasOld = !m.null.Is(&c.Old)
	}
	return err
}

// mapGetter reads mapped values that are not materialised through the parent.
type mapGetter[K, V, V2 any] struct {
	parent dsl.ValueGetter[K, V]
	mapper func(K, V) V2
	null   record.Nulls[V2]
}

// Init implements dsl.ValueGetter.
func (g *mapGetter[K, V, V2]) Init(n *processor.Node) error { return g.parent.Init(n) }

// Get implements dsl.ValueGetter.
func (g *mapGetter[K, V, V2]) Get(key K) (statestore.Timed[V2], bool, error) {
	t, ok, err := g.parent.Get(key)
	return g.mapped(key, t, ok, err)
}

// GetAsOf implements dsl.ValueGetter.
func (g *mapGetter[K, V, V2]) GetAsOf(key K, time int64) (statestore.Timed[V2], bool, error) {
	t, ok, err := g.parent.GetAsOf(key, time)
	return g.mapped(key, t, ok, err)
}

// Versioned implements dsl.ValueGetter.
func (g *mapGetter[K, V, V2]) Versioned() bool { return g.parent.Versioned() }

// Close implements dsl.ValueGetter.
func (g *mapGetter[K, V, V2]) Close() error { return g.parent.Close() }

func (g *mapGetter[K, V, V2]) mapped(key K, t statestore.Timed[V], ok bool, err error) (row statestore.Timed[V2], _ bool, _ error) {
	if err != nil || !ok {
		return row, false, err
	}
	row.Value, row.Timestamp = g.mapper(key, t.Value), t.Timestamp
	return row, !g.null.Is(&row.Value), nil
}
