package ktable

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/serde"
)

// Table is a table that follows a stream of updates: the latest value of each
// key, where null deletes (Java: KTable). For the stream of its changes see
// kstream.FromTable. It is a small value to pass around. Operators that change
// the key or value type are functions of this package; an operator on the zero
// Table panics.
type Table[K, V any] struct{ core *dsl.Table[K, V] }

// FromCore makes the handle of a table that another package of the DSL has
// declared.
func FromCore[K, V any](core *dsl.Table[K, V]) Table[K, V] { return Table[K, V]{core} }

// Core is what a handle stands for, for the other packages of the DSL. op names
// the operator that uses the table.
func Core[K, V any](t Table[K, V], op string, _ dsl.Erased) *dsl.Table[K, V] { return t.use(op) }

// StoreName is the name under which the table can be queried, empty if it has
// no store or only one with a generated name (Java: queryableStoreName).
func (t Table[K, V]) StoreName() string { return t.use("StoreName").Store }

// IsZero reports whether the handle stands for no table at all.
func (t Table[K, V]) IsZero() bool { return t.core == nil }

// use returns the core of a table for an operator.
func (t Table[K, V]) use(op string) *dsl.Table[K, V] {
	if t.core == nil {
		panic(fmt.Sprintf("%s: ktable.%s on the zero Table[%T, %T]: tables come from a builder, a stream or another table",
			dsl.Caller(), op, *new(K), *new(V)))
	}
	return t.core
}

// need reports a missing function (Java: NullPointerException).
func need(g *dsl.Graph, op string, missing bool) {
	if missing {
		g.Fail(op, dsl.Errorf(dsl.KindNull, "the function is nil"))
	}
}

// stored reads the store of an operator that has one only on demand: m is nil
// unless the store was named. Options about the store without a name burn an
// index all the same.
func stored[K, V any](g *dsl.Graph, op string, o *dsl.Options, prefix string) (m *dsl.Materialized[K, V]) {
	if o.Store == "" && o.Supplier == nil {
		if o.Materialized {
			g.StoreName(prefix)
		}
		return nil
	}
	return dsl.Materialize[K, V](g, op, o, prefix)
}

// storeName is the name of an optional store.
func storeName[K, V any](m *dsl.Materialized[K, V]) string {
	if m == nil {
		return ""
	}
	return m.Name
}

// follow adds the node of an operator below a table and returns its handle.
func follow[K, V any](b dsl.Base, o *dsl.Options, n *dsl.Node, m *dsl.Materialized[K, V], plan dsl.TableSupplier[K, V],
	key serde.Serde[K], value serde.Serde[V]) Table[K, V] {
	if o.Materialized {
		n.Output = ops.Output(m)
	}
	b.Below(n)
	return Table[K, V]{&dsl.Table[K, V]{
		Base: dsl.Base{Graph: b.Graph, Node: n, Name: n.Name, Sources: b.Sources},
		Key:  key, Value: value, Store: storeName(m), Supplier: plan}}
}

// given prefers the serde of an option over the inherited one.
func given[T any](option, inherited serde.Serde[T]) serde.Serde[T] {
	if option != nil {
		return option
	}
	return inherited
}
