package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/with"
)

// JoinGlobal joins each record of a stream with a row of a global table (Java:
// KStream.join with a GlobalKTable). key finds the row's key; false is null, for
// which the record is dropped, as are records with a null value. A record
// without a row gives nothing. Updates of the table give nothing. A result has
// the record's key, timestamp and headers. Nothing is repartitioned.
func JoinGlobal[K, V, G, R, O any](s Stream[K, V], t ktable.Global[G, R], key func(K, V) (G, bool), f func(V, R) O, opts ...with.Node) Stream[K, O] {
	const op = "JoinGlobal"
	need(s.use(op).Graph, op, key == nil || f == nil)
	return joinGlobal(s, t, op, &ops.StreamTableJoin[K, V, G, R, O]{Key: key,
		Join: func(_ K, v V, r R, _ bool) O { return f(v, r) }}, opts)
}

// JoinGlobalWithKey is [JoinGlobal] with a function that sees the stream's key,
// which it must not change. Where keys may be null, K must be a type that can
// hold null.
func JoinGlobalWithKey[K, V, G, R, O any](s Stream[K, V], t ktable.Global[G, R], key func(K, V) (G, bool), f func(K, V, R) O, opts ...with.Node) Stream[K, O] {
	const op = "JoinGlobalWithKey"
	need(s.use(op).Graph, op, key == nil || f == nil)
	return joinGlobal(s, t, op, &ops.StreamTableJoin[K, V, G, R, O]{Key: key, WithKey: true,
		Join: func(k K, v V, r R, _ bool) O { return f(k, v, r) }}, opts)
}

// LeftJoinGlobal is [JoinGlobal] where a record without a row, or for which key
// returns false, gives a result too: f gets the zero R and false (Java:
// KStream.leftJoin with a GlobalKTable).
func LeftJoinGlobal[K, V, G, R, O any](s Stream[K, V], t ktable.Global[G, R], key func(K, V) (G, bool), f func(V, R, bool) O, opts ...with.Node) Stream[K, O] {
	const op = "LeftJoinGlobal"
	need(s.use(op).Graph, op, key == nil || f == nil)
	return joinGlobal(s, t, op, &ops.StreamTableJoin[K, V, G, R, O]{Key: key, Left: true,
		Join: func(_ K, v V, r R, has bool) O { return f(v, r, has) }}, opts)
}

// LeftJoinGlobalWithKey is [LeftJoinGlobal] with a function that sees the
// stream's key, which it must not change. Where keys may be null, K must be a
// type that can hold null.
func LeftJoinGlobalWithKey[K, V, G, R, O any](s Stream[K, V], t ktable.Global[G, R], key func(K, V) (G, bool), f func(K, V, R, bool) O, opts ...with.Node) Stream[K, O] {
	const op = "LeftJoinGlobalWithKey"
	need(s.use(op).Graph, op, key == nil || f == nil)
	return joinGlobal(s, t, op, &ops.StreamTableJoin[K, V, G, R, O]{Key: key, Left: true, WithKey: true, Join: f}, opts)
}

// joinGlobal declares a join with a global table, whose node has the prefix of
// left joins always (Java: KStreamImpl.doGlobalTableJoin).
func joinGlobal[K, V, G, R, O any](s Stream[K, V], t ktable.Global[G, R], op string, plan *ops.StreamTableJoin[K, V, G, R, O], opts []with.Node) Stream[K, O] {
	c, right := s.use(op), ktable.OfGlobal(t, op, dsl.Erased{})
	sameGraph(c.Graph, right.Graph, op)
	plan.Table = right.View
	n := dsl.NewProcessor(c.Graph.Name(dsl.PrefixLeftJoin, options(c.Graph, op, opts).Name), dsl.Processor{New: plan.New})
	n.NullKeyJoin = plan.Left
	return Stream[K, O]{dsl.Follow[K, O](c.Base, n, c.Key, nil, c.Rekeyed)}
}
