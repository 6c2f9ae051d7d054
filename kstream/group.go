package kstream

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// Grouped is a stream grouped by its key, to be aggregated (Java:
// KGroupedStream).
type Grouped[K, V any] struct{ core *group[K, V] }

// group is shared by all copies of a handle, since a named repartition serves
// all its aggregations.
type group[K, V any] struct {
	dsl.Base
	key     serde.Serde[K]
	value   serde.Serde[V]
	rekeyed bool
	// topic is the user's name of the repartition topic, empty if none.
	topic       string
	repartition *dsl.Node
}

// GroupByKey groups the stream by its key. The options' name and serdes are
// those of the repartition topic, if one is needed. As in Java the stream's own
// serdes are used only if no option is given.
func (s Stream[K, V]) GroupByKey(opts ...with.Group) Grouped[K, V] {
	const op = "GroupByKey"
	c := s.use(op)
	o := dsl.Collect(c.Graph, op, opts, with.Group.ForGroup)
	g := &group[K, V]{Base: c.Base, rekeyed: c.Rekeyed, topic: o.Name,
		key: dsl.SerdeOf[K](c.Graph, op, dsl.KeySide, o.Key), value: dsl.SerdeOf[V](c.Graph, op, dsl.ValueSide, o.Value)}
	if !o.Given {
		g.key, g.value = c.Key, c.Value
	}
	return Grouped[K, V]{g}
}

// GroupBy gives each record another key and groups by it; the records go
// through a repartition topic before they are aggregated. Where keys of the
// stream may be null, K must be a type that can hold null, such as []byte.
func GroupBy[K2, K, V any](s Stream[K, V], f func(K, V) K2, opts ...with.Group) Grouped[K2, V] {
	const op = "GroupBy"
	c := s.use(op)
	need(c.Graph, op, f == nil)
	o := dsl.Collect(c.Graph, op, opts, with.Group.ForGroup)
	g := &group[K2, V]{rekeyed: true, topic: o.Name,
		key: dsl.SerdeOf[K2](c.Graph, op, dsl.KeySide, o.Key), value: dsl.SerdeOf[V](c.Graph, op, dsl.ValueSide, o.Value)}
	if !o.Given {
		g.value = c.Value
	}
	n := selectKeyNode(c.Graph, o.Name, f)
	c.Below(n)
	g.Base = dsl.Base{Graph: c.Graph, Node: n, Name: n.Name, Sources: c.Sources}
	return Grouped[K2, V]{g}
}

func (g Grouped[K, V]) use(op string) *group[K, V] {
	if g.core == nil {
		panic(fmt.Sprintf("%s: kstream.%s on the zero Grouped[%T, %T]", dsl.Caller(), op, *new(K), *new(V)))
	}
	return g.core
}

// below adds the node of an aggregation, behind a repartition if the key has
// changed, and returns the source nodes above it. named says that the user
// gave the store's name.
func (g *group[K, V]) below(n *dsl.Node, store string, named bool) []string {
	if !g.rekeyed {
		g.Below(n)
		return g.Sources
	}
	r := g.newRepartition(store, named)
	if g.repartition == nil || g.topic == "" {
		g.repartition = r
	}
	g.Below(g.repartition)
	g.Graph.Add(n, g.repartition)
	return []string{r.Name}
}

// newRepartition makes the node of a repartition in front of an aggregation. It
// is named after the grouping, else after the store.
func (g *group[K, V]) newRepartition(store string, named bool) *dsl.Node {
	base := g.topic
	if base == "" {
		base = store
	}
	return dsl.NewRepartition(g.Graph, dsl.Repartitioning[K, V]{Base: base, Named: named || g.topic != "",
		Key: g.key, Value: g.value, Optimizable: true})
}
