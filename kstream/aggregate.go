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
	windows *ops.Windowing
}

func (g Grouped[K, V]) aggregation(op string) aggregation[K, V, K] {
	return aggregation[K, V, K]{group: g.use(op)}
}

func (g Grouped[K, V]) mergeless() {}

// Count counts the records of each key. Records with a null key or, unless
// windowed by time or session, a null value are dropped.
func Count[K, V, KR any](g Countable[K, V, KR], opts ...with.Aggregation) ktable.Table[KR, int64] {
	const op = "Count"
	a := g.aggregation(op)
	o := dsl.Collect(a.group.Graph, op, opts, with.Aggregation.ForAggregation)
	if o.Materialized && o.Store == "" && o.Supplier == nil && !a.sliding() {
		a.group.Graph.StoreName(dsl.PrefixAggregate) // Java loses an index here
	}
	m := materialize[int64](a, op, o, dsl.PrefixAggregate)
	if m.Value == nil {
		m.Value = serde.Int64()
	}
	name := a.group.Graph.Name(dsl.PrefixAggregate, o.Name)
	plan := ops.NewStreamAggregate(m.Name, func() int64 { return 0 }, func(_ K, _ V, n int64) int64 { return n + 1 })
	return add(a, op, name, m, plan, ops.Counting[K, V]())
}

// Reduce combines the values of each key: f gets the result so far and the next
// value. The first value is taken as it is; a null result deletes the row.
// Records with a null key or, unless windowed by time or session, a null value
// are dropped. Sessions that become one are combined by f too.
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
	return add(a, op, name, m, ops.NewStreamReduce[K](m.Name, f), ops.Reducing[K](f))
}

// Aggregate folds the values of each key into an aggregate that begins with
// init's result; a null aggregate deletes the row. Records with a null key or,
// unless windowed by time, a null value are dropped. The aggregate's serde is
// the one given or the registered one.
func Aggregate[K, V, KR, A any](g Aggregatable[K, V, KR], init func() A, f func(K, V, A) A, opts ...with.Aggregation) ktable.Table[KR, A] {
	const op = "Aggregate"
	a := g.aggregation(op)
	o := dsl.Collect(a.group.Graph, op, opts, with.Aggregation.ForAggregation)
	need(a.group.Graph, op, init == nil || f == nil)
	m := materialize[A](a, op, o, dsl.PrefixAggregate)
	name := a.group.Graph.Name(dsl.PrefixAggregate, o.Name)
	return add(a, op, name, m, ops.NewStreamAggregate(m.Name, init, f), ops.Aggregating(init, f, nil))
}

func (a aggregation[K, V, KR]) sliding() bool { return a.windows != nil && a.windows.Sliding != nil }

// tablePlan is the plan of an aggregation in internal/ops.
type tablePlan[K, V any] interface {
	ops.Plan
	dsl.TableSupplier[K, V]
}

// materialize reads the store's settings; the key serde is inherited. That of
// a windowed aggregation is the serde of the key without its window.
func materialize[A, K, V, KR any](a aggregation[K, V, KR], op string, o *dsl.Options, prefix string) *dsl.Materialized[K, A] {
	m := dsl.Materialize[K, A](a.group.Graph, op, o, prefix)
	if m.Key == nil {
		m.Key = a.group.key
	}
	return m
}

// add adds an aggregation: plan's, or in windows that of the fold. KR is K or a
// window of K, which only the assertions know.
func add[K, V, KR, A any](a aggregation[K, V, KR], op, name string, m *dsl.Materialized[K, A], plan tablePlan[K, A], fold ops.Fold[K, V, A]) ktable.Table[KR, A] {
	if a.windows == nil {
		return any(addTable(a.group, name, m, plan)).(ktable.Table[KR, A])
	}
	return any(addWindowed(a.group, op, name, m, a.windows, fold)).(ktable.Table[KR, A])
}

// addTable adds the node of an aggregation, behind a repartition where one is
// needed, and makes its table.
func addTable[K, V, A any](g *group[K, V], name string, m *dsl.Materialized[K, A], plan tablePlan[K, A]) ktable.Table[K, A] {
	n := ops.TableNode(name, plan, m)
	n.Output = ops.Output(m)
	sources := g.below(n, m.Name, m.Queryable)
	return ktable.FromCore(&dsl.Table[K, A]{Base: dsl.Base{Graph: g.Graph, Node: n, Name: name, Sources: sources},
		Key: m.Key, Value: m.Value, Store: m.QueryableName(), Supplier: plan})
}
