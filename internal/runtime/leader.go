package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/assign"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/internal/topics"
	"github.com/millrace/millrace/processor"
)

// Balance implements kafka.Assignor: the leader makes sure that the internal
// topics exist as the topology wants them, then shares out the tasks. What
// trying again cannot mend is told to all members by an error code, as in
// Java; the reason ends the leader's own application.
func (a *assignor) Balance(ctx context.Context, members []kafka.Member, known map[string]int32) (map[string]kafka.Assignment, error) {
	group, err := assign.ReadGroup(members)
	if err != nil {
		return nil, err
	}
	if group.Shutdown() {
		return group.Fail(assign.ShutdownRequested), nil
	}
	layout, err := a.p.prepare(ctx, slices.Collect(maps.Keys(known)))
	if err != nil {
		return a.refuse(group, err)
	}
	work := assign.Work{Inputs: layout.Inputs, Stateful: make(map[task.ID]bool)}
	for id := range layout.Stores {
		work.Stateful[id] = true
	}
	out, shares := group.Assign(work)
	for _, id := range slices.Sorted(maps.Keys(shares)) {
		a.log.Info("assigned as leader", "member", id, "active", len(shares[id].Active), "withheld", len(shares[id].Withheld))
	}
	return out, nil
}

// refuse tells the members that there is no assignment.
func (a *assignor) refuse(group *assign.Group, err error) (map[string]kafka.Assignment, error) {
	if kafka.Retriable(err) || errors.Is(err, context.Canceled) {
		return nil, err
	}
	a.log.Error("tasks cannot be assigned", "err", err)
	a.mu.Lock()
	a.reason = err
	a.mu.Unlock()
	var missing *topics.MissingError
	if errors.As(err, &missing) {
		return group.Fail(assign.MissingSourceTopics), nil
	}
	return group.Fail(assign.AssignmentFailed), nil
}

// prepare plans the tasks and sets up the internal topics; known are the
// topics that patterns may match.
func (p *Process) prepare(ctx context.Context, known []string) (*topics.Layout, error) {
	t, err := p.topicTopology(known)
	if err != nil {
		return nil, err
	}
	replicas := int(p.cfg.Task.ReplicationFactor)
	if replicas == 0 {
		replicas = -1
	}
	layout, created, err := topics.Prepare(ctx, p.admin, t, replicas)
	if err != nil {
		return nil, err
	}
	if len(created) > 0 {
		p.log.Info("internal topics created", "topics", created)
	}
	return layout, nil
}

// prepareAtStart sets up the internal topics before the first worker joins.
// The leader would do it too, but the client takes a topic that comes to exist
// after it was assigned for a new one, and begins it anew.
func (p *Process) prepareAtStart(ctx context.Context) error {
	var known []string
	if len(p.cfg.Topology.Patterns()) > 0 {
		infos, err := p.admin.DescribeTopics(ctx)
		if err != nil {
			return err
		}
		known = slices.Collect(maps.Keys(infos))
	}
	_, err := p.prepare(ctx, known)
	return err
}

// topicTopology is the topology with real topic names and configs; known are
// the topics that patterns may match.
func (p *Process) topicTopology(known []string) (topics.Topology, error) {
	t, app := p.cfg.Topology, p.cfg.Task.ApplicationID
	named := t.SourceTopics(app)
	known = slices.DeleteFunc(slices.Clone(known), func(topic string) bool { return slices.Contains(named, topic) })
	slices.Sort(known)
	matched, err := t.MatchTopics(known)
	if err != nil {
		return topics.Topology{}, err
	}
	out := topics.Topology{Copartition: t.CopartitionGroups(app, matched)}
	for _, s := range t.Subtopologies() {
		if !s.Global {
			out.Subtopologies = append(out.Subtopologies, p.topicSubtopology(s, matched))
		}
	}
	return out, nil
}

func (p *Process) topicSubtopology(s processor.Subtopology, matched map[string][]string) topics.Subtopology {
	t, cfg := p.cfg.Topology, &p.cfg.Task
	full := func(names []string) []string {
		var out []string
		for _, name := range names {
			out = append(out, t.TopicName(cfg.ApplicationID, name))
		}
		return out
	}
	out := topics.Subtopology{ID: s.ID, Sources: full(s.SourceTopics), Sinks: full(s.SinkTopics)}
	for _, source := range s.Sources {
		out.Sources = append(out.Sources, matched[source]...)
	}
	for _, r := range s.RepartitionSourceTopics {
		props := changelog.TopicConfig{Kind: changelog.Repartition}
		out.Repartitions = append(out.Repartitions, topics.Topic{Name: t.TopicName(cfg.ApplicationID, r.Name),
			Partitions: int(r.Partitions), Configs: props.Properties(cfg.TopicConfig, cfg.WindowedChangelogExtra)})
	}
	for _, c := range s.Changelogs {
		props := changelog.ConfigOf(c.Store)
		out.Changelogs = append(out.Changelogs, topics.Topic{Name: c.FullTopic(cfg.ApplicationID),
			Configs: props.Properties(cfg.TopicConfig, cfg.WindowedChangelogExtra)})
	}
	return out
}

// errLeaderRefused: the leader, another member, could not assign tasks.
func errLeaderRefused(code int32) error {
	return fmt.Errorf("the group's leader could not assign tasks (error code %d); the log of the instance that leads the group names the reason", code)
}
