package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
)

// Retype is a table under other types of key and value, without a node of its
// own: what is written for K2 and V2 gets the same objects. It serves the
// interpreter of compatibility scenarios, whose tables are all of any; no other
// package can call it.
func Retype[K2, V2, K, V any](t Table[K, V], _ dsl.Erased) Table[K2, V2] {
	c := t.use("Retype")
	b := c.Base
	b.Adapt = ops.RetypeTable[K2, V2, K, V](c.Adapt)
	return Table[K2, V2]{&dsl.Table[K2, V2]{Base: b, Key: ops.RetypeSerde[K2](c.Key), Value: ops.RetypeSerde[V2](c.Value),
		Store: c.Store, Supplier: ops.RetypeSupplier[K2, V2](c.Supplier)}}
}

// RetypeGlobal is [Retype] for global tables.
func RetypeGlobal[K2, V2, K, V any](t Global[K, V], _ dsl.Erased) Global[K2, V2] {
	c := t.use("RetypeGlobal")
	return Global[K2, V2]{&GlobalCore[K2, V2]{Graph: c.Graph, Store: c.Store, View: ops.RetypeView[K2, V2](c.View)}}
}
