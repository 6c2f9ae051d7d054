package kstream

import (
	"errors"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// GlobalStore fills a store in every instance of the application from all
// partitions of a topic, with a processor of the user's (Java: addGlobalStore).
// Every processor may read it without being connected. newP makes the processor;
// what it forwards goes nowhere. It also runs when the store is restored. The
// store has no changelog: the topic is one.
func GlobalStore[K, V any, P processor.Processor[K, V, any, any]](b *Builder, store statestore.Builder, topic string, newP func() P, opts ...with.Source) {
	const op = "GlobalStore"
	g := b.graph
	o := dsl.Collect(g, op, opts, with.Source.ForSource)
	c := dsl.Consumed[K, V](g, op, o)
	c.Topics = []string{topic}
	if topic == "" {
		g.Fail(op, errors.New("the topic has no name"))
	}
	if err := checkNew(newP); err != nil {
		g.Fail(op, err)
	}
	source := g.NameWithSuffix(dsl.PrefixSource, o.Name, "-source")
	n := &dsl.Node{Name: g.Name(dsl.PrefixTableSource, o.Name)}
	n.Write = func(t *processor.Topology) error {
		spec, err := c.Spec(n, source)
		if err != nil {
			return err
		}
		return t.AddGlobalStore(processor.GlobalSpec{Store: store.WithoutLog(), Source: spec,
			Processor: processor.ProcessorSpec{Name: n.Name,
				New: dsl.Unit(func() processor.Unit { return processor.NewProcessorUnit[K, V, any, any](newP()) })}})
	}
	g.Add(n)
}
