package kstream

import (
	"context"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/with"
)

// MapValues gives each record another value; the key stays, and with it the
// partitioning.
func MapValues[V2, K, V any](s Stream[K, V], f func(V) V2, opts ...with.Node) Stream[K, V2] {
	need(s.use("MapValues").Graph, "MapValues", f == nil)
	return mappedValues[V2](s, "MapValues", func() processor.Unit {
		return &mapValues[K, V, V2]{f: func(_ context.Context, _ K, v V) (V2, error) { return f(v), nil }}
	}, opts)
}

// MapValuesWithKey is [MapValues] with a function that sees the key, which it
// must not change.
func MapValuesWithKey[V2, K, V any](s Stream[K, V], f func(K, V) V2, opts ...with.Node) Stream[K, V2] {
	need(s.use("MapValuesWithKey").Graph, "MapValuesWithKey", f == nil)
	return mappedValues[V2](s, "MapValuesWithKey", func() processor.Unit {
		return &mapValues[K, V, V2]{f: func(_ context.Context, k K, v V) (V2, error) { return f(k, v), nil }, withKey: true}
	}, opts)
}

// TryMapValues is [MapValues] with a function that may fail or block; the
// context knows where the record came from, see processor.MetadataOf.
func TryMapValues[V2, K, V any](s Stream[K, V], f func(context.Context, V) (V2, error), opts ...with.Node) Stream[K, V2] {
	need(s.use("TryMapValues").Graph, "TryMapValues", f == nil)
	return mappedValues[V2](s, "TryMapValues", func() processor.Unit {
		return &mapValues[K, V, V2]{f: func(ctx context.Context, _ K, v V) (V2, error) { return f(ctx, v) }}
	}, opts)
}

func mappedValues[V2, K, V any](s Stream[K, V], op string, unit func() processor.Unit, opts []with.Node) Stream[K, V2] {
	c := s.use(op)
	n := fixed(c.Graph.Name(dsl.PrefixMapValues, options(c.Graph, op, opts).Name), unit)
	n.ValueChanging = true
	return Stream[K, V2]{dsl.Follow[K, V2](c.Base, n, c.Key, nil, c.Rekeyed)}
}

type mapValues[K, V, V2 any] struct {
	processor.Out[K, V2]
	args[K, V]
	f       func(context.Context, K, V) (V2, error)
	withKey bool
	ctx     context.Context
	nulls   record.Nulls[V2]
}

// Init implements processor.Unit.
func (u *mapValues[K, V, V2]) Init(n *processor.Node) error {
	u.ctx, u.nulls = processor.TaskContext(n), record.NullsOf[V2]()
	return u.args.Init(n)
}

// Receive implements processor.Receiver.
func (u *mapValues[K, V, V2]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull && u.withKey, rec.ValueNull); err != nil {
		return err
	}
	v, err := u.f(u.ctx, rec.Key, rec.Value)
	if err != nil {
		return err
	}
	return u.Forward(processor.Record[K, V2]{Key: rec.Key, KeyNull: rec.KeyNull, Value: v, ValueNull: u.nulls.Is(&v),
		Timestamp: rec.Timestamp, Headers: rec.Headers})
}
