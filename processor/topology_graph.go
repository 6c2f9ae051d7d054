package processor

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/millrace/millrace/statestore"
)

// Graph is a set of connected units: the nodes of one task or of the global
// stores. Its units are not initialised yet.
type Graph struct {
	// Nodes in the order in which they are initialised, parents first.
	Nodes []*Node
	// Sources in the order in which they were added.
	Sources []*GraphSource
	// Stores are the builders of the stores in the order in which Java opens
	// them.
	Stores  []statestore.Builder
	byTopic map[string]*GraphSource
}

// GraphSource is a source of a [Graph].
type GraphSource struct {
	Node *Node
	Unit SourceUnit
	// Topics are the real names of the topics; empty for a pattern.
	Topics []string
	// Pattern is empty for a source of topics.
	Pattern string
	// Extractor finds the event time; nil is the application's default.
	Extractor TimestampExtractor
	Reset     OffsetReset
	pattern   *regexp.Regexp
}

// Source finds the source that reads a topic, given by its real name: the one
// that names it, else the first whose pattern matches.
func (g *Graph) Source(topic string) (*GraphSource, bool) {
	if s, ok := g.byTopic[topic]; ok {
		return s, true
	}
	for _, s := range g.Sources {
		if s.pattern != nil && s.pattern.MatchString(topic) {
			return s, true
		}
	}
	return nil, false
}

// Close closes the units in the order of Nodes and joins their errors.
func (g *Graph) Close() error {
	var errs []error
	for _, n := range g.Nodes {
		if err := n.unit.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close node %s: %w", n.name, err))
		}
	}
	return errors.Join(errs...)
}

// Instantiate makes the units of a task from one or more sub-topologies; nil
// means all that are not global. Children are attached in the order in which
// they were added. It calls the host only for the names of topics.
func (t *Topology) Instantiate(subtopologies []int, host Host) (*Graph, error) {
	var nodes []*nodeSpec
	found := 0
	for _, g := range t.groups() {
		if subtopologies == nil && g.global || subtopologies != nil && !slices.Contains(subtopologies, g.id) {
			continue
		}
		found++
		nodes = append(nodes, g.nodes...)
	}
	if subtopologies != nil && found < len(subtopologies) {
		return nil, fmt.Errorf("instantiate sub-topologies %v: the topology has not all of them", subtopologies)
	}
	return t.instantiate(nodes, host)
}

// InstantiateGlobal makes the units of all global stores.
func (t *Topology) InstantiateGlobal(host Host) (*Graph, error) {
	var nodes []*nodeSpec
	for _, g := range t.groups() {
		if g.global {
			nodes = append(nodes, g.nodes...)
		}
	}
	return t.instantiate(nodes, host)
}

func (t *Topology) instantiate(nodes []*nodeSpec, host Host) (*Graph, error) {
	slices.SortFunc(nodes, func(a, b *nodeSpec) int { return a.index - b.index })
	g := &Graph{byTopic: map[string]*GraphSource{}}
	made := make([]*Node, len(t.nodes))
	for _, spec := range nodes {
		n, err := t.makeNode(g, spec, host)
		if err != nil {
			return nil, fmt.Errorf("make node %s: %w", spec.name, err)
		}
		made[spec.index] = n
		g.Nodes = append(g.Nodes, n)
		for _, parent := range spec.parents {
			if err := made[t.byName[parent].index].unit.Attach(n); err != nil {
				return nil, fmt.Errorf("connect node %s: %w", parent, err)
			}
		}
	}
	for _, store := range storesOf(nodes) {
		g.Stores = append(g.Stores, t.storeByName[store].builder)
	}
	return g, nil
}

func (t *Topology) makeNode(g *Graph, spec *nodeSpec, host Host) (*Node, error) {
	unit, err := spec.newUnit()
	if err != nil {
		return nil, err
	}
	if spec.kind == ProcessorNode {
		return NewNode(spec.name, unit, host, spec.stores.Slice(), true), nil
	}
	n := NewNode(spec.name, unit, host, nil, false)
	if spec.kind == SourceNode {
		s := &GraphSource{Node: n, Unit: unit.(SourceUnit), Pattern: spec.source.Pattern, pattern: spec.pattern,
			Extractor: spec.source.Extractor, Reset: spec.source.Reset}
		for _, topic := range spec.source.Topics {
			real := host.TopicName(topic)
			s.Topics = append(s.Topics, real)
			g.byTopic[real] = s
		}
		g.Sources = append(g.Sources, s)
	}
	return n, nil
}

// newUnit makes a fresh unit of a node.
func (n *nodeSpec) newUnit() (Unit, error) {
	var unit Unit
	var err error
	switch {
	case n.kind == SourceNode && n.source.New != nil:
		if u := n.source.New(); u != nil {
			unit = u
		}
	case n.kind == ProcessorNode && n.processor.New != nil:
		unit, err = n.processor.New()
	case n.kind == SinkNode && n.sink.New != nil:
		unit = n.sink.New()
	}
	if err == nil && unit == nil {
		err = errors.New("the node has no unit")
	}
	return unit, err
}
