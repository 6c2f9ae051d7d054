package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// Count counts the rows of each key. A count that falls to zero stays as zero.
func Count[K, V any](g Grouped[K, V], opts ...with.Aggregation) Table[K, int64] {
	c, o := g.options("Count", opts)
	m := dsl.Materialize[K, int64](c.Graph, "Count", o, dsl.PrefixTableAggregate)
	m.Value = given(m.Value, serde.Int64())
	plan := ops.NewTableAggregate(m.Name, func() int64 { return 0 },
		func(_ K, _ V, n int64) int64 { return n + 1 },
		func(_ K, _ V, n int64) int64 { return n - 1 })
	return aggregated(c, o, m, dsl.PrefixTableAggregate, plan)
}

// Reduce combines the rows of each key: add puts a row into the result so far,
// sub takes one out. A first row is the result as it is. A null result deletes.
func Reduce[K, V any](g Grouped[K, V], add, sub func(result, v V) V, opts ...with.Aggregation) Table[K, V] {
	c, o := g.options("Reduce", opts)
	need(c.Graph, "Reduce", add == nil || sub == nil)
	m := dsl.Materialize[K, V](c.Graph, "Reduce", o, dsl.PrefixTableAggregate)
	m.Value = given(m.Value, c.value)
	return aggregated(c, o, m, dsl.PrefixTableReduce, ops.NewTableReduce[K](m.Name, add, sub))
}

// Aggregate folds the rows of each key into an aggregate: it begins with what
// init returns, add puts a row in, sub takes one out. Rows that change are taken
// out first. A null result deletes.
func Aggregate[A, K, V any](g Grouped[K, V], init func() A, add, sub func(K, V, A) A, opts ...with.Aggregation) Table[K, A] {
	c, o := g.options("Aggregate", opts)
	need(c.Graph, "Aggregate", init == nil || add == nil || sub == nil)
	m := dsl.Materialize[K, A](c.Graph, "Aggregate", o, dsl.PrefixTableAggregate)
	return aggregated(c, o, m, dsl.PrefixTableAggregate, ops.NewTableAggregate(m.Name, init, add, sub))
}

func (g Grouped[K, V]) options(op string, opts []with.Aggregation) (*grouped[K, V], *dsl.Options) {
	c := g.use(op)
	return c, dsl.Collect(c.Graph, op, opts, with.Aggregation.ForAggregation)
}

// aggregation is the plan of an operator that ends in a table.
type aggregation[K, A any] interface {
	ops.Plan
	dsl.TableSupplier[K, A]
}

// aggregated adds the repartition and the aggregation below a grouping. Names
// are burned in Java's order: store, sink, source, aggregation.
func aggregated[K, V, A any](c *grouped[K, V], o *dsl.Options, m *dsl.Materialized[K, A], prefix string, plan aggregation[K, A]) Table[K, A] {
	g := c.Graph
	m.Key = given(m.Key, c.key)
	sink := g.NameWithSuffix(dsl.PrefixSink, o.Name, "-sink")
	source := g.NameWithSuffix(dsl.PrefixSource, o.Name, "-source")
	name := g.Name(prefix, o.Name)
	base := c.name
	if base == "" {
		base = m.Name
	}
	if c.repartition == nil || c.name == "" {
		c.repartition = c.newRepartition(base+"-repartition", sink, source)
	}
	c.Below(c.repartition)
	n := ops.TableNode(name, plan, m)
	n.Output = ops.Output(m)
	g.Add(n, c.repartition)
	return Table[K, A]{&dsl.Table[K, A]{
		Base: dsl.Base{Graph: g, Node: n, Name: name, Sources: []string{source}},
		Key:  m.Key, Value: m.Value, Store: m.QueryableName(), Supplier: plan}}
}
