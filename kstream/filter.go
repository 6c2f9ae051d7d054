package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Filter keeps the records for which keep returns true.
func (s Stream[K, V]) Filter(keep func(K, V) bool, opts ...with.Node) Stream[K, V] {
	return s.filter("Filter", keep, true, opts)
}

// FilterNot keeps the records for which drop returns false.
func (s Stream[K, V]) FilterNot(drop func(K, V) bool, opts ...with.Node) Stream[K, V] {
	return s.filter("FilterNot", drop, false, opts)
}

func (s Stream[K, V]) filter(op string, f func(K, V) bool, want bool, opts []with.Node) Stream[K, V] {
	c := s.use(op)
	o := options(c.Graph, op, opts)
	need(c.Graph, op, f == nil)
	n := fixed(c.Graph.Name(dsl.PrefixFilter, o.Name), func() processor.Unit { return &filter[K, V]{f: f, want: want} })
	return Stream[K, V]{c.Next(n)}
}

type filter[K, V any] struct {
	processor.Out[K, V]
	args[K, V]
	f    func(K, V) bool
	want bool
}

// Receive implements processor.Receiver.
func (u *filter[K, V]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
		return err
	}
	if u.f(rec.Key, rec.Value) != u.want {
		return nil
	}
	return u.Forward(rec)
}
