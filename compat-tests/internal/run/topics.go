package run

import (
	"slices"
	"strings"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/compat-tests/internal/golden"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/processor"
)

// sortedTexts sorts a copy in Java's order of strings.
func sortedTexts(l []string) []string {
	out := slices.Clone(l)
	slices.SortFunc(out, javaorder.CompareStrings)
	return slices.Compact(out)
}

// subtopologies shows what the runtime would need to know: stores, topics and
// the settings of internal topics. Sub-topologies that read no named topic, and
// those of global stores, are missing, as in Java.
func (r *run) subtopologies(t *processor.Topology) []any {
	out := []any{}
	for _, sub := range t.Subtopologies() {
		if sub.Global || len(sub.SourceTopics) == 0 {
			continue
		}
		if slices.ContainsFunc(sub.RepartitionSourceTopics, refusedByJava) {
			return []any{tree.NewObject("at", "subtopologies", "class", illegalArgument)}
		}
		out = append(out, r.subtopology(t, &sub))
	}
	if groups := copartitioned(t, r.settings.config.ApplicationID); len(groups) > 0 {
		out = append(out, tree.NewObject("copartition", groups))
	}
	return out
}

// refusedByJava tells a topic whose number of partitions was given and makes no
// sense, which Java notices only when the topic is described.
func refusedByJava(topic processor.InternalTopic) bool { return topic.Enforced && topic.Partitions < 1 }

func (r *run) subtopology(t *processor.Topology, sub *processor.Subtopology) *tree.Object {
	app := r.settings.config.ApplicationID
	sources := map[string]processor.OffsetReset{}
	for _, topic := range sub.SourceTopics {
		sources[t.TopicName(app, topic)], _ = t.OffsetReset(topic)
	}
	sinks := make([]string, 0, len(sub.SinkTopics))
	for _, topic := range sub.SinkTopics {
		sinks = append(sinks, t.TopicName(app, topic))
	}
	repartition := map[string]*tree.Object{}
	for _, topic := range sub.RepartitionSourceTopics {
		repartition[t.TopicName(app, topic.Name)] = r.repartitionTopic(topic)
	}
	changelogs := map[string]*tree.Object{}
	for _, c := range sub.Changelogs {
		changelogs[c.FullTopic(app)] = r.changelogTopic(c)
	}
	object := func(o *tree.Object) any { return o }
	return tree.NewObject("id", int64(sub.ID), "stores", golden.Texts(sortedTexts(sub.Stores)),
		"sources", golden.Sorted(sources, resetText), "sinks", golden.Texts(sortedTexts(sinks)),
		"repartition", golden.Sorted(repartition, object), "changelogs", golden.Sorted(changelogs, object))
}

func resetText(reset processor.OffsetReset) any {
	switch reset.Policy {
	case "":
		return nil
	case "by_duration":
		return "by_duration:" + reset.Text
	}
	return reset.Policy
}

func (r *run) repartitionTopic(topic processor.InternalTopic) *tree.Object {
	o := tree.NewObject()
	if topic.Partitions > 0 {
		o.Set("partitions", int64(topic.Partitions))
	}
	if topic.Enforced {
		o.Set("enforced", true)
	}
	o.Set("config", r.topicSettings(changelog.TopicConfig{Kind: changelog.Repartition}))
	return o
}

func (r *run) changelogTopic(c processor.Changelog) *tree.Object {
	return tree.NewObject("config", r.topicSettings(changelog.ConfigOf(c.Store)))
}

func (r *run) topicSettings(c changelog.TopicConfig) *tree.Object {
	props := c.Properties(nil, r.settings.config.WindowedChangelogExtra)
	return golden.Sorted(props, func(s string) any { return s })
}

// copartitioned gives the groups of topics, each sorted, in the order of Java's
// text of a list.
func copartitioned(t *processor.Topology, app string) []any {
	groups := map[string][]any{}
	var texts []string
	for _, g := range t.CopartitionGroups(app, nil) {
		topics := sortedTexts(g)
		text := "[" + strings.Join(topics, ", ") + "]"
		groups[text] = golden.Texts(topics)
		texts = append(texts, text)
	}
	var out []any
	for _, text := range sortedTexts(texts) {
		out = append(out, groups[text])
	}
	return out
}
