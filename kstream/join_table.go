package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// JoinTable joins each record of a stream with the row that a table has for its
// key (Java: KStream.join with a KTable). A record without a row gives nothing;
// records with a null key or value are dropped. Updates of the table give
// nothing. A result has the record's timestamp and headers. A versioned table is
// read as of that timestamp; see also with.TableGrace.
//
// The two topics must have the same number of partitions; a stream whose key
// may have changed goes through a repartition topic first, which has the name
// and the serdes of the options. The result carries the stream's key serde.
func JoinTable[K, V, R, O any](s Stream[K, V], t ktable.Table[K, R], f func(V, R) O, opts ...with.TableJoin) Stream[K, O] {
	const op = "JoinTable"
	need(s.use(op).Graph, op, f == nil)
	return joinTable(s, t, op, &ops.StreamTableJoin[K, V, K, R, O]{
		Join: func(_ K, v V, r R, _ bool) O { return f(v, r) }}, opts)
}

// JoinTableWithKey is [JoinTable] with a function that sees the key, which it
// must not change.
func JoinTableWithKey[K, V, R, O any](s Stream[K, V], t ktable.Table[K, R], f func(K, V, R) O, opts ...with.TableJoin) Stream[K, O] {
	const op = "JoinTableWithKey"
	need(s.use(op).Graph, op, f == nil)
	return joinTable(s, t, op, &ops.StreamTableJoin[K, V, K, R, O]{WithKey: true,
		Join: func(k K, v V, r R, _ bool) O { return f(k, v, r) }}, opts)
}

// LeftJoinTable is [JoinTable] where a record without a row gives a result too:
// f gets the zero R and false (Java: KStream.leftJoin with a KTable). So does a
// record with a null key, unless there is a grace, which cannot hold null keys.
func LeftJoinTable[K, V, R, O any](s Stream[K, V], t ktable.Table[K, R], f func(V, R, bool) O, opts ...with.TableJoin) Stream[K, O] {
	const op = "LeftJoinTable"
	need(s.use(op).Graph, op, f == nil)
	return joinTable(s, t, op, &ops.StreamTableJoin[K, V, K, R, O]{Left: true,
		Join: func(_ K, v V, r R, has bool) O { return f(v, r, has) }}, opts)
}

// LeftJoinTableWithKey is [LeftJoinTable] with a function that sees the key,
// which it must not change. Where keys may be null, K must be a type that can
// hold null.
func LeftJoinTableWithKey[K, V, R, O any](s Stream[K, V], t ktable.Table[K, R], f func(K, V, R, bool) O, opts ...with.TableJoin) Stream[K, O] {
	const op = "LeftJoinTableWithKey"
	need(s.use(op).Graph, op, f == nil)
	return joinTable(s, t, op, &ops.StreamTableJoin[K, V, K, R, O]{Left: true, WithKey: true, Join: f}, opts)
}

// joinTable declares a join with a table (Java: KStreamImpl.doStreamTableJoin).
func joinTable[K, V, R, O any](s Stream[K, V], t ktable.Table[K, R], op string, plan *ops.StreamTableJoin[K, V, K, R, O], opts []with.TableJoin) Stream[K, O] {
	c, right := s.use(op), ktable.Core(t, op, dsl.Erased{})
	g := c.Graph
	sameGraph(g, right.Graph, op)
	o := dsl.Collect(g, op, opts, with.TableJoin.ForTableJoin)
	key, value := dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key), dsl.SerdeOf[V](g, op, dsl.ValueSide, o.Value)
	c = repartitioned(c, nameOr(o.Name, "", c.Name), o.Name != "", key, value)
	sources := c.CopartitionWith(&right.Base)
	if key == nil {
		key = c.Key
	}
	if value == nil {
		value = c.Value
	}
	prefix := dsl.PrefixJoin
	if plan.Left {
		prefix = dsl.PrefixLeftJoin
	}
	name := g.Name(prefix, o.Name)
	plan.Own, plan.Key = true, func(k K, _ V) (K, bool) { return k, true }
	plan.Table = right.Supplier.View()
	p := dsl.Processor{New: plan.New}
	n := &dsl.Node{Name: name, NullKeyJoin: plan.Left}
	if o.Grace != nil {
		plan.Buffer = newGraceName(g, op, name, right.Node, o)
		p.Stores = func() ([]statestore.Builder, error) {
			b, err := ops.GraceBuffer(n, plan.Buffer, name, *o.Grace, key, value)
			return []statestore.Builder{b}, err
		}
	}
	n.Write = func(t *processor.Topology) error {
		if err := n.WriteProcessor(t, name, n.ParentNames(), p); err != nil {
			return err
		}
		if err := t.Connect(name, plan.Table.Stores...); err != nil {
			return err
		}
		return checkGrace(t, plan.Table.Stores, o)
	}
	c.Below(n)
	return Stream[K, O]{&dsl.Stream[K, O]{Base: dsl.Base{Graph: g, Node: n, Name: name, Sources: sources}, Key: key}}
}

const notVersioned = "KTable must be versioned to use a grace period in a stream table join."

// newGraceName names the buffer of a join with grace.
func newGraceName(g *dsl.Graph, op, join string, table *dsl.Node, o *dsl.Options) string {
	if table.Output == dsl.Unversioned {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, notVersioned))
	}
	name := join + "-Buffer"
	if o.Name == "" {
		g.Unnamed(name, name+"-changelog", "")
	}
	return name
}

// checkGrace refuses a grace that the table's stores cannot serve.
func checkGrace(t *processor.Topology, stores []string, o *dsl.Options) error {
	if o.Grace == nil {
		return nil
	}
	for _, name := range stores {
		b, ok := t.Store(name)
		if !ok || b.Kind() != statestore.KindVersioned {
			return dsl.Errorf(dsl.KindArgument, notVersioned)
		}
		if o.Grace.Milliseconds() > b.RetentionMs() {
			return dsl.Errorf(dsl.KindArgument, "History retention must be at least grace period.")
		}
	}
	return nil
}
