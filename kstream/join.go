package kstream

import (
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// Join pairs the records of two streams that have the same key and whose
// timestamps are no further apart than the window says (Java: KStream.join). A
// result has the later of the two timestamps. Records with a null key or value
// are dropped.
//
// The records of both streams are kept in window stores for as long as the
// window and its grace together; there is no other test for lateness. The two
// topics must have the same number of partitions; a stream whose key may have
// changed goes through a repartition topic first. As in Java the stores use the
// serdes of the options or the registered ones, not those that the streams
// carry.
func Join[K, L, R, O any](left Stream[K, L], right Stream[K, R], f func(L, R) O, w window.Join, opts ...with.Join) Stream[K, O] {
	const op = "Join"
	need(left.use(op).Graph, op, f == nil)
	return joinStreams(left, right, op, &ops.StreamJoin[K, L, R, O]{Window: w,
		Join: func(_ K, l L, _ bool, r R, _ bool) O { return f(l, r) }}, opts)
}

// JoinWithKey is [Join] with a function that sees the key, which it must not
// change.
func JoinWithKey[K, L, R, O any](left Stream[K, L], right Stream[K, R], f func(K, L, R) O, w window.Join, opts ...with.Join) Stream[K, O] {
	const op = "JoinWithKey"
	need(left.use(op).Graph, op, f == nil)
	return joinStreams(left, right, op, &ops.StreamJoin[K, L, R, O]{Window: w, WithKey: true,
		Join: func(k K, l L, _ bool, r R, _ bool) O { return f(k, l, r) }}, opts)
}

// LeftJoin is [Join] where a left record that finds no partner gives a result
// too: f gets the zero R and false (Java: KStream.leftJoin). It is sent when the
// window and its grace are over, in the order of timestamps, on the arrival of
// a later record; at once if the record's window is over when it comes, and a
// partner that comes within the grace then gives a second result. A left
// record with a null key is sent at once.
func LeftJoin[K, L, R, O any](left Stream[K, L], right Stream[K, R], f func(L, R, bool) O, w window.Join, opts ...with.Join) Stream[K, O] {
	const op = "LeftJoin"
	need(left.use(op).Graph, op, f == nil)
	return joinStreams(left, right, op, &ops.StreamJoin[K, L, R, O]{Window: w, LeftOuter: true,
		Join: func(_ K, l L, _ bool, r R, has bool) O { return f(l, r, has) }}, opts)
}

// LeftJoinWithKey is [LeftJoin] with a function that sees the key, which it must
// not change. Where keys may be null, K must be a type that can hold null.
func LeftJoinWithKey[K, L, R, O any](left Stream[K, L], right Stream[K, R], f func(K, L, R, bool) O, w window.Join, opts ...with.Join) Stream[K, O] {
	const op = "LeftJoinWithKey"
	need(left.use(op).Graph, op, f == nil)
	return joinStreams(left, right, op, &ops.StreamJoin[K, L, R, O]{Window: w, LeftOuter: true, WithKey: true,
		Join: func(k K, l L, _ bool, r R, has bool) O { return f(k, l, r, has) }}, opts)
}

// OuterJoin is [LeftJoin] for both sides: f is told of each side whether there
// is a record (Java: KStream.outerJoin).
func OuterJoin[K, L, R, O any](left Stream[K, L], right Stream[K, R], f func(L, bool, R, bool) O, w window.Join, opts ...with.Join) Stream[K, O] {
	const op = "OuterJoin"
	need(left.use(op).Graph, op, f == nil)
	return joinStreams(left, right, op, &ops.StreamJoin[K, L, R, O]{Window: w, LeftOuter: true, RightOuter: true,
		Join: func(_ K, l L, hasL bool, r R, hasR bool) O { return f(l, hasL, r, hasR) }}, opts)
}

// OuterJoinWithKey is [OuterJoin] with a function that sees the key, which it
// must not change. Where keys may be null, K must be a type that can hold null.
func OuterJoinWithKey[K, L, R, O any](left Stream[K, L], right Stream[K, R], f func(K, L, bool, R, bool) O, w window.Join, opts ...with.Join) Stream[K, O] {
	const op = "OuterJoinWithKey"
	need(left.use(op).Graph, op, f == nil)
	return joinStreams(left, right, op, &ops.StreamJoin[K, L, R, O]{Window: w, LeftOuter: true, RightOuter: true, WithKey: true,
		Join: f}, opts)
}
