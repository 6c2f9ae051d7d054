package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/with"
)

// Filter keeps the rows for which keep returns true; a row that no longer does
// is deleted. The result has a store only if one is named. If the table above
// is materialised, deletions of rows that were not in the result are not sent.
func (t Table[K, V]) Filter(keep func(K, V) bool, opts ...with.Table) Table[K, V] {
	need(t.use("Filter").Graph, "Filter", keep == nil)
	return t.filter("Filter", keep, opts)
}

// FilterNot keeps the rows for which drop returns false.
func (t Table[K, V]) FilterNot(drop func(K, V) bool, opts ...with.Table) Table[K, V] {
	need(t.use("FilterNot").Graph, "FilterNot", drop == nil)
	return t.filter("FilterNot", func(k K, v V) bool { return !drop(k, v) }, opts)
}

func (t Table[K, V]) filter(op string, keep func(K, V) bool, opts []with.Table) Table[K, V] {
	c := t.use(op)
	g := c.Graph
	o := dsl.Collect(g, op, opts, with.Table.ForTable)
	m := stored[K, V](g, op, o, dsl.PrefixTableFilter)
	key := given(dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key), c.Key)
	value := given(dsl.SerdeOf[V](g, op, dsl.ValueSide, o.Value), c.Value)
	plan := ops.NewTableFilter(c.Supplier, keep, storeName(m))
	n := ops.TableNode(g.Name(dsl.PrefixTableFilter, o.Name), plan, m)
	n.EnableVersioned = func(string) { plan.UseVersioned(true) }
	return follow(c.Base, o, n, m, plan, key, value)
}
