package processor

import (
	"slices"

	"github.com/millrace/millrace/statestore"
)

// Subtopology is a group of nodes that are connected by edges or by stores
// they share. Its tasks are numbered by its ID and a partition. All lists are
// in the order in which the nodes were added unless said otherwise.
type Subtopology struct {
	// ID counts the groups in the order of their first nodes; groups of global
	// stores count too, although they make no tasks.
	ID int
	// Global is set for the two nodes of a global store.
	Global bool
	// Nodes are the names of all nodes, parents before children; the next
	// three lists are its parts.
	Nodes, Sources, Processors, Sinks []string
	// Stores are the connected stores in the order in which a task opens them.
	Stores []string
	// SourceTopics and Patterns are what the sources read.
	SourceTopics, Patterns []string
	// SinkTopics are the fixed topics that are written, without the changelogs.
	SinkTopics []string
	// RepartitionSourceTopics are the internal topics among SourceTopics.
	RepartitionSourceTopics []InternalTopic
	// Changelogs are those of the stores that have one, in the order of Stores.
	Changelogs []Changelog
}

// Changelog is the topic a store is restored from.
type Changelog struct {
	Store statestore.Builder
	// Topic is without the application id.
	Topic string
	// SourceTopic says that Topic is a topic the sub-topology reads, which
	// nothing is logged to and which keeps its name.
	SourceTopic bool
}

// FullTopic is the real name of the changelog.
func (c Changelog) FullTopic(applicationID string) string {
	if c.SourceTopic {
		return c.Topic
	}
	return applicationID + "-" + c.Topic
}

// group is the nodes of a sub-topology.
type group struct {
	id     int
	global bool
	nodes  []*nodeSpec
}

// unite joins the groups of two nodes.
func (t *Topology) unite(a, b *nodeSpec) {
	t.nodes[t.root(a.index)].joined = t.root(b.index)
}

func (t *Topology) root(i int) int {
	for t.nodes[i].joined != i {
		i = t.nodes[i].joined
	}
	return i
}

// groups returns the groups by id.
func (t *Topology) groups() []*group {
	var groups []*group
	ofRoot := make([]*group, len(t.nodes))
	for i, n := range t.nodes {
		g := &ofRoot[t.root(i)]
		if *g == nil {
			*g = &group{id: len(groups)}
			groups = append(groups, *g)
		}
		(*g).nodes = append((*g).nodes, n)
		(*g).global = (*g).global || n.global
	}
	return groups
}

// Subtopologies returns the sub-topologies by id.
func (t *Topology) Subtopologies() []Subtopology {
	groups := t.groups()
	subs := make([]Subtopology, len(groups))
	for i, g := range groups {
		subs[i] = t.subtopology(g)
	}
	return subs
}

func (t *Topology) subtopology(g *group) Subtopology {
	sub := Subtopology{ID: g.id, Global: g.global, Stores: storesOf(g.nodes)}
	for _, n := range g.nodes {
		sub.Nodes = append(sub.Nodes, n.name)
		switch n.kind {
		case SourceNode:
			sub.Sources = append(sub.Sources, n.name)
			sub.SourceTopics = append(sub.SourceTopics, n.source.Topics...)
			if n.pattern != nil {
				sub.Patterns = append(sub.Patterns, n.source.Pattern)
			}
		case ProcessorNode:
			sub.Processors = append(sub.Processors, n.name)
		case SinkNode:
			sub.Sinks = append(sub.Sinks, n.name)
			if topic := n.sink.Topic; topic != "" && !slices.Contains(sub.SinkTopics, topic) {
				sub.SinkTopics = append(sub.SinkTopics, topic)
			}
		}
	}
	for _, topic := range sub.SourceTopics {
		if in, ok := t.internal[topic]; ok {
			sub.RepartitionSourceTopics = append(sub.RepartitionSourceTopics, in)
		}
	}
	for _, store := range sub.Stores {
		if c, ok := t.changelog(store); ok {
			sub.Changelogs = append(sub.Changelogs, c)
		}
	}
	return sub
}

// storesOf returns the stores of nodes in the order in which a Java task opens
// them: node by node, for each in the order of its HashSet of names.
func storesOf(nodes []*nodeSpec) []string {
	var stores []string
	seen := map[string]bool{}
	for _, n := range nodes {
		if n.kind != ProcessorNode {
			continue
		}
		for _, store := range n.stores.Slice() {
			if !seen[store] {
				seen[store] = true
				stores = append(stores, store)
			}
		}
	}
	return stores
}

func (t *Topology) changelog(store string) (Changelog, bool) {
	s := t.storeByName[store]
	if topic, ok := t.reused[store]; ok {
		return Changelog{Store: s.builder, Topic: topic, SourceTopic: true}, true
	}
	if !s.builder.Logged() {
		return Changelog{}, false
	}
	return Changelog{Store: s.builder, Topic: store + "-changelog"}, true
}

// NodeInfo describes one node of a [Topology], for drawings and reports.
type NodeInfo struct {
	Name string
	Kind NodeKind
	// Subtopology is the id of the node's group.
	Subtopology int
	Global      bool
	// Parents and Children are in the order in which records flow to them.
	Parents, Children []string
	// Stores of a processor, in Java's order.
	Stores []string
	// Topics and Pattern are a source's; a sink has one topic or none.
	Topics  []string
	Pattern string
	// Dynamic stands for the computed topic of a sink.
	Dynamic string
}

// Nodes returns all nodes in the order in which they were added.
func (t *Topology) Nodes() []NodeInfo {
	infos := make([]NodeInfo, len(t.nodes))
	for _, g := range t.groups() {
		for _, n := range g.nodes {
			infos[n.index].Subtopology = g.id
		}
	}
	for i, n := range t.nodes {
		info := &infos[i]
		info.Name, info.Kind, info.Global, info.Parents = n.name, n.kind, n.global, slices.Clone(n.parents)
		for _, parent := range n.parents {
			p := &infos[t.byName[parent].index]
			p.Children = append(p.Children, n.name)
		}
		switch n.kind {
		case SourceNode:
			info.Topics, info.Pattern = slices.Clone(n.source.Topics), n.source.Pattern
		case ProcessorNode:
			info.Stores = n.stores.Slice()
		case SinkNode:
			info.Dynamic = n.sink.Dynamic
			if n.sink.Topic != "" {
				info.Topics = []string{n.sink.Topic}
			}
		}
	}
	return infos
}
