package kstream

import (
	"context"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/with"
)

// Map makes one record of each, with another key and value. What depends on the
// key below it goes through a repartition topic.
func Map[K2, V2, K, V any](s Stream[K, V], f func(K, V) (K2, V2), opts ...with.Node) Stream[K2, V2] {
	need(s.use("Map").Graph, "Map", f == nil)
	return mapped[K2, V2](s, "Map", func() processor.Unit { return &mapUnit[K, V, K2, V2]{f: f} }, opts)
}

// TryMap is [Map] with a function that may fail or block; the context knows
// where the record came from, see processor.MetadataOf.
func TryMap[K2, V2, K, V any](s Stream[K, V], f func(context.Context, K, V) (K2, V2, error), opts ...with.Node) Stream[K2, V2] {
	need(s.use("TryMap").Graph, "TryMap", f == nil)
	return mapped[K2, V2](s, "TryMap", func() processor.Unit { return &mapUnit[K, V, K2, V2]{try: f} }, opts)
}

func mapped[K2, V2, K, V any](s Stream[K, V], op string, unit func() processor.Unit, opts []with.Node) Stream[K2, V2] {
	c := s.use(op)
	n := plain(c.Graph.Name(dsl.PrefixMap, options(c.Graph, op, opts).Name), unit)
	n.KeyChanging = true
	return Stream[K2, V2]{dsl.Follow[K2, V2](c.Base, n, nil, nil, true)}
}

type mapUnit[K, V, K2, V2 any] struct {
	processor.Out[K2, V2]
	args[K, V]
	f          func(K, V) (K2, V2)
	try        func(context.Context, K, V) (K2, V2, error)
	ctx        context.Context
	nullKeys   record.Nulls[K2]
	nullValues record.Nulls[V2]
}

// Init implements processor.Unit.
func (u *mapUnit[K, V, K2, V2]) Init(n *processor.Node) error {
	u.nullKeys, u.nullValues = record.NullsOf[K2](), record.NullsOf[V2]()
	u.ctx = processor.TaskContext(n)
	return u.args.Init(n)
}

// Receive implements processor.Receiver.
func (u *mapUnit[K, V, K2, V2]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
		return err
	}
	out := processor.Record[K2, V2]{Timestamp: rec.Timestamp, Headers: rec.Headers}
	if u.f != nil {
		out.Key, out.Value = u.f(rec.Key, rec.Value)
	} else {
		var err error
		if out.Key, out.Value, err = u.try(u.ctx, rec.Key, rec.Value); err != nil {
			return err
		}
	}
	out.KeyNull, out.ValueNull = u.nullKeys.Is(&out.Key), u.nullValues.Is(&out.Value)
	return u.Forward(out)
}
