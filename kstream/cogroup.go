package kstream

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// Cogrouped is several grouped streams that are aggregated into one table, each
// by a function of its own (Java: CogroupedKStream).
type Cogrouped[K, A any] struct{ core *cogroup[K, A] }

type cogroup[K, A any] struct {
	graph  *dsl.Graph
	inputs []cogroupInput[K, A]
	// repartitions are what aggregations of these groupings have put in front
	// of them, by grouping; later aggregations share them.
	repartitions map[any]*dsl.Node
}

// cogroupInput is one of the grouped streams, whose value type is its own.
type cogroupInput[K, A any] interface {
	// grouping is the identity of the grouped stream.
	grouping() any
	base() *dsl.Base
	// repartition makes the node of the repartition that is needed, nil if none
	// is.
	repartition(store string, named bool) *dsl.Node
	plan(store string, init func() A) tablePlan[K, A]
	windowedPlan(store string, w *ops.Windowing, init func() A, merge func(K, A, A) A) tablePlan[window.Windowed[K], A]
}

// Cogroup begins an aggregation of several grouped streams into one table: f
// puts a value of this one into the aggregate.
func Cogroup[K, V, A any](g Grouped[K, V], f func(K, V, A) A) Cogrouped[K, A] {
	const op = "Cogroup"
	c := g.use(op)
	need(c.Graph, op, f == nil)
	return Cogrouped[K, A]{&cogroup[K, A]{graph: c.Graph, inputs: []cogroupInput[K, A]{&cogroupedStream[K, V, A]{c, f}},
		repartitions: map[any]*dsl.Node{}}}
}

// And adds a grouped stream to the aggregation, by a function of its own. A
// grouped stream that is there already gets the new function (Java:
// CogroupedKStream.cogroup).
func And[K, V, A any](c Cogrouped[K, A], g Grouped[K, V], f func(K, V, A) A) Cogrouped[K, A] {
	const op = "And"
	old := c.use(op)
	next := &cogroup[K, A]{graph: old.graph, inputs: slices.Clone(old.inputs), repartitions: old.repartitions}
	in := &cogroupedStream[K, V, A]{g.use(op), f}
	need(old.graph, op, f == nil)
	sameGraph(old.graph, in.group.Graph, op)
	for i, have := range next.inputs {
		if have.grouping() == in.grouping() {
			next.inputs[i] = in
			return Cogrouped[K, A]{next}
		}
	}
	next.inputs = append(next.inputs, in)
	return Cogrouped[K, A]{next}
}

func (c Cogrouped[K, A]) use(op string) *cogroup[K, A] {
	if c.core == nil {
		panic(fmt.Sprintf("%s: kstream.%s on the zero Cogrouped[%T, %T]", dsl.Caller(), op, *new(K), *new(A)))
	}
	return c.core
}

// Aggregate makes the table: the aggregate of each key begins with init's
// result. Records with a null key or value are dropped; a null aggregate deletes
// the row. Serdes of key and aggregate are those given or registered.
func (c Cogrouped[K, A]) Aggregate(init func() A, opts ...with.Aggregation) ktable.Table[K, A] {
	const op = "Aggregate"
	core, o := c.options(op, opts)
	need(core.graph, op, init == nil)
	m := dsl.Materialize[K, A](core.graph, op, o, dsl.PrefixCogroup)
	store := cogroupStore[K, A]{m: m}
	return ktable.FromCore(cogrouped(core, o, m.Name, m.Queryable, &dsl.Table[K, A]{Key: m.Key, Value: m.Value, Store: m.QueryableName()},
		func(in cogroupInput[K, A]) tablePlan[K, A] { return in.plan(m.Name, init) }, store.node))
}

// cogroupStore is the store that the nodes of an aggregation share.
type cogroupStore[K, A any] struct {
	m        *dsl.Materialized[K, A]
	builders []statestore.Builder
}

func (s *cogroupStore[K, A]) node(name string, plan ops.Plan) *dsl.Node {
	var n *dsl.Node
	n = dsl.NewProcessor(name, dsl.Processor{New: plan.New, Stores: func() ([]statestore.Builder, error) {
		if s.builders != nil {
			return s.builders, nil
		}
		b, err := ops.StoreBuilder(n, s.m)
		if err != nil {
			return nil, err
		}
		s.builders = []statestore.Builder{b}
		return s.builders, nil
	}})
	n.Output = ops.Output(s.m)
	return n
}

func (c Cogrouped[K, A]) options(op string, opts []with.Aggregation) (*cogroup[K, A], *dsl.Options) {
	core := c.use(op)
	return core, dsl.Collect(core.graph, op, opts, with.Aggregation.ForAggregation)
}

// cogrouped adds an aggregation: repartitions where they are needed, a node for
// each input, and one that sends on what they send. It completes the table,
// which holds the serdes and the store's name.
func cogrouped[K, KR, A any](c *cogroup[K, A], o *dsl.Options, store string, named bool, t *dsl.Table[KR, A],
	plan func(cogroupInput[K, A]) tablePlan[KR, A], node func(string, ops.Plan) *dsl.Node) *dsl.Table[KR, A] {
	c.prepare(store, named)
	var parents []*dsl.Node
	var senders []ops.OldValueSender
	var view dsl.View[KR, A]
	for i, in := range c.inputs {
		p := plan(in)
		n := node(c.graph.NameWithSuffix(dsl.PrefixCogroup, o.Name, "-cogroup-agg-"+strconv.Itoa(i)), p)
		c.below(in, n)
		parents, senders, view = append(parents, n), append(senders, p), p.View()
	}
	t.Name = c.graph.NameWithSuffix(dsl.PrefixCogroupMerge, o.Name, "-cogroup-merge")
	all := ops.NewTablePassThrough(senders, view)
	t.Graph, t.Supplier, t.Sources = c.graph, all, []string{t.Name}
	t.Node = dsl.NewProcessor(t.Name, dsl.Processor{New: all.New})
	c.graph.Add(t.Node, parents...)
	return t
}

// prepare adds the repartitions that are not there yet, whose names are burned
// in any case, and demands equal numbers of partitions of all inputs.
func (c *cogroup[K, A]) prepare(store string, named bool) {
	var others []*dsl.Base
	for _, in := range c.inputs {
		if r := in.repartition(store, named); r != nil && c.repartitions[in.grouping()] == nil {
			in.base().Below(r)
			c.repartitions[in.grouping()] = r
		}
		others = append(others, in.base())
	}
	others[0].CopartitionWith(others[1:]...)
}

// below adds a node below an input or its repartition.
func (c *cogroup[K, A]) below(in cogroupInput[K, A], n *dsl.Node) {
	if r := c.repartitions[in.grouping()]; r != nil {
		c.graph.Add(n, r)
		return
	}
	in.base().Below(n)
}

// cogroupedStream is an input with its types.
type cogroupedStream[K, V, A any] struct {
	group *group[K, V]
	f     func(K, V, A) A
}

func (s *cogroupedStream[K, V, A]) grouping() any   { return s.group }
func (s *cogroupedStream[K, V, A]) base() *dsl.Base { return &s.group.Base }

func (s *cogroupedStream[K, V, A]) repartition(store string, named bool) *dsl.Node {
	if !s.group.rekeyed {
		return nil
	}
	return s.group.newRepartition(store, named)
}

func (s *cogroupedStream[K, V, A]) plan(store string, init func() A) tablePlan[K, A] {
	return ops.NewStreamAggregate(store, init, s.f)
}

func (s *cogroupedStream[K, V, A]) windowedPlan(store string, w *ops.Windowing, init func() A, merge func(K, A, A) A) tablePlan[window.Windowed[K], A] {
	return ops.NewWindowedPlan(store, w, ops.Aggregating(init, s.f, merge))
}
