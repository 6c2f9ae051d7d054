package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// TableTransform gives the rows of a table new values with a transformer of the
// user's (Java: KTableTransformValues), which is called for deletions too. It
// sends a change for each change of its parent.
type TableTransform[K, V, V2 any] struct {
	parent  dsl.TableSupplier[K, V]
	newT    func() processor.ValueTransformer[K, V, V2]
	store   string
	sendOld bool
}

// NewTableTransform plans the transformation of a table's values. store is
// empty for a result that is not materialised; whoever reads that has a
// transformer of his own.
func NewTableTransform[K, V, V2 any](parent dsl.TableSupplier[K, V], newT func() processor.ValueTransformer[K, V, V2], store string) *TableTransform[K, V, V2] {
	return &TableTransform[K, V, V2]{parent: parent, newT: newT, store: store}
}

// EnableOldValues implements dsl.TableSupplier.
func (t *TableTransform[K, V, V2]) EnableOldValues(force bool) bool {
	if t.store != "" || t.parent.EnableOldValues(force) {
		t.sendOld = true
	}
	return t.sendOld
}

// View implements dsl.TableSupplier.
func (t *TableTransform[K, V, V2]) View() dsl.View[K, V2] {
	if t.store != "" {
		return StoreView[K, V2](t.store)
	}
	parent := t.parent.View()
	return dsl.View[K, V2]{Stores: parent.Stores, New: func() dsl.ValueGetter[K, V2] {
		return &transformGetter[K, V, V2]{parent: parent.New(), transformer: t.newT(), null: record.NullsOf[V2]()}
	}}
}

// New makes the unit of a task.
func (t *TableTransform[K, V, V2]) New() (processor.Unit, error) {
	return &tableTransform[K, V, V2]{plan: t, transformer: t.newT(), null: record.NullsOf[V2]()}, nil
}

type tableTransform[K, V, V2 any] struct {
	processor.Out[K, processor.Change[V2]]
	plan        *TableTransform[K, V, V2]
	transformer processor.ValueTransformer[K, V, V2]
	null        record.Nulls[V2]
	store       *tableStore[K, V2]
	forward     TupleForwarder[K, V2]
}

// Init implements processor.Unit.
func (t *tableTransform[K, V, V2]) Init(n *processor.Node) (err error) {
	if err := t.transformer.Init(processor.NewValueContext(n)); err != nil {
		return err
	}
	if t.plan.store == "" {
		return nil
	}
	if t.store, err = openStore[K, V2](n, t.plan.store); err != nil {
		return err
	}
	t.forward = NewTupleForwarder(t.store.store(), &t.Out, t.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (t *tableTransform[K, V, V2]) Close() error { return t.transformer.Close() }

// Receive implements processor.Receiver.
func (t *tableTransform[K, V, V2]) Receive(rec processor.Record[K, processor.Change[V]]) (err error) {
	in := &rec.Value
	c := processor.Change[V2]{Stale: in.Stale}
	if c.New, c.HasNew, err = t.value(rec.Key, in.New, in.HasNew); err != nil {
		return err
	}
	if err := t.old(&c, rec.Key, in); err != nil {
		return err
	}
	if t.store == nil {
		return t.Forward(withChange(rec, c, rec.Timestamp))
	}
	stored, stale, err := t.store.put(rec.Key, c.New, c.HasNew, rec.Timestamp)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return t.forward.Forward(withChange(rec, c, rec.Timestamp))
}

func (t *tableTransform[K, V, V2]) value(key K, v V, has bool) (out V2, hasOut bool, err error) {
	out, err = t.transformer.Transform(key, v, has)
	return out, err == nil && !t.null.Is(&out), err
}

// old fills in the old value: from the store if there is one, else by
// transforming the parent's.
func (t *tableTransform[K, V, V2]) old(c *processor.Change[V2], key K, in *processor.Change[V]) (err error) {
	switch {
	case !t.plan.sendOld:
	case t.store != nil:
		var row statestore.Timed[V2]
		row, c.HasOld, err = t.store.get(key)
		c.Old = row.Value
	default:
		c.Old, c.HasOld, err = t.value(key, in.Old, in.HasOld)
	}
	return err
}

// transformGetter reads transformed values that are not materialised through
// the parent.
type transformGetter[K, V, V2 any] struct {
	parent      dsl.ValueGetter[K, V]
	transformer processor.ValueTransformer[K, V, V2]
	null        record.Nulls[V2]
	host        processor.Host
}

// Init implements dsl.ValueGetter.
func (g *transformGetter[K, V, V2]) Init(n *processor.Node) error {
	g.host = n.Host()
	if err := g.parent.Init(n); err != nil {
		return err
	}
	return g.transformer.Init(processor.NewValueContext(n))
}

// Get implements dsl.ValueGetter.
func (g *transformGetter[K, V, V2]) Get(key K) (statestore.Timed[V2], bool, error) {
	t, ok, err := g.parent.Get(key)
	return g.transformed(key, t, ok, err)
}

// GetAsOf implements dsl.ValueGetter.
func (g *transformGetter[K, V, V2]) GetAsOf(key K, time int64) (statestore.Timed[V2], bool, error) {
	t, ok, err := g.parent.GetAsOf(key, time)
	return g.transformed(key, t, ok, err)
}

// Versioned implements dsl.ValueGetter.
func (g *transformGetter[K, V, V2]) Versioned() bool { return g.parent.Versioned() }

// Close implements dsl.ValueGetter.
func (g *transformGetter[K, V, V2]) Close() error {
	err := g.parent.Close()
	if second := g.transformer.Close(); err == nil {
		err = second
	}
	return err
}

// transformed calls the transformer under the row's own context: of the record
// that made it only the timestamp is known.
func (g *transformGetter[K, V, V2]) transformed(key K, t statestore.Timed[V], ok bool, err error) (row statestore.Timed[V2], _ bool, _ error) {
	if err != nil {
		return row, false, err
	}
	row.Timestamp = -1
	if ok {
		row.Timestamp = t.Timestamp
	}
	current := g.host.RecordContext()
	g.host.SetRecordContext(&record.Context{Partition: -1, Offset: -1, Timestamp: row.Timestamp, Headers: &record.Headers{}})
	row.Value, err = g.transformer.Transform(key, t.Value, ok)
	g.host.SetRecordContext(current)
	if err != nil {
		return statestore.Timed[V2]{}, false, err
	}
	return row, !g.null.Is(&row.Value), nil
}
