package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/serde"
)

// repartitioned is the stream as a join takes it: itself, or behind a
// repartition topic if its key may have changed (Java:
// KStreamImpl.repartitionForJoin). base names the topic, named says that the
// user chose it; a serde that is nil is taken from the stream. Joins that do not
// name the topic share the first one made for the same handle, but each burns
// its names.
func repartitioned[K, V any](c *dsl.Stream[K, V], base string, named bool, key serde.Serde[K], value serde.Serde[V]) *dsl.Stream[K, V] {
	if !c.Rekeyed {
		return c
	}
	if key == nil {
		key = c.Key
	}
	if value == nil {
		value = c.Value
	}
	r := dsl.NewRepartition(c.Graph, dsl.Repartitioning[K, V]{Base: base, Named: named, Key: key, Value: value, Optimizable: true})
	if c.Joined == nil || base != c.Name {
		c.Joined = r
		c.Below(r)
	}
	return &dsl.Stream[K, V]{Base: dsl.Base{Graph: c.Graph, Node: c.Joined, Name: r.Name, Sources: []string{r.Name}}, Key: key, Value: value}
}
