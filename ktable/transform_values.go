package ktable

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// TransformValues gives each row another value with a transformer that may use
// stores and punctuators, but not forward (Java: transformValues). It is called
// for deletions too. newT makes the transformer of one task and must return a
// new one at each call. The result has a store only if one is named; without
// one, whoever reads the result has a transformer of its own, and the stores it
// uses must be connected there.
func TransformValues[K, V, V2 any, T processor.ValueTransformer[K, V, V2]](t Table[K, V], newT func() T, opts ...with.Transform) Table[K, V2] {
	const op = "TransformValues"
	c := t.use(op)
	g := c.Graph
	need(g, op, newT == nil)
	o := dsl.Collect(g, op, opts, with.Transform.ForTransform)
	var m *dsl.Materialized[K, V2]
	// Unlike others it burns no index for a store without a name.
	if o.Store != "" || o.Supplier != nil {
		m = dsl.Materialize[K, V2](g, op, o, dsl.PrefixTableTransformValues)
	}
	key := given(dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key), c.Key)
	value := dsl.SerdeOf[V2](g, op, dsl.ValueSide, o.Value)
	plan := ops.NewTableTransform(c.Supplier, func() processor.ValueTransformer[K, V, V2] { return newT() }, storeName(m))
	var n *dsl.Node
	p := ops.TableProcessor(func() *dsl.Node { return n }, plan, m)
	p.Stores = withOwn(p.Stores, o.Stores)
	p.Connect = func() []string { return o.StoreNames }
	n = dsl.NewProcessor(g.Name(dsl.PrefixTableTransformValues, o.Name), p)
	return follow(c.Base, o, n, m, plan, key, value)
}

// withOwn adds the user's stores to those of the operator.
func withOwn(of func() ([]statestore.Builder, error), own []statestore.Builder) func() ([]statestore.Builder, error) {
	if of == nil {
		return func() ([]statestore.Builder, error) { return own, nil }
	}
	return func() ([]statestore.Builder, error) {
		builders, err := of()
		return append(builders, own...), err
	}
}
