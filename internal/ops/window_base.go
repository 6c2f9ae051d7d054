package ops

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// windowedPlan is what the plans of all aggregations in windows have in common.
type windowedPlan[K, V, A any] struct {
	store   string
	fold    Fold[K, V, A]
	onClose bool
	sendOld bool
}

// EnableOldValues implements dsl.TableSupplier.
func (p *windowedPlan[K, V, A]) EnableOldValues(bool) bool {
	p.sendOld = true
	return true
}

// windowUnit is what the units of aggregations in time and sliding windows have
// in common (Java: AbstractKStreamTimeWindowAggregateProcessor).
type windowUnit[K, V, A any] struct {
	processor.Out[window.Windowed[K], processor.Change[A]]
	plan    *windowedPlan[K, V, A]
	node    *processor.Node
	store   *windowStore[K, A]
	forward TupleForwarder[window.Windowed[K], A]
	// emission is nil unless results are sent when windows close.
	emission *emission
	// streamTime is the highest timestamp of the records that came here with a
	// key; it starts anew with the task.
	streamTime int64
}

// Init implements processor.Unit. Where results are sent when windows close,
// the cache's flushes are not heard.
func (u *windowUnit[K, V, A]) Init(n *processor.Node) (err error) {
	u.node, u.streamTime = n, noTime
	if u.store, err = openWindowStore[K, A](n, u.plan.store); err != nil {
		return err
	}
	if u.plan.onClose {
		u.emission = newEmission(n, u.plan.store)
		return nil
	}
	u.forward = NewTupleForwarder(u.store.store(), &u.Out, u.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (u *windowUnit[K, V, A]) Close() error { return nil }

// update puts the record into the aggregate of one window, which has if there
// is one, stores it and sends it on. What the initializer makes is also what is
// sent as the old value.
func (u *windowUnit[K, V, A]) update(rec processor.Record[K, V], w window.Span, row statestore.Timed[A], has bool) error {
	ts := rec.Timestamp
	if has {
		ts = max(ts, row.Timestamp)
	}
	c := processor.Change[A]{Old: row.Value, HasOld: has}
	var err error
	if c.New, c.HasNew, err = u.plan.fold.Add(rec, row.Value, has); err != nil {
		return fmt.Errorf("node %s: %w", u.node.Name(), err)
	}
	if err := u.store.put(rec.Key, statestore.Timed[A]{Value: c.New, Timestamp: ts}, c.HasNew, w.Start); err != nil {
		return err
	}
	return u.send(rec, w, c, ts)
}

// send forwards an update unless results wait for the window to close.
func (u *windowUnit[K, V, A]) send(rec processor.Record[K, V], w window.Span, c processor.Change[A], ts int64) error {
	if u.emission != nil {
		return nil
	}
	return u.forward.Forward(processor.Record[window.Windowed[K], processor.Change[A]]{
		Key: window.Windowed[K]{Key: rec.Key, Start: w.Start, End: w.End}, Value: c, Timestamp: ts, Headers: rec.Headers})
}

// emit sends the stored results of the windows that begin in a range, with
// the headers of the record at hand, and remembers the close time.
func (u *windowUnit[K, V, A]) emit(rec processor.Record[K, V], from, to, closeTime int64) error {
	for e, err := range u.store.all(from, to) {
		if err != nil {
			return err
		}
		if err := u.Forward(processor.Record[window.Windowed[K], processor.Change[A]]{Key: e.Key,
			Value:     processor.Change[A]{New: e.Value.Value, HasNew: true},
			Timestamp: e.Value.Timestamp, Headers: rec.Headers}); err != nil {
			return err
		}
	}
	u.emission.done(closeTime)
	return nil
}

// windowView reads a table of time or sliding windows.
func windowView[K, A any](store string) dsl.View[window.Windowed[K], A] {
	return dsl.View[window.Windowed[K], A]{Stores: []string{store},
		New: func() dsl.ValueGetter[window.Windowed[K], A] { return &windowGetter[K, A]{name: store} }}
}

type windowGetter[K, A any] struct {
	name  string
	store *windowStore[K, A]
}

// Init implements dsl.ValueGetter.
func (g *windowGetter[K, A]) Init(n *processor.Node) (err error) {
	g.store, err = openWindowStore[K, A](n, g.name)
	return err
}

// Get implements dsl.ValueGetter.
func (g *windowGetter[K, A]) Get(key window.Windowed[K]) (statestore.Timed[A], bool, error) {
	return g.store.fetch(key.Key, key.Start)
}

// GetAsOf implements dsl.ValueGetter.
func (g *windowGetter[K, A]) GetAsOf(window.Windowed[K], int64) (row statestore.Timed[A], ok bool, err error) {
	return row, false, notVersioned(g.name)
}

// Versioned implements dsl.ValueGetter.
func (g *windowGetter[K, A]) Versioned() bool { return false }

// Close implements dsl.ValueGetter.
func (g *windowGetter[K, A]) Close() error { return nil }

func notVersioned(store string) error {
	return fmt.Errorf("store %s is not versioned: it cannot be read as of a time", store)
}
