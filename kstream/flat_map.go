package kstream

import (
	"context"
	"fmt"
	"iter"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/with"
)

// FlatMap makes any number of records of each. A nil sequence is a processing
// error, as null is in Java. What depends on the key below it goes through a
// repartition topic.
func FlatMap[K2, V2, K, V any](s Stream[K, V], f func(K, V) iter.Seq2[K2, V2], opts ...with.Node) Stream[K2, V2] {
	c := s.use("FlatMap")
	need(c.Graph, "FlatMap", f == nil)
	n := plain(c.Graph.Name(dsl.PrefixFlatMap, options(c.Graph, "FlatMap", opts).Name),
		func() processor.Unit { return &flatMap[K, V, K2, V2]{f: f} })
	n.KeyChanging = true
	return Stream[K2, V2]{dsl.Follow[K2, V2](c.Base, n, nil, nil, true)}
}

type flatMap[K, V, K2, V2 any] struct {
	processor.Out[K2, V2]
	args[K, V]
	f          func(K, V) iter.Seq2[K2, V2]
	yield      func(K2, V2) bool
	nullKeys   record.Nulls[K2]
	nullValues record.Nulls[V2]
	// rec and err belong to the record at hand: a yield function of its own for
	// each would have to be allocated.
	rec processor.Record[K2, V2]
	err error
}

// Init implements processor.Unit.
func (u *flatMap[K, V, K2, V2]) Init(n *processor.Node) error {
	u.nullKeys, u.nullValues = record.NullsOf[K2](), record.NullsOf[V2]()
	u.yield = u.send
	return u.args.Init(n)
}

// Receive implements processor.Receiver.
func (u *flatMap[K, V, K2, V2]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
		return err
	}
	seq := u.f(rec.Key, rec.Value)
	if seq == nil {
		return fmt.Errorf("node %s: the function returned a nil sequence: %w", u.node.Name(), processor.ErrNull)
	}
	u.rec, u.err = processor.Record[K2, V2]{Timestamp: rec.Timestamp, Headers: rec.Headers}, nil
	seq(u.yield)
	return u.err
}

func (u *flatMap[K, V, K2, V2]) send(k K2, v V2) bool {
	if u.err != nil {
		return false
	}
	rec := u.rec
	rec.Key, rec.KeyNull, rec.Value, rec.ValueNull = k, u.nullKeys.Is(&k), v, u.nullValues.Is(&v)
	u.err = u.Forward(rec)
	return u.err == nil
}

// FlatMapValues makes any number of records of each, all with its key. nil is
// an empty list, unlike Java's null.
func FlatMapValues[V2, K, V any](s Stream[K, V], f func(V) []V2, opts ...with.Node) Stream[K, V2] {
	need(s.use("FlatMapValues").Graph, "FlatMapValues", f == nil)
	return flatMappedValues[V2](s, "FlatMapValues", func() processor.Unit {
		return &flatMapValues[K, V, V2]{f: func(_ context.Context, _ K, v V) ([]V2, error) { return f(v), nil }}
	}, opts)
}

// FlatMapValuesWithKey is [FlatMapValues] with a function that sees the key.
func FlatMapValuesWithKey[V2, K, V any](s Stream[K, V], f func(K, V) []V2, opts ...with.Node) Stream[K, V2] {
	need(s.use("FlatMapValuesWithKey").Graph, "FlatMapValuesWithKey", f == nil)
	return flatMappedValues[V2](s, "FlatMapValuesWithKey", func() processor.Unit {
		return &flatMapValues[K, V, V2]{f: func(_ context.Context, k K, v V) ([]V2, error) { return f(k, v), nil }, withKey: true}
	}, opts)
}

// TryFlatMapValues is [FlatMapValues] with a function that may fail or block;
// the context knows where the record came from, see processor.MetadataOf.
func TryFlatMapValues[V2, K, V any](s Stream[K, V], f func(context.Context, V) ([]V2, error), opts ...with.Node) Stream[K, V2] {
	need(s.use("TryFlatMapValues").Graph, "TryFlatMapValues", f == nil)
	return flatMappedValues[V2](s, "TryFlatMapValues", func() processor.Unit {
		return &flatMapValues[K, V, V2]{f: func(ctx context.Context, _ K, v V) ([]V2, error) { return f(ctx, v) }}
	}, opts)
}

func flatMappedValues[V2, K, V any](s Stream[K, V], op string, unit func() processor.Unit, opts []with.Node) Stream[K, V2] {
	c := s.use(op)
	n := fixed(c.Graph.Name(dsl.PrefixFlatMapValues, options(c.Graph, op, opts).Name), unit)
	n.ValueChanging = true
	return Stream[K, V2]{dsl.Follow[K, V2](c.Base, n, c.Key, nil, c.Rekeyed)}
}

type flatMapValues[K, V, V2 any] struct {
	processor.Out[K, V2]
	args[K, V]
	f       func(context.Context, K, V) ([]V2, error)
	withKey bool
	ctx     context.Context
	nulls   record.Nulls[V2]
}

// Init implements processor.Unit.
func (u *flatMapValues[K, V, V2]) Init(n *processor.Node) error {
	u.ctx, u.nulls = processor.TaskContext(n), record.NullsOf[V2]()
	return u.args.Init(n)
}

// Receive implements processor.Receiver.
func (u *flatMapValues[K, V, V2]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull && u.withKey, rec.ValueNull); err != nil {
		return err
	}
	list, err := u.f(u.ctx, rec.Key, rec.Value)
	if err != nil {
		return err
	}
	out := processor.Record[K, V2]{Key: rec.Key, KeyNull: rec.KeyNull, Timestamp: rec.Timestamp, Headers: rec.Headers}
	for i := range list {
		out.Value, out.ValueNull = list[i], u.nulls.Is(&list[i])
		if err := u.Forward(out); err != nil {
			return err
		}
	}
	return nil
}
