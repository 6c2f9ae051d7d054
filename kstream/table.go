package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/with"
)

// Table reads a topic as a table (Java: StreamsBuilder.table): the latest record
// of a key is its row, a null value deletes it, records with a null key are
// dropped. It has a store if one is named or something below needs it.
func Table[K, V any](b *Builder, topic string, opts ...with.TableSource) ktable.Table[K, V] {
	return ktable.FromTopic[K, V](b.graph, "Table", topic, opts)
}

// GlobalTable reads all partitions of a topic into every instance of the
// application (Java: StreamsBuilder.globalTable).
func GlobalTable[K, V any](b *Builder, topic string, opts ...with.TableSource) ktable.Global[K, V] {
	return ktable.GlobalFromTopic[K, V](b.graph, "GlobalTable", topic, opts)
}

// FromTable is the stream of a table's updates: the new value of a key, null
// for a deletion (Java: KTable.toStream).
func FromTable[K, V any](t ktable.Table[K, V], opts ...with.Node) Stream[K, V] {
	const op = "FromTable"
	c := ktable.Core(t, op, dsl.Erased{})
	n := fixed(c.Graph.Name(dsl.PrefixTableToStream, options(c.Graph, op, opts).Name), ops.NewTableToStream[K, V])
	return Stream[K, V]{dsl.Follow(c.Base, n, c.Key, c.Value, false)}
}

// ToTable takes the stream as the updates of a table: the latest record of a
// key is its row, a null value deletes it, records with a null key are dropped.
// If the key has changed, the stream goes through a repartition topic first. The
// table has a store if one is named here or something below needs it.
func ToTable[K, V any](s Stream[K, V], opts ...with.Table) ktable.Table[K, V] {
	const op = "ToTable"
	c := s.use(op)
	g := c.Graph
	o := dsl.Collect(g, op, opts, with.Table.ForTable)
	name := g.Name(dsl.PrefixToTable, o.Name)
	m := dsl.Materialize[K, V](g, op, o, dsl.PrefixToTable)
	key, value := m.Key, m.Value
	if key == nil {
		key = c.Key
	}
	if value == nil {
		value = c.Value
	}
	if !o.Materialized {
		m.Key, m.Value = key, value
	}
	above := c.Base
	if c.Rekeyed {
		r := dsl.NewRepartition(g, dsl.Repartitioning[K, V]{Base: name, Named: o.Name != "", Key: key, Value: value, Optimizable: true})
		above.Below(r)
		above = dsl.Base{Graph: g, Node: r, Name: r.Name, Sources: []string{r.Name}}
	}
	plan := ops.NewTableSource[K, V](m.Name, m.Queryable)
	n := ops.TableNode(name, plan, m)
	n.Output = ops.Output(m)
	above.Below(n)
	return ktable.FromCore(&dsl.Table[K, V]{Base: dsl.Base{Graph: g, Node: n, Name: name, Sources: above.Sources},
		Key: key, Value: value, Store: m.QueryableName(), Supplier: plan})
}
