package kstream

import (
	"context"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Peek calls f with each record and passes the record on.
func (s Stream[K, V]) Peek(f func(K, V), opts ...with.Node) Stream[K, V] {
	c := s.use("Peek")
	need(c.Graph, "Peek", f == nil)
	n := fixed(c.Graph.Name(dsl.PrefixPeek, options(c.Graph, "Peek", opts).Name),
		func() processor.Unit { return &peek[K, V]{f: f} })
	return Stream[K, V]{c.Next(n)}
}

// ForEach calls f with each record and ends the stream.
func (s Stream[K, V]) ForEach(f func(K, V), opts ...with.Node) {
	need(s.use("ForEach").Graph, "ForEach", f == nil)
	s.forEach("ForEach", func() processor.Unit { return &peek[K, V]{f: f} }, opts)
}

// TryForEach is ForEach with a function that may fail or block; the context
// knows where the record came from, see processor.MetadataOf.
func (s Stream[K, V]) TryForEach(f func(context.Context, K, V) error, opts ...with.Node) {
	need(s.use("TryForEach").Graph, "TryForEach", f == nil)
	s.forEach("TryForEach", func() processor.Unit { return &peek[K, V]{try: f} }, opts)
}

func (s Stream[K, V]) forEach(op string, unit func() processor.Unit, opts []with.Node) {
	c := s.use(op)
	c.Below(plain(c.Graph.Name(dsl.PrefixForEach, options(c.Graph, op, opts).Name), unit))
}

type peek[K, V any] struct {
	processor.Out[K, V]
	args[K, V]
	f   func(K, V)
	try func(context.Context, K, V) error
	ctx context.Context
}

// Init implements processor.Unit.
func (u *peek[K, V]) Init(n *processor.Node) error {
	u.ctx = processor.TaskContext(n)
	return u.args.Init(n)
}

// Receive implements processor.Receiver.
func (u *peek[K, V]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
		return err
	}
	if u.f != nil {
		u.f(rec.Key, rec.Value)
	} else if err := u.try(u.ctx, rec.Key, rec.Value); err != nil {
		return err
	}
	return u.Forward(rec)
}
