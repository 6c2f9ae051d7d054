package kstream

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// TimeWindowed is a grouped stream whose records are aggregated by key and by
// time or sliding window (Java: TimeWindowedKStream). [Count], [Reduce] and
// [Aggregate] make tables over window.Windowed[K] of it.
type TimeWindowed[K, V any] struct{ core *windowed[K, V] }

// SessionWindowed is a grouped stream whose records are aggregated by key and
// session (Java: SessionWindowedKStream). [Count], [Reduce] and
// [AggregateSessions] make tables over window.Windowed[K] of it.
type SessionWindowed[K, V any] struct{ core *windowed[K, V] }

type windowed[K, V any] struct {
	group   *group[K, V]
	windows ops.Windowing
}

// WindowedBy aggregates in windows that lie in time without regard to the
// records: window.Tumbling, window.Hopping or window.Unlimited. A record is in
// every window that holds its timestamp; windows that have closed take none
// anymore. Unlike elsewhere, records with a null value are aggregated.
func (g Grouped[K, V]) WindowedBy(w window.Windows) TimeWindowed[K, V] {
	const op = "WindowedBy"
	c := g.use(op)
	if w == nil {
		c.Graph.Fail(op, dsl.Errorf(dsl.KindNull, "the windows are nil"))
		w = window.Unlimited()
	}
	checkWindows(c.Graph, op, w.Err())
	return TimeWindowed[K, V]{&windowed[K, V]{c, ops.Windowing{Time: w}}}
}

// WindowedBySliding aggregates in windows that follow the records: for each one
// the window that ends with it and the one that begins right behind it, if that
// has records. Records with a null value are dropped.
func (g Grouped[K, V]) WindowedBySliding(w window.Sliding) TimeWindowed[K, V] {
	const op = "WindowedBySliding"
	c := g.use(op)
	checkWindows(c.Graph, op, w.Err())
	return TimeWindowed[K, V]{&windowed[K, V]{c, ops.Windowing{Sliding: &w}}}
}

// WindowedBySession aggregates in sessions, which end when no record came for a
// while. A record that connects sessions merges them: each of them is deleted
// from the table. Unlike elsewhere, records with a null value are aggregated.
func (g Grouped[K, V]) WindowedBySession(w window.Session) SessionWindowed[K, V] {
	const op = "WindowedBySession"
	c := g.use(op)
	checkWindows(c.Graph, op, w.Err())
	return SessionWindowed[K, V]{&windowed[K, V]{c, ops.Windowing{Session: &w}}}
}

func checkWindows(g *dsl.Graph, op string, err error) {
	if err != nil {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, "%w", err))
	}
}

// EmitOnClose sends the result of a window once, when it has closed, instead of
// each update (Java: EmitStrategy.onWindowClose, KIP-825). Windows without an
// end never close, so it is an error for them.
func (w TimeWindowed[K, V]) EmitOnClose() TimeWindowed[K, V] {
	const op = "EmitOnClose"
	c := *w.use(op)
	c.windows.OnClose = true
	switch t := c.windows.Time.(type) {
	case nil, window.Time:
	case window.Endless:
		c.group.Graph.Fail(op, dsl.Errorf(dsl.KindArgument, "ON_WINDOW_CLOSE emit strategy cannot be used for UnlimitedWindows"))
	default:
		c.group.Graph.Fail(op, dsl.Errorf(dsl.KindArgument,
			"ON_WINDOW_CLOSE strategy is only supported for TimeWindows and SlidingWindows for TimeWindowedKStream, not for %T", t))
	}
	return TimeWindowed[K, V]{&c}
}

// EmitOnClose sends the result of a session once, when it has closed, instead of
// each update.
func (w SessionWindowed[K, V]) EmitOnClose() SessionWindowed[K, V] {
	c := *w.use("EmitOnClose")
	c.windows.OnClose = true
	return SessionWindowed[K, V]{&c}
}

// AggregateSessions folds the values of each session into an aggregate that
// begins with init's result; merge combines two sessions that have become one,
// the earlier result on the left. What init made for the new record is merged
// with the sessions it connects before add puts the record's value in. A null
// aggregate deletes the row.
func AggregateSessions[K, V, A any](w SessionWindowed[K, V], init func() A, add func(K, V, A) A, merge func(K, A, A) A,
	opts ...with.Aggregation) ktable.Table[window.Windowed[K], A] {
	const op = "AggregateSessions"
	a := w.aggregation(op)
	o := dsl.Collect(a.group.Graph, op, opts, with.Aggregation.ForAggregation)
	need(a.group.Graph, op, init == nil || add == nil || merge == nil)
	m := materialize[A](a, op, o, dsl.PrefixAggregate)
	name := a.group.Graph.Name(dsl.PrefixAggregate, o.Name)
	return addWindowed(a.group, op, name, m, a.windows, ops.Aggregating(init, add, merge))
}

func (w TimeWindowed[K, V]) use(op string) *windowed[K, V] {
	return useWindowed(w.core, op, "TimeWindowed")
}

func (w SessionWindowed[K, V]) use(op string) *windowed[K, V] {
	return useWindowed(w.core, op, "SessionWindowed")
}

func useWindowed[K, V any](c *windowed[K, V], op, kind string) *windowed[K, V] {
	if c == nil {
		panic(fmt.Sprintf("%s: kstream.%s on the zero %s[%T, %T]", dsl.Caller(), op, kind, *new(K), *new(V)))
	}
	return c
}

func (w TimeWindowed[K, V]) aggregation(op string) aggregation[K, V, window.Windowed[K]] {
	return w.use(op).aggregation()
}

func (w TimeWindowed[K, V]) mergeless() {}

func (w SessionWindowed[K, V]) aggregation(op string) aggregation[K, V, window.Windowed[K]] {
	return w.use(op).aggregation()
}

func (c *windowed[K, V]) aggregation() aggregation[K, V, window.Windowed[K]] {
	return aggregation[K, V, window.Windowed[K]]{group: c.group, windows: &c.windows}
}

// addWindowed is addTable for aggregations in windows.
func addWindowed[K, V, A any](g *group[K, V], op, name string, m *dsl.Materialized[K, A], w *ops.Windowing, fold ops.Fold[K, V, A]) ktable.Table[window.Windowed[K], A] {
	checkRetention(g.Graph, op, w, m)
	plan := ops.NewWindowedPlan(m.Name, w, fold)
	store := ops.NewWindowedStore(m, w)
	n := store.Node(name, plan)
	sources := g.below(n, m.Name, m.Queryable)
	return ktable.FromCore(&dsl.Table[window.Windowed[K], A]{Base: dsl.Base{Graph: g.Graph, Node: n, Name: name, Sources: sources},
		Key: store.Key(g.Graph.Lax != nil), Value: m.Value, Store: m.QueryableName(), Supplier: plan})
}

// checkRetention reports too short a retention with the line of the
// aggregation.
func checkRetention[K, A any](g *dsl.Graph, op string, w *ops.Windowing, m *dsl.Materialized[K, A]) {
	if _, err := ops.RetentionMs(w, m); err != nil && !g.Failed() {
		g.Fail(op, err)
	}
}
