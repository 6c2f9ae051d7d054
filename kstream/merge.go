package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Merge is a stream of the records of both. There is no order between the two.
func (s Stream[K, V]) Merge(other Stream[K, V], opts ...with.Node) Stream[K, V] {
	c, o := s.use("Merge"), other.use("Merge")
	name := c.Graph.Name(dsl.PrefixMerge, options(c.Graph, "Merge", opts).Name)
	sameGraph(c.Graph, o.Graph, "Merge")
	n := plain(name, func() processor.Unit { return &passThrough[K, V]{} })
	n.Merge = true
	c.Below(n)
	o.Below(n)
	return Stream[K, V]{&dsl.Stream[K, V]{Base: dsl.Base{Graph: c.Graph, Node: n, Name: name, Sources: dsl.Union(c.Sources, o.Sources)},
		Rekeyed: c.Rekeyed || o.Rekeyed}}
}

// sameGraph reports streams that come from two builders.
func sameGraph(g, other *dsl.Graph, op string) {
	if g != other {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, "the two sides come from different builders"))
	}
}

// passThrough is the unit of merges and branches.
type passThrough[K, V any] struct {
	processor.Out[K, V]
}

// Init implements processor.Unit.
func (u *passThrough[K, V]) Init(*processor.Node) error { return nil }

// Close implements processor.Unit.
func (u *passThrough[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (u *passThrough[K, V]) Receive(rec processor.Record[K, V]) error { return u.Pass(rec) }
