package dsl

import (
	"regexp"
	"strings"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// Repartition is a repartition topic with the three physical nodes around it
// (Java: BaseRepartitionNode). The node in the graph bears the source's name.
type Repartition struct {
	// Topic without the application id. Filter is empty where there is no
	// filter node.
	Topic, Filter, Sink, Source string
	// Optimizable repartitions may be merged; those of the repartition operator
	// and of grouped tables may not.
	Optimizable bool
	// DropNullKeys is set by the null-key pass.
	DropNullKeys bool
	// Key and Value are the serdes given or inherited, nil interfaces if none.
	Key, Value any
	// merged makes the node that stands for this one and others; it captures
	// the types.
	merged func(g *Graph, topic string, key, value any) *Node
}

// Repartitioning asks for a repartition node.
type Repartitioning[K, V any] struct {
	// Base is the topic's name, to which "-repartition" is added unless it is
	// there; Named says that the user gave it.
	Base        string
	Named       bool
	Key         serde.Serde[K]
	Value       serde.Serde[V]
	Partitioner processor.Partitioner[K, V]
	// Partitions is nil when the count follows from the sources.
	Partitions  *int32
	Optimizable bool
}

var generatedBase = regexp.MustCompile(`^KSTREAM.*-[0-9]{10}$`)

// NewRepartition makes a repartition node and burns its three names. The node
// is not yet added.
func NewRepartition[K, V any](g *Graph, a Repartitioning[K, V]) *Node {
	r := &Repartition{Topic: RepartitionTopic(a.Base), Optimizable: a.Optimizable}
	if a.Key != nil {
		r.Key = a.Key
	}
	if a.Value != nil {
		r.Value = a.Value
	}
	if !a.Named {
		g.Unnamed("", "", r.Topic)
	}
	r.Sink, r.Filter, r.Source = g.Name(PrefixSink, ""), g.Name(PrefixFilter, ""), g.Name(PrefixSource, "")
	if !generatedBase.MatchString(a.Base) {
		r.Sink, r.Filter, r.Source = r.Topic+"-sink", r.Topic+"-filter", r.Topic+"-source"
	}
	n := &Node{Name: r.Source, Repartition: r}
	n.Write = func(t *processor.Topology) error { return writeRepartition(n, t, a) }
	r.merged = func(g *Graph, topic string, key, value any) *Node {
		m := Repartitioning[K, V]{Base: topic, Named: true, Optimizable: true}
		m.Key, _ = key.(serde.Serde[K])
		m.Value, _ = value.(serde.Serde[V])
		return NewRepartition(g, m)
	}
	return n
}

// RepartitionTopic is the name of a repartition topic, without the application
// id.
func RepartitionTopic(base string) string {
	if strings.HasSuffix(base, repartitionSuffix) {
		return base
	}
	return base + repartitionSuffix
}

func writeRepartition[K, V any](n *Node, t *processor.Topology, a Repartitioning[K, V]) error {
	r := n.Repartition
	key, err := Resolve(n, KeySide, a.Key)
	if err != nil {
		return err
	}
	value, err := Resolve(n, ValueSide, a.Value)
	if err != nil {
		return err
	}
	topic := processor.InternalTopic{Name: r.Topic}
	if a.Partitions != nil {
		topic.Partitions, topic.Enforced = *a.Partitions, true
	}
	if err := t.AddInternalTopic(topic); err != nil {
		return err
	}
	drop := r.DropNullKeys
	err = n.WriteProcessor(t, r.Filter, n.ParentNames(), Processor{FixedKey: true,
		New: Unit(func() processor.Unit { return &nullKeyFilter[K, V]{drop: drop} })})
	if err != nil {
		return err
	}
	err = t.AddSink(processor.SinkSpec{Name: r.Sink, Parents: []string{r.Filter}, Topic: r.Topic,
		New: NewSink(processor.SinkConfig[K, V]{Key: key, Value: value, Topic: r.Topic, Partitioner: a.Partitioner})})
	if err != nil {
		return err
	}
	return t.AddSource(processor.SourceSpec{Name: r.Source, Topics: []string{r.Topic}, Extractor: processor.FailOnInvalidTimestamp,
		New: NewSourceUnit(key, value)})
}

// nullKeyFilter keeps null keys out of a repartition topic, silently, unless a
// join below accepts them.
type nullKeyFilter[K, V any] struct {
	processor.Out[K, V]
	drop bool
}

func (f *nullKeyFilter[K, V]) Init(*processor.Node) error { return nil }

func (f *nullKeyFilter[K, V]) Receive(rec processor.Record[K, V]) error {
	if f.drop && rec.KeyNull {
		return nil
	}
	return f.Forward(rec)
}

func (f *nullKeyFilter[K, V]) Close() error { return nil }
