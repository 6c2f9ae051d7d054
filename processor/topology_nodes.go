package processor

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/millrace/millrace/internal/javaorder"
)

// Topology is the physical plan of an application: nodes, the edges between
// them, the stores they use and the topics they read and write (Java: Topology
// with its InternalTopologyBuilder). Nodes must be added parents first. The
// methods that add are for one goroutine; once all is added, the others may be
// called by several at once. An error of an adding method leaves the topology
// unusable.
//
// Topic names are without the application id throughout; [Topology.TopicName]
// gives the real ones.
type Topology struct {
	nodes       []*nodeSpec
	byName      map[string]*nodeSpec
	stores      []*storeSpec
	storeByName map[string]*storeSpec
	// readers maps a topic to the source that names it.
	readers     map[string]*nodeSpec
	internal    map[string]InternalTopic
	copartition []*javaorder.HashSet
	// reused maps a store to the source topic that is its changelog.
	reused map[string]string
}

// NewTopology returns an empty topology.
func NewTopology() *Topology {
	return &Topology{
		byName:      map[string]*nodeSpec{},
		storeByName: map[string]*storeSpec{},
		readers:     map[string]*nodeSpec{},
		internal:    map[string]InternalTopic{},
		reused:      map[string]string{},
	}
}

// NodeKind says what a node is.
type NodeKind int

// The kinds of nodes.
const (
	SourceNode NodeKind = iota
	ProcessorNode
	SinkNode
)

// nodeSpec is a node of the topology. Exactly one of source, processor and
// sink is set.
type nodeSpec struct {
	name    string
	kind    NodeKind
	parents []string
	// index is the position in Topology.nodes, joined the union-find link
	// towards the representative of the node's group.
	index, joined int
	// stores are the connected stores in the order of Java's HashSet; nil
	// unless the node is a processor.
	stores    *javaorder.HashSet
	source    *SourceSpec
	pattern   *regexp.Regexp
	processor *ProcessorSpec
	sink      *SinkSpec
	// global is set on both nodes of a global store.
	global bool
	// sample is a unit of the node's type that never runs; it serves the check
	// of edge types. Nil for nodes that were not added with their types.
	sample Unit
}

// AddSource adds a source that reads topics or, if Topics is empty, the topics
// that match Pattern (Java: Topology.addSource). A topic has one source only.
func (t *Topology) AddSource(spec SourceSpec) error {
	if err := t.checkName(spec.Name); err != nil {
		return err
	}
	n := &nodeSpec{name: spec.Name, kind: SourceNode}
	if len(spec.Topics) == 0 && spec.Pattern != "" {
		if err := t.checkPattern(n, spec.Pattern); err != nil {
			return err
		}
	} else if err := t.claimTopics(n, spec.Topics); err != nil {
		return err
	}
	spec.Topics = slices.Clone(spec.Topics)
	n.source = &spec
	t.add(n)
	return nil
}

// checkPattern compiles the pattern of a source. As in Java the topics of
// global stores may match it.
func (t *Topology) checkPattern(n *nodeSpec, pattern string) error {
	var err error
	if n.pattern, err = regexp.Compile(`^(?:` + pattern + `)$`); err != nil {
		return fmt.Errorf("source %s: pattern of topics: %w", n.name, err)
	}
	for _, other := range t.nodes {
		if other.kind != SourceNode || other.global {
			continue
		}
		for _, topic := range other.source.Topics {
			if n.pattern.MatchString(topic) {
				return invalid("Pattern %s will match a topic that has already been registered by another source.", pattern)
			}
		}
	}
	return nil
}

func (t *Topology) claimTopics(n *nodeSpec, topics []string) error {
	if len(topics) == 0 {
		return invalid("topics cannot be empty")
	}
	for _, topic := range topics {
		if _, taken := t.readers[topic]; taken {
			return invalid("Topic %s has already been registered by another source.", topic)
		}
		for _, other := range t.nodes {
			if other.pattern != nil && other.pattern.MatchString(topic) {
				return invalid("Topic %s matches a Pattern already registered by another source.", topic)
			}
		}
		t.readers[topic] = n
	}
	return nil
}

// AddProcessor adds a processor and connects it to stores that were added
// before (Java: Topology.addProcessor). Parents get it as their next child, in
// the order given; a parent that is named twice sends each record twice.
func (t *Topology) AddProcessor(spec ProcessorSpec) error {
	if err := t.checkName(spec.Name); err != nil {
		return err
	}
	if err := t.checkParents(spec.Name, spec.Parents); err != nil {
		return err
	}
	spec.Parents = slices.Clone(spec.Parents)
	t.add(&nodeSpec{name: spec.Name, kind: ProcessorNode, parents: spec.Parents, processor: &spec,
		stores: javaorder.NewHashSet()})
	for _, store := range spec.Stores {
		if err := t.connect(spec.Name, store); err != nil {
			return err
		}
	}
	return nil
}

// AddSink adds a sink (Java: Topology.addSink).
func (t *Topology) AddSink(spec SinkSpec) error {
	if err := t.checkName(spec.Name); err != nil {
		return err
	}
	if err := t.checkParents(spec.Name, spec.Parents); err != nil {
		return err
	}
	if spec.Topic == "" && spec.Dynamic == "" {
		return fmt.Errorf("sink %s has no topic", spec.Name)
	}
	spec.Parents = slices.Clone(spec.Parents)
	t.add(&nodeSpec{name: spec.Name, kind: SinkNode, parents: spec.Parents, sink: &spec})
	return nil
}

func (t *Topology) checkName(name string) error {
	if name == "" {
		return fmt.Errorf("a node has no name")
	}
	if _, ok := t.byName[name]; ok {
		return invalid("Processor %s is already added.", name)
	}
	return nil
}

func (t *Topology) checkParents(name string, parents []string) error {
	if len(parents) == 0 {
		return invalid("predecessorNames cannot be empty")
	}
	for _, parent := range parents {
		p, ok := t.byName[parent]
		switch {
		case !ok && parent == name:
			return invalid("Parent node %s is unknown (self-reference).", parent)
		case !ok:
			return invalid("Parent node %s is unknown.", parent)
		case p.kind == SinkNode:
			return invalid("Sink %s cannot be used a parent.", parent)
		}
	}
	return nil
}

// add appends a checked node and joins it to the groups of its parents.
func (t *Topology) add(n *nodeSpec) {
	n.index, n.joined = len(t.nodes), len(t.nodes)
	t.nodes = append(t.nodes, n)
	t.byName[n.name] = n
	for _, parent := range n.parents {
		t.unite(n, t.byName[parent])
	}
}
