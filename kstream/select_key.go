package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/with"
)

// SelectKey gives each record another key. What depends on the key below it
// goes through a repartition topic.
func SelectKey[K2, K, V any](s Stream[K, V], f func(K, V) K2, opts ...with.Node) Stream[K2, V] {
	c := s.use("SelectKey")
	need(c.Graph, "SelectKey", f == nil)
	n := selectKeyNode(c.Graph, options(c.Graph, "SelectKey", opts).Name, f)
	return Stream[K2, V]{dsl.Follow[K2](c.Base, n, nil, c.Value, true)}
}

func selectKeyNode[K2, K, V any](g *dsl.Graph, name string, f func(K, V) K2) *dsl.Node {
	n := plain(g.Name(dsl.PrefixKeySelect, name), func() processor.Unit { return &selectKey[K, V, K2]{f: f} })
	n.KeyChanging = true
	return n
}

type selectKey[K, V, K2 any] struct {
	processor.Out[K2, V]
	args[K, V]
	f     func(K, V) K2
	nulls record.Nulls[K2]
}

// Init implements processor.Unit.
func (u *selectKey[K, V, K2]) Init(n *processor.Node) error {
	u.nulls = record.NullsOf[K2]()
	return u.args.Init(n)
}

// Receive implements processor.Receiver.
func (u *selectKey[K, V, K2]) Receive(rec processor.Record[K, V]) error {
	if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
		return err
	}
	k := u.f(rec.Key, rec.Value)
	return u.Forward(processor.Record[K2, V]{Key: k, KeyNull: u.nulls.Is(&k), Value: rec.Value, ValueNull: rec.ValueNull,
		Timestamp: rec.Timestamp, Headers: rec.Headers})
}
