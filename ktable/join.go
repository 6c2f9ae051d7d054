package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// Join is the table of the keys that both tables have (Java: KTable.join). Each
// update of either table is joined with the other's row of that key; a result
// has the later timestamp of the two rows. A deletion is sent on each time
// where the other table has a row.
//
// The two topics must have the same number of partitions. The result has a
// store only if an option speaks of one; without one, whoever reads the result
// calls f again. Out-of-order updates of versioned tables are dropped.
func Join[K, L, R, O any](left Table[K, L], right Table[K, R], f func(L, R) O, opts ...with.Table) Table[K, O] {
	need(left.use("Join").Graph, "Join", f == nil)
	return joinTables(left, right, "Join", ops.InnerTableJoin, func(l L, _ bool, r R, _ bool) O { return f(l, r) }, opts)
}

// LeftJoin is the table of the keys that the left table has: f gets the zero R
// and false where the right one has no row (Java: KTable.leftJoin). See [Join].
func LeftJoin[K, L, R, O any](left Table[K, L], right Table[K, R], f func(L, R, bool) O, opts ...with.Table) Table[K, O] {
	need(left.use("LeftJoin").Graph, "LeftJoin", f == nil)
	return joinTables(left, right, "LeftJoin", ops.LeftTableJoin, func(l L, _ bool, r R, has bool) O { return f(l, r, has) }, opts)
}

// OuterJoin is the table of the keys that either table has: f is told of each
// side whether there is a row (Java: KTable.outerJoin). See [Join].
func OuterJoin[K, L, R, O any](left Table[K, L], right Table[K, R], f func(L, bool, R, bool) O, opts ...with.Table) Table[K, O] {
	need(left.use("OuterJoin").Graph, "OuterJoin", f == nil)
	return joinTables(left, right, "OuterJoin", ops.OuterTableJoin, f, opts)
}

// joinTables declares a join, one node of the graph that writes a side for each
// table and what merges them (Java: KTableImpl.doJoin).
func joinTables[K, L, R, O any](left Table[K, L], right Table[K, R], op string, kind ops.TableJoinKind,
	join func(L, bool, R, bool) O, opts []with.Table) Table[K, O] {
	l, r := left.use(op), right.use(op)
	g := l.Graph
	sameGraph(g, r.Graph, op)
	o := dsl.Collect(g, op, opts, with.Table.ForTable)
	key := l.Key
	var value serde.Serde[O]
	var m *dsl.Materialized[K, O]
	if o.Materialized {
		m = dsl.Materialize[K, O](g, op, o, dsl.PrefixTableMerge)
		m.Key = given(m.Key, l.Key)
		key, value = m.Key, m.Value
	}
	name := g.Name(dsl.PrefixTableMerge, o.Name)
	sources := l.CopartitionWith(&r.Base)
	if kind != ops.InnerTableJoin {
		l.EnableOldValues(true)
	}
	if kind == ops.OuterTableJoin {
		r.EnableOldValues(true)
	}
	plan := ops.NewTableJoin(l, r, kind, join, storeName(m))
	this := g.NameWithSuffix(dsl.PrefixTableJoinThis, o.Name, "-join-this")
	other := g.NameWithSuffix(dsl.PrefixTableJoinOther, o.Name, "-join-other")
	n := &dsl.Node{Name: name, Output: ops.Output(m), EnableVersioned: plan.UseVersioned}
	n.Write = func(t *processor.Topology) error {
		if err := n.WriteProcessor(t, this, []string{l.Name}, dsl.Processor{New: plan.NewLeft}); err != nil {
			return err
		}
		if err := n.WriteProcessor(t, other, []string{r.Name}, dsl.Processor{New: plan.NewRight}); err != nil {
			return err
		}
		merge := ops.TableProcessor(func() *dsl.Node { return n }, plan, m)
		if err := n.WriteProcessor(t, name, []string{this, other}, merge); err != nil {
			return err
		}
		if err := t.Connect(this, plan.RightStores()...); err != nil {
			return err
		}
		return t.Connect(other, plan.LeftStores()...)
	}
	l.Below(n)
	r.Below(n)
	return Table[K, O]{&dsl.Table[K, O]{Base: dsl.Base{Graph: g, Node: n, Name: name, Sources: sources},
		Key: key, Value: value, Store: storeName(m), Supplier: plan}}
}

// sameGraph reports tables that come from two builders.
func sameGraph(g, other *dsl.Graph, op string) {
	if g != other {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, "the two tables come from two builders"))
	}
}
