package kstream

import (
	"errors"
	"reflect"
	"runtime"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// To writes the stream to a topic, which must exist.
func (s Stream[K, V]) To(topic string, opts ...with.Sink) {
	c := s.use("To")
	if topic == "" {
		c.Graph.Fail("To", errors.New("the topic has no name"))
	}
	s.to("To", processor.SinkConfig[K, V]{Topic: topic}, opts)
}

// ToFunc writes each record to the topic that f chooses (Java: to with a
// TopicNameExtractor). The topics must exist.
func (s Stream[K, V]) ToFunc(f processor.TopicFunc[K, V], opts ...with.Sink) {
	c := s.use("ToFunc")
	need(c.Graph, "ToFunc", f == nil)
	s.to("ToFunc", processor.SinkConfig[K, V]{TopicFunc: f}, opts)
}

func (s Stream[K, V]) to(op string, sink processor.SinkConfig[K, V], opts []with.Sink) {
	c := s.use(op)
	g := c.Graph
	o := dsl.Collect(g, op, opts, with.Sink.ForSink)
	key, value := dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key), dsl.SerdeOf[V](g, op, dsl.ValueSide, o.Value)
	if key == nil {
		key = c.Key
	}
	if value == nil {
		value = c.Value
	}
	sink.Partitioner = dsl.PartitionerOf[K, V](g, op, o.Partitioner)
	n := &dsl.Node{Name: g.Name(dsl.PrefixSink, o.Name)}
	n.Write = func(t *processor.Topology) error { return writeSink(n, t, sink, o.TopicText, key, value) }
	c.Below(n)
}

func writeSink[K, V any](n *dsl.Node, t *processor.Topology, sink processor.SinkConfig[K, V], text string, key serde.Serde[K], value serde.Serde[V]) error {
	var err error
	if sink.Key, err = dsl.Resolve(n, dsl.KeySide, key); err != nil {
		return err
	}
	if sink.Value, err = dsl.Resolve(n, dsl.ValueSide, value); err != nil {
		return err
	}
	if w, ok := sink.Key.(window.BaseKeySerde[K]); ok {
		sink.Windowed = w
	}
	spec := processor.SinkSpec{Name: n.Name, Parents: n.ParentNames(), Topic: sink.Topic}
	if sink.TopicFunc != nil {
		if spec.Dynamic = text; text == "" {
			spec.Dynamic = runtime.FuncForPC(reflect.ValueOf(sink.TopicFunc).Pointer()).Name()
		}
	}
	return dsl.WriteSink(n, t, spec, sink)
}
