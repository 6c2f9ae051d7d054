package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/with"
)

// Repartition sends the stream through a repartition topic, so that records of
// one key meet in one task and the work can be spread over another number of
// partitions. Records with a null key are dropped unless a join below accepts
// them. The name of with.Name is the topic's, before "-repartition".
//
// As in Java the topic does not take over the key serde that the stream
// carries: it uses the one given here or the registered one.
func (s Stream[K, V]) Repartition(opts ...with.Repartition) Stream[K, V] {
	const op = "Repartition"
	c := s.use(op)
	g := c.Graph
	o := dsl.Collect(g, op, opts, with.Repartition.ForRepartition)
	a := dsl.Repartitioning[K, V]{Base: o.Name, Named: o.Name != "", Partitions: o.Partitions,
		Key: dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key), Value: dsl.SerdeOf[V](g, op, dsl.ValueSide, o.Value),
		Partitioner: dsl.PartitionerOf[K, V](g, op, o.Partitioner)}
	if p := a.Partitions; p != nil && *p < 1 && g.Lax == nil {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, "the repartition topic has %d partitions, want at least 1", *p))
	}
	if a.Base == "" {
		a.Base = g.Name(dsl.PrefixRepartition, "")
	}
	if a.Value == nil {
		a.Value = c.Value
	}
	key := a.Key
	if key == nil {
		key = c.Key
	}
	n := dsl.NewRepartition(g, a)
	c.Below(n)
	return Stream[K, V]{&dsl.Stream[K, V]{Base: dsl.Base{Graph: g, Node: n, Name: n.Name, Sources: []string{n.Name}}, Key: key, Value: a.Value}}
}
