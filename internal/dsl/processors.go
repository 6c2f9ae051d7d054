package dsl

import (
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// Processor is what a processor node needs beyond its place in the graph. Its
// stores are asked for when the node is written, for only then is it known
// which tables must be materialised.
type Processor struct {
	// New makes the unit of one task.
	New func() (processor.Unit, error)
	// FixedKey says that Java's supplier is one of fixed-key processors.
	FixedKey bool
	// Stores are brought along and connected; nil for none.
	Stores func() ([]statestore.Builder, error)
	// Connect names stores that other nodes bring; nil for none.
	Connect func() []string
}

// Unit adapts a constructor that cannot fail.
func Unit(f func() processor.Unit) func() (processor.Unit, error) {
	return func() (processor.Unit, error) { return f(), nil }
}

// NewProcessor makes the node of a processor.
func NewProcessor(name string, p Processor) *Node {
	n := &Node{Name: name}
	n.Write = func(t *processor.Topology) error { return n.WriteProcessor(t, name, n.ParentNames(), p) }
	return n
}

// WriteProcessor writes a processor of any name and parents on the node's
// behalf; composite nodes use it for their parts.
func (n *Node) WriteProcessor(t *processor.Topology, name string, parents []string, p Processor) error {
	if l := n.graph.Lax; l != nil && l.Wrapped != nil {
		l.Wrapped(name, p.FixedKey)
	}
	if err := t.AddProcessor(processor.ProcessorSpec{Name: name, Parents: parents, New: n.adapted(p.New)}); err != nil {
		return err
	}
	if p.Stores != nil {
		builders, err := p.Stores()
		if err != nil {
			return err
		}
		for _, b := range builders {
			if err := t.AddStore(b, name); err != nil {
				return err
			}
		}
	}
	if p.Connect == nil {
		return nil
	}
	names := p.Connect()
	if len(names) == 0 {
		return nil
	}
	return t.Connect(name, names...)
}

// WriteSink writes a sink on the node's behalf; its serdes are resolved.
func WriteSink[K, V any](n *Node, t *processor.Topology, spec processor.SinkSpec, c processor.SinkConfig[K, V]) error {
	spec.New = n.adaptedSink(NewSink(c))
	return t.AddSink(spec)
}
