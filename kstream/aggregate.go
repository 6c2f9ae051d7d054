package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// Countable is a grouping whose records can be counted or reduced to a table
// over KR: K itself, or a window of K.
type Countable[K, V, KR any] interface {
	aggregation(op string) aggregation[K, V, KR]
}

// Aggregatable is a grouping whose records can be aggregated without a merger,
// which groupings by session need.
type Aggregatable[K, V, KR any] interface {
	Countable[K, V, KR]
	mergeless()
}

// aggregation is a grouping and what it is windowed by, nil for nothing.
type aggregation[K, V, KR any] struct {
	group   *group[K, V]
	windows any
}

func (g Grouped[K, V]) aggregation(op string) aggregation[K, V, K] {
	return aggregation[K, V, K]{group: g.use(op)}
}

func (g Grouped[K, V]) mergeless() {}

// Count counts the records of each key. Records with a null key or, unless
// windowed, a null value are dropped.
func Count[K, V, KR any](g Countable[K, V, KR], opts ...with.Aggregation) ktable.Table[KR, int64] {
	const op = "Count"
	a := g.aggregation(op)
	o := dsl.Collect(a.group.Graph, op, opts, with.Aggregation.ForAggregation)
	if o.Materialized && o.Store == "" && o.Supplier == nil {
		a.group.Graph.StoreName(dsl.PrefixAggregate) // Java loses an index here
	}
	m := materialize[int64](a, op, o, dsl.PrefixAggregate)
	if m.Value == nil {
		m.Value = serde.Int64()
	}
	name := a.group.Graph.Name(dsl.PrefixAggregate, o.Name)
	return addTable(a, name, m, aggregatePlan(a, m, func() int64 { return 0 }, func(_ K, _ V, n int64) int64 { return n + 1 }))
}

// Reduce combines the values of each key: f gets the result so far and the next
// value. The first value is taken as it is; a null result deletes the row.
// Records with a null key or, unless windowed, a null value are dropped.
func Reduce[K, V, KR any](g Countable[K, V, KR], f func(V, V) V, opts ...with.Aggregation) ktable.Table[KR, V] {
	const op = "Reduce"
	a := g.aggregation(op)
	o := dsl.Collect(a.group.Graph, op, opts, with.Aggregation.ForAggregation)
	need(a.group.Graph, op, f == nil)
	m := materialize[V](a, op, o, dsl.PrefixReduce)
	if m.Value == nil {
		m.Value = a.group.value
	}
	name := a.group.Graph.Name(dsl.PrefixReduce, o.Name)
	return addTable(a, name, m, reducePlan(a, m, f))
}

// Aggregate folds the values of each key into an aggregate that begins with
// init's result; a null aggregate deletes the row. Records with a null key or,
// unless windowed, a null value are dropped. The aggregate's serde is the one
// given or the registered one.
func Aggregate[K, V, KR, A any](g Aggregatable[K, V, KR], init func() A, add func(K, V, A) A, opts ...with.Aggregation) ktable.Table[KR, A] {
	const op = "Aggregate"
	a := g.aggregation(op)
	o := dsl.Collect(a.group.Graph, op, opts, with.Aggregation.ForAggregation)
	need(a.group.Graph, op, init == nil || add == nil)
	m := materialize[A](a, op, o, dsl.PrefixAggregate)
	name := a.group.Graph.Name(dsl.PrefixAggregate, o.Name)
	return addTable(a, name, m, aggregatePlan(a, m, init, add))
}

// tablePlan is the plan of an aggregation in internal/ops.
type tablePlan[K, V any] interface {
	ops.Plan
	dsl.TableSupplier[K, V]
}

// materialize reads the store's settings; the key serde is inherited.
func materialize[A, K, V, KR any](a aggregation[K, V, KR], op string, o *dsl.Options, prefix string) *dsl.Materialized[KR, A] {
	m := dsl.Materialize[KR, A](a.group.Graph, op, o, prefix)
	if m.Key == nil {
		m.Key, _ = any(a.group.key).(serde.Serde[KR])
	}
	return m
}

// aggregatePlan and reducePlan choose the algorithm. Where the grouping is not
// windowed KR is K, which only the assertions know.
func aggregatePlan[K, V, KR, A any](_ aggregation[K, V, KR], m *dsl.Materialized[KR, A], init func() A, add func(K, V, A) A) tablePlan[KR, A] {
	return any(ops.NewStreamAggregate(m.Name, init, add)).(tablePlan[KR, A])
}

func reducePlan[K, V, KR any](_ aggregation[K, V, KR], m *dsl.Materialized[KR, V], f func(V, V) V) tablePlan[KR, V] {
	return any(ops.NewStreamReduce[K](m.Name, f)).(tablePlan[KR, V])
}

// addTable adds the node of an aggregation, behind a repartition where one is
// needed, and makes its table.
func addTable[K, V, KR, A any](a aggregation[K, V, KR], name string, m *dsl.Materialized[KR, A], plan tablePlan[KR, A]) ktable.Table[KR, A] {
	n := ops.TableNode(name, plan, m)
	n.Output = ops.Output(m)
	sources := a.group.below(n, m.Name, m.Queryable)
	return ktable.FromCore(&dsl.Table[KR, A]{Base: dsl.Base{Graph: a.group.Graph, Node: n, Name: name, Sources: sources},
		Key: m.Key, Value: m.Value, Store: m.QueryableName(), Supplier: plan})
}
