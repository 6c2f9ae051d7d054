// Package dsl owns the logical graph behind the operators of kstream and
// ktable: names and their counter, the settings that options leave behind,
// serde resolution, the rewriting passes, and the order in which nodes are
// written into a processor.Topology. It refuses to know what an operator does
// with a record, and it knows neither tasks nor Kafka.
package dsl

import (
	"slices"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// Graph is the program as the operators have declared it (Java:
// InternalStreamsBuilder). It has no type parameters: what knows a key or value
// type is captured by the nodes' closures.
type Graph struct {
	// Config is what the builder was created with.
	Config processor.Config
	// Lax is Java's laxity about serdes; nil outside of compatibility tests.
	Lax *Lax

	root     *Node
	index    int
	priority int

	changers  []*keyChanger
	merges    []*Node
	tables    []*Node
	versioned []*Node
	suppress  []*Node

	copartitions [][]string
	unnamed      []unnamed
	errs         []error

	building processor.Config
	serdes   *serde.Registry
	topology *processor.Topology
	built    error
}

// New returns an empty graph.
func New(config processor.Config) *Graph {
	return &Graph{Config: config, root: &Node{Name: rootName}}
}

// Add puts a node below its parents, or below the root if there are none, and
// gives it the next build priority. A node that is added again gets another
// parent and a later priority, as in Java.
func (g *Graph) Add(n *Node, parents ...*Node) {
	if n.Caller == "" {
		n.Caller = Caller()
	}
	n.graph = g
	if len(parents) == 0 {
		parents = []*Node{g.root}
	}
	for _, p := range parents {
		p.addChild(n)
		n.priority = g.priority
		g.priority++
		g.remember(n)
	}
}

// remember files the node for the passes that look for its kind.
func (g *Graph) remember(n *Node) {
	switch {
	case n.KeyChanging:
		if g.changer(n) == nil {
			g.changers = append(g.changers, &keyChanger{node: n})
		}
	case n.Repartition != nil && n.Repartition.Optimizable:
		if k := g.changer(n.nearestKeyChanger()); k != nil {
			k.add(n)
		}
	case n.Merge:
		if !slices.Contains(g.merges, n) {
			g.merges = append(g.merges, n)
		}
	case n.Table != nil:
		g.tables = append(g.tables, n)
	}
	if n.EnableVersioned != nil && !slices.Contains(g.versioned, n) {
		g.versioned = append(g.versioned, n)
	}
	if n.Suppress {
		g.suppress = append(g.suppress, n)
	}
}

// Copartition demands that the topics of these source nodes have the same
// number of partitions.
func (g *Graph) Copartition(sources []string) {
	g.copartitions = append(g.copartitions, slices.Clone(sources))
}

// replaceCopartitioned puts one source node in the place of another.
func (g *Graph) replaceCopartitioned(old, name string) {
	for i, group := range g.copartitions {
		if !slices.Contains(group, old) {
			continue
		}
		group = slices.DeleteFunc(group, func(s string) bool { return s == old })
		if !slices.Contains(group, name) {
			group = append(group, name)
		}
		g.copartitions[i] = group
	}
}

// Fail remembers an error of an operator; Build returns all of them. The
// position is the line of user code that called the operator.
func (g *Graph) Fail(op string, err error) {
	g.errs = append(g.errs, at(Caller(), op, err))
}

// Failed reports whether an operator has failed so far.
func (g *Graph) Failed() bool { return len(g.errs) > 0 }
