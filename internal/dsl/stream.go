package dsl

import (
	"slices"

	"github.com/millrace/millrace/serde"
)

// Base is what the handles of streams, tables and groupings have in common
// (Java: AbstractStream).
type Base struct {
	Graph *Graph
	Node  *Node
	// Name is the handle's name in Java, from which repartition topics get
	// theirs; for most handles the node's.
	Name string
	// Sources are the source nodes of the handle's sub-topology, without
	// duplicates.
	Sources []string
	// Adapt lets units receive what the node sends under other types; nil when
	// the types agree.
	Adapt Adapter
}

// Below adds a node below the handle's.
func (b *Base) Below(n *Node) {
	n.adapt(b.Adapt)
	b.Graph.Add(n, b.Node)
}

// CopartitionWith demands equal numbers of partitions for the sources of both
// handles and returns all of them.
func (b *Base) CopartitionWith(others ...*Base) []string {
	all := slices.Clone(b.Sources)
	for _, o := range others {
		all = Union(all, o.Sources)
	}
	b.Graph.Copartition(all)
	return all
}

// Union appends what is not yet there.
func Union(a, b []string) []string {
	a = slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// Stream is what a kstream.Stream points to (Java: KStreamImpl).
type Stream[K, V any] struct {
	Base
	// Key and Value are nil when the handle carries none.
	Key   serde.Serde[K]
	Value serde.Serde[V]
	// Rekeyed says that the key may have changed, so that whatever depends on
	// it needs a repartition first.
	Rekeyed bool
	// Joined is the repartition that an earlier join of this very handle made.
	Joined *Node
}

// Next is the handle below a node that passes the types through.
func (s *Stream[K, V]) Next(n *Node) *Stream[K, V] {
	return Follow(s.Base, n, s.Key, s.Value, s.Rekeyed)
}

// Follow adds a node below a handle and returns the handle of its output.
func Follow[K, V any](b Base, n *Node, key serde.Serde[K], value serde.Serde[V], rekeyed bool) *Stream[K, V] {
	b.Below(n)
	return &Stream[K, V]{Base: Base{Graph: b.Graph, Node: n, Name: n.Name, Sources: b.Sources}, Key: key, Value: value, Rekeyed: rekeyed}
}
