package processor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/millrace/millrace/internal/javaorder"
)

// Describe returns the text that Java's Topology.describe gives for the same
// topology, byte for byte.
func (t *Topology) Describe() string {
	var b strings.Builder
	b.WriteString("Topologies:\n ")
	for _, g := range t.groups() {
		if g.global {
			t.describeGlobal(&b, g)
		} else {
			t.describeGroup(&b, g)
		}
	}
	return b.String()
}

func (t *Topology) describeGlobal(b *strings.Builder, g *group) {
	i := slices.IndexFunc(g.nodes, func(n *nodeSpec) bool { return n.global })
	source, updater := g.nodes[i], t.nodes[g.nodes[i].index+1]
	fmt.Fprintf(b, "  Sub-topology: %d for global store (will not generate tasks)\n", g.id)
	fmt.Fprintf(b, "    Source: %s (topics: [%s])\n      --> %s\n", source.name, source.source.Topics[0], updater.name)
	fmt.Fprintf(b, "    Processor: %s (stores: [%s])\n      --> none\n      <-- %s\n",
		updater.name, updater.stores.Slice()[0], source.name)
}

// drawn is a node in the making of a description.
type drawn struct {
	spec *nodeSpec
	// size is the number of paths that start at the node, counted while the
	// edges are added one by one.
	size                     int
	predecessors, successors drawnSet
}

// grow adds to the size of a node and of everything above it.
func (d *drawn) grow(by int) {
	d.size += by
	for _, p := range d.predecessors.slice() {
		p.grow(by)
	}
}

// describeGroup connects the nodes in the order of Java's hash tables. It
// matters: the sets of neighbours are ordered by the sizes at the time of each
// insertion, and these still change.
func (t *Topology) describeGroup(b *strings.Builder, g *group) {
	names := javaorder.NewHashSet()
	for _, n := range g.nodes {
		names.Add(n.name)
	}
	byName := javaorder.NewStringMap[*drawn]()
	for name := range names.All() {
		byName.Put(name, &drawn{spec: t.byName[name], size: 1})
	}
	var all []*drawn
	for _, d := range byName.All() {
		all = append(all, d)
		for _, parent := range d.spec.parents {
			p, _ := byName.Get(parent)
			d.predecessors.add(p)
			p.successors.add(d)
			p.grow(d.size)
		}
	}
	slices.SortFunc(all, compareDrawn)
	fmt.Fprintf(b, "  Sub-topology: %d\n", g.id)
	for _, d := range all {
		d.describe(b)
	}
	b.WriteByte('\n')
}

func (d *drawn) describe(b *strings.Builder) {
	n := d.spec
	switch {
	case n.pattern != nil:
		fmt.Fprintf(b, "    Source: %s (topics: %s)\n", n.name, n.source.Pattern)
	case n.kind == SourceNode:
		fmt.Fprintf(b, "    Source: %s (topics: [%s])\n", n.name,
			strings.Join(javaorder.HashSetOrder(n.source.Topics), ", "))
	case n.kind == ProcessorNode:
		// Java copies the set of names, which may change their order.
		fmt.Fprintf(b, "    Processor: %s (stores: [%s])\n", n.name,
			strings.Join(javaorder.HashSetOrder(n.stores.Slice()), ", "))
	case n.sink.Dynamic != "":
		fmt.Fprintf(b, "    Sink: %s (extractor class: %s)\n", n.name, n.sink.Dynamic)
	default:
		fmt.Fprintf(b, "    Sink: %s (topic: %s)\n", n.name, n.sink.Topic)
	}
	if n.kind != SinkNode {
		fmt.Fprintf(b, "      --> %s\n", drawnNames(&d.successors))
	}
	if n.kind != SourceNode {
		fmt.Fprintf(b, "      <-- %s\n", drawnNames(&d.predecessors))
	}
}

func drawnNames(s *drawnSet) string {
	nodes := s.slice()
	if len(nodes) == 0 {
		return "none"
	}
	names := make([]string, len(nodes))
	for i, d := range nodes {
		names[i] = d.spec.name
	}
	return strings.Join(names, ", ")
}
