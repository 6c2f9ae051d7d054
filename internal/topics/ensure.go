package topics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/millrace/millrace/internal/kafka"
)

// Admin is what of the cluster is needed; *kafka.Admin implements it.
type Admin interface {
	// DescribeTopics returns those of the topics that exist.
	DescribeTopics(ctx context.Context, names ...string) (map[string]kafka.TopicInfo, error)
	// CreateTopic fails with kafka.ErrTopicExists if there is one.
	CreateTopic(ctx context.Context, name string, partitions int, replicas int, configs map[string]string) error
}

// Prepare plans the layout for the topics that exist now and makes sure of the
// internal ones: first repartition topics, then changelogs, as Java does. It
// returns the names of the topics it created.
func Prepare(ctx context.Context, a Admin, t Topology, replicas int) (*Layout, []string, error) {
	existing := make(map[string]int)
	if names := t.External(); len(names) > 0 {
		infos, err := a.DescribeTopics(ctx, names...)
		if err != nil {
			return nil, nil, fmt.Errorf("look up source topics: %w", err)
		}
		for name, info := range infos {
			existing[name] = info.Partitions
		}
	}
	l, err := Plan(t, existing)
	if err != nil {
		return nil, nil, err
	}
	var created []string
	for _, topics := range [][]Topic{l.Repartitions, l.Changelogs} {
		made, err := Ensure(ctx, a, topics, replicas)
		if err != nil {
			return nil, nil, err
		}
		created = append(created, made...)
	}
	return l, created, nil
}

// Ensure makes the topics exist with their numbers of partitions: it creates
// the missing ones with the replication factor (-1: the broker's default) and
// waits until all can be seen. It returns the names of those it created. An
// existing topic with another number of partitions is an error; configs of
// existing topics are left alone.
func Ensure(ctx context.Context, a Admin, topics []Topic, replicas int) (created []string, err error) {
	missing := make(map[string]Topic, len(topics))
	for _, t := range topics {
		missing[t.Name] = t
	}
	tried := make(map[string]bool)
	for try := 0; ; try++ {
		if err := check(ctx, a, missing); err != nil {
			return nil, err
		}
		if len(missing) == 0 {
			return created, nil
		}
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			if tried[name] {
				continue
			}
			t := missing[name]
			err := a.CreateTopic(ctx, name, t.Partitions, replicas, t.Configs)
			switch {
			case err == nil:
				tried[name] = true
				created = append(created, name)
			case errors.Is(err, kafka.ErrTopicExists):
				// Another leader was quicker, or a deletion is still under
				// way; the next look tells.
			case !kafka.Retriable(err):
				return nil, fmt.Errorf("set up internal topics: %w", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for internal topics %v to appear: %w", slices.Sorted(maps.Keys(missing)), ctx.Err())
		case <-time.After(min(time.Second, 10*time.Millisecond<<min(try, 7))):
		}
	}
}

// check drops from missing the topics that exist as wanted.
func check(ctx context.Context, a Admin, missing map[string]Topic) error {
	if len(missing) == 0 {
		return nil
	}
	infos, err := a.DescribeTopics(ctx, slices.Sorted(maps.Keys(missing))...)
	if err != nil {
		if kafka.Retriable(err) {
			return nil
		}
		return fmt.Errorf("look up internal topics: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(infos)) {
		t, ok := missing[name]
		if !ok || infos[name].Partitions == 0 {
			continue
		}
		if got := infos[name].Partitions; got != t.Partitions {
			return fmt.Errorf("Existing internal topic %s has invalid partitions: expected: %d; actual: %d. "+
				"Its source topics or the topology have changed: stop all instances and reset the application "+
				"(`millrace reset`, or Java's StreamsResetter), which deletes its internal topics", name, t.Partitions, got)
		}
		delete(missing, name)
	}
	return nil
}
