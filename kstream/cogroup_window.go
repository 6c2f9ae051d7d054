package kstream

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// TimeWindowedCogrouped is a [Cogrouped] in time or sliding windows (Java:
// TimeWindowedCogroupedKStream). As in Java it cannot wait for windows to close.
type TimeWindowedCogrouped[K, A any] struct{ core *windowedCogroup[K, A] }

// SessionWindowedCogrouped is a [Cogrouped] in sessions (Java:
// SessionWindowedCogroupedKStream).
type SessionWindowedCogrouped[K, A any] struct{ core *windowedCogroup[K, A] }

type windowedCogroup[K, A any] struct {
	streams *cogroup[K, A]
	windows ops.Windowing
}

// WindowedBy aggregates in windows as [Grouped.WindowedBy] does.
func (c Cogrouped[K, A]) WindowedBy(w window.Windows) TimeWindowedCogrouped[K, A] {
	const op = "WindowedBy"
	core := c.use(op)
	if w == nil {
		core.graph.Fail(op, dsl.Errorf(dsl.KindNull, "the windows are nil"))
		w = window.Unlimited()
	}
	checkWindows(core.graph, op, w.Err())
	return TimeWindowedCogrouped[K, A]{&windowedCogroup[K, A]{core, ops.Windowing{Time: w}}}
}

// WindowedBySliding aggregates in windows as [Grouped.WindowedBySliding] does.
func (c Cogrouped[K, A]) WindowedBySliding(w window.Sliding) TimeWindowedCogrouped[K, A] {
	const op = "WindowedBySliding"
	core := c.use(op)
	checkWindows(core.graph, op, w.Err())
	return TimeWindowedCogrouped[K, A]{&windowedCogroup[K, A]{core, ops.Windowing{Sliding: &w}}}
}

// WindowedBySession aggregates in sessions as [Grouped.WindowedBySession] does.
func (c Cogrouped[K, A]) WindowedBySession(w window.Session) SessionWindowedCogrouped[K, A] {
	const op = "WindowedBySession"
	core := c.use(op)
	checkWindows(core.graph, op, w.Err())
	return SessionWindowedCogrouped[K, A]{&windowedCogroup[K, A]{core, ops.Windowing{Session: &w}}}
}

// Aggregate makes the table: the aggregate of each key and window begins with
// init's result.
func (c TimeWindowedCogrouped[K, A]) Aggregate(init func() A, opts ...with.Aggregation) ktable.Table[window.Windowed[K], A] {
	const op = "Aggregate"
	core := useWindowedCogroup(c.core, op, "TimeWindowedCogrouped")
	need(core.streams.graph, op, init == nil)
	return core.aggregate(op, init, nil, opts)
}

// Aggregate makes the table: the aggregate of each session begins with init's
// result; merge combines two sessions that have become one, see
// [AggregateSessions].
func (c SessionWindowedCogrouped[K, A]) Aggregate(init func() A, merge func(K, A, A) A, opts ...with.Aggregation) ktable.Table[window.Windowed[K], A] {
	const op = "Aggregate"
	core := useWindowedCogroup(c.core, op, "SessionWindowedCogrouped")
	need(core.streams.graph, op, init == nil || merge == nil)
	return core.aggregate(op, init, merge, opts)
}

func useWindowedCogroup[K, A any](c *windowedCogroup[K, A], op, kind string) *windowedCogroup[K, A] {
	if c == nil {
		panic(fmt.Sprintf("%s: kstream.%s on the zero %s[%T, %T]", dsl.Caller(), op, kind, *new(K), *new(A)))
	}
	return c
}

func (c *windowedCogroup[K, A]) aggregate(op string, init func() A, merge func(K, A, A) A, opts []with.Aggregation) ktable.Table[window.Windowed[K], A] {
	g := c.streams.graph
	o := dsl.Collect(g, op, opts, with.Aggregation.ForAggregation)
	m := dsl.Materialize[K, A](g, op, o, dsl.PrefixCogroup)
	checkRetention(g, op, &c.windows, m)
	store := ops.NewWindowedStore(m, &c.windows)
	t := &dsl.Table[window.Windowed[K], A]{Key: store.Key(g.Lax != nil), Value: m.Value, Store: m.QueryableName()}
	return ktable.FromCore(cogrouped(c.streams, o, m.Name, m.Queryable, t,
		func(in cogroupInput[K, A]) tablePlan[window.Windowed[K], A] {
			return in.windowedPlan(m.Name, &c.windows, init, merge)
		}, func(name string, plan ops.Plan) *dsl.Node {
			n := store.Node(name, plan)
			n.Output = dsl.Inherited // in Java nothing is said of it here
			return n
		}))
}
