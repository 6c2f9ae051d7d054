package processor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/millrace/millrace/internal/javaorder"
)

// AddInternalTopic declares a topic that the application creates and that gets
// its id in front of the name. The last declaration of a name holds.
func (t *Topology) AddInternalTopic(topic InternalTopic) error {
	if topic.Name == "" {
		return fmt.Errorf("an internal topic has no name")
	}
	t.internal[topic.Name] = topic
	return nil
}

// InternalTopic returns the declaration of an internal topic.
func (t *Topology) InternalTopic(topic string) (InternalTopic, bool) {
	in, ok := t.internal[topic]
	return in, ok
}

// TopicName is the real name of a topic: internal ones get the application id
// in front.
func (t *Topology) TopicName(applicationID, topic string) string {
	if _, ok := t.internal[topic]; ok {
		return applicationID + "-" + topic
	}
	return topic
}

// SourceTopics returns the real names of all topics that sources name, without
// those of global stores, in the order of Java's strings.
func (t *Topology) SourceTopics(applicationID string) []string {
	var topics []string
	for _, n := range t.nodes {
		if n.kind != SourceNode || n.global {
			continue
		}
		for _, topic := range n.source.Topics {
			topics = append(topics, t.TopicName(applicationID, topic))
		}
	}
	slices.SortFunc(topics, javaorder.CompareStrings)
	return topics
}

// Patterns returns the patterns of all sources in the order in which they were
// added. If there is none, SourceTopics is the whole subscription.
func (t *Topology) Patterns() []string {
	var patterns []string
	for _, n := range t.nodes {
		if n.pattern != nil {
			patterns = append(patterns, n.source.Pattern)
		}
	}
	return patterns
}

// GlobalTopics returns the topics of the global stores in the order in which
// those were added.
func (t *Topology) GlobalTopics() []string {
	var topics []string
	for _, n := range t.nodes {
		if n.global && n.kind == SourceNode {
			topics = append(topics, n.source.Topics...)
		}
	}
	return topics
}

// MatchTopics finds the topics that belong to the sources with patterns: from
// the name of a source to its topics, in the order given. Two patterns that
// match one topic are an error.
func (t *Topology) MatchTopics(topics []string) (map[string][]string, error) {
	matched := map[string][]string{}
	first := map[string]*nodeSpec{}
	for _, n := range t.nodes {
		if n.pattern == nil {
			continue
		}
		for _, topic := range topics {
			if !n.pattern.MatchString(topic) {
				continue
			}
			if other, ok := first[topic]; ok {
				return nil, invalid("Topic %s is already matched for another regex pattern %s and hence cannot be matched "+
					"to this regex pattern %s any more.", topic, other.source.Pattern, n.source.Pattern)
			}
			first[topic] = n
			matched[n.name] = append(matched[n.name], topic)
		}
	}
	return matched, nil
}

// OffsetReset returns where a topic starts without a committed offset; the
// topic is without the application id. It is false for a topic that no source
// reads and for those of global stores.
func (t *Topology) OffsetReset(topic string) (OffsetReset, bool) {
	if n, ok := t.readers[topic]; ok {
		if n.global {
			return OffsetReset{}, false
		}
		return n.source.Reset, true
	}
	for _, n := range t.nodes {
		if n.pattern != nil && n.pattern.MatchString(topic) {
			return n.source.Reset, true
		}
	}
	return OffsetReset{}, false
}

// Copartition demands that the topics of the named sources have the same
// number of partitions.
func (t *Topology) Copartition(sources ...string) {
	t.copartition = append(t.copartition, javaorder.HashSetOf(sources))
}

// ReplaceCopartitioned puts one source in the place of another in every
// demand made so far, for rewrites that drop the other.
func (t *Topology) ReplaceCopartitioned(source, by string) {
	for _, sources := range t.copartition {
		if sources.Remove(source) {
			sources.Add(by)
		}
	}
}

// ValidateCopartition checks that the partition counts given for internal
// topics that must be co-partitioned agree. Groups with a topic whose count is
// not known yet are left to the assignment.
func (t *Topology) ValidateCopartition() error {
	for _, sources := range t.copartition {
		topics := t.topicsOf(sources, nil)
		slices.SortFunc(topics, javaorder.CompareStrings)
		counts := make([]string, 0, len(topics))
		agree := true
		for _, topic := range topics {
			in := t.internal[topic]
			if in.Partitions == 0 {
				break
			}
			agree = agree && in.Partitions == t.internal[topics[0]].Partitions
			counts = append(counts, fmt.Sprintf("%s=%d", topic, in.Partitions))
		}
		if !agree && len(counts) == len(topics) {
			return invalid("Following topics do not have the same number of partitions: [{%s}]", strings.Join(counts, ", "))
		}
	}
	return nil
}

// CopartitionGroups returns the groups of real topic names that must have the
// same number of partitions, groups and members in Java's order. matched are
// the topics of sources with patterns, as [Topology.MatchTopics] gives them; it
// may be nil. A demand that touches an earlier group enlarges that group; one
// that touches several enlarges the first it meets, as in Java.
func (t *Topology) CopartitionGroups(applicationID string, matched map[string][]string) [][]string {
	groupOf := javaorder.NewStringMap[*javaorder.HashSet]()
	var order []string // groupOf is a LinkedHashMap in Java
	for _, sources := range t.copartition {
		set := javaorder.NewHashSet()
		for _, topic := range t.topicsOf(sources, matched) {
			set.Add(t.TopicName(applicationID, topic))
		}
		topics := set.Slice()
		var group *javaorder.HashSet
		for _, topic := range topics {
			if g, ok := groupOf.Get(topic); ok {
				group = g
				break
			}
		}
		if group == nil {
			group = javaorder.NewHashSet()
		}
		group.AddAll(topics)
		for _, topic := range topics {
			if _, ok := groupOf.Get(topic); !ok {
				order = append(order, topic)
			}
			groupOf.Put(topic, group)
		}
	}
	unique := javaorder.NewSetOfSets()
	unique.Grow(len(order)) // Java copies the values of the map, one for each topic
	for _, topic := range order {
		g, _ := groupOf.Get(topic)
		unique.Add(g)
	}
	var groups [][]string
	for g := range unique.All() {
		groups = append(groups, g.Slice())
	}
	return groups
}

// topicsOf returns the distinct topics of sources, without application id, in
// the order in which Java comes to them.
func (t *Topology) topicsOf(sources *javaorder.HashSet, matched map[string][]string) []string {
	var topics []string
	add := func(more []string) {
		for _, topic := range more {
			if !slices.Contains(topics, topic) {
				topics = append(topics, topic)
			}
		}
	}
	for source := range sources.All() {
		if n, ok := t.byName[source]; ok && n.kind == SourceNode {
			add(n.source.Topics)
		}
		add(matched[source])
	}
	return topics
}
