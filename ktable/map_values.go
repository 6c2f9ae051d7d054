package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/with"
)

// MapValues gives each row another value. It sends an update for each update of
// the table, also if the mapped value did not change. The result has a store
// only if one is named; without one, whoever reads the result calls f again.
func MapValues[V2, K, V any](t Table[K, V], f func(V) V2, opts ...with.Table) Table[K, V2] {
	need(t.use("MapValues").Graph, "MapValues", f == nil)
	return mappedValues(t, "MapValues", func(_ K, v V) V2 { return f(v) }, opts)
}

// MapValuesWithKey is [MapValues] with a function that sees the key, which it
// must not change.
func MapValuesWithKey[V2, K, V any](t Table[K, V], f func(K, V) V2, opts ...with.Table) Table[K, V2] {
	need(t.use("MapValuesWithKey").Graph, "MapValuesWithKey", f == nil)
	return mappedValues(t, "MapValuesWithKey", f, opts)
}

func mappedValues[V2, K, V any](t Table[K, V], op string, f func(K, V) V2, opts []with.Table) Table[K, V2] {
	c := t.use(op)
	g := c.Graph
	o := dsl.Collect(g, op, opts, with.Table.ForTable)
	m := stored[K, V2](g, op, o, dsl.PrefixTableMapValues)
	key := given(dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key), c.Key)
	value := dsl.SerdeOf[V2](g, op, dsl.ValueSide, o.Value)
	plan := ops.NewTableMapValues(c.Supplier, f, storeName(m))
	n := ops.TableNode(g.Name(dsl.PrefixTableMapValues, o.Name), plan, m)
	return follow(c.Base, o, n, m, plan, key, value)
}
