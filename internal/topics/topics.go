// Package topics works out the internal topics of an application, repartition
// topics and changelogs, and makes sure that they exist: how many partitions
// each has, which topics must agree on their count, which tasks follow. It
// owns Java's RepartitionTopics, CopartitionedTopicsEnforcer, PartitionGrouper,
// ChangelogTopics and the part of InternalTopicManager that a group leader
// needs.
//
// It refuses to know how topics are named and configured: names are full ones,
// with the application id, and configs come ready from package changelog. The
// computation is pure; brokers are reached through [Admin] alone.
package topics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// Topic is an internal topic to exist.
type Topic struct {
	Name string
	// Partitions is the number of partitions; 0 in a Topology means that it
	// follows from the topics upstream.
	Partitions int
	Configs    map[string]string
}

// Subtopology is what counts of one sub-topology.
type Subtopology struct {
	ID int
	// Sources are all topics read, repartition topics among them; patterns
	// are resolved by the caller.
	Sources []string
	// Sinks are the topics written, at least the repartition topics.
	Sinks []string
	// Repartitions are the repartition topics among Sources.
	Repartitions []Topic
	// Changelogs of the stores; Partitions is not looked at. One whose name is
	// among the sources is that topic itself and is not created.
	Changelogs []Topic
}

// Topology is an application's sub-topologies without those of global stores.
type Topology struct {
	Subtopologies []Subtopology
	// Copartition are groups of topics that must have equal counts.
	Copartition [][]string
}

// Layout is what follows from a topology and the partition counts of its
// source topics.
type Layout struct {
	// Partitions of all topics read, by name.
	Partitions map[string]int
	// Repartitions and Changelogs are the topics to exist, by name.
	Repartitions, Changelogs []Topic
	// Inputs are all tasks with the partitions they read, sorted.
	Inputs map[task.ID][]kafka.TopicPartition
	// Stores are the tasks that have changelogs with the partitions of these,
	// sorted, topics that are read as sources included.
	Stores map[task.ID][]kafka.TopicPartition
}

// MissingError says that source topics do not exist (Java's
// MissingSourceTopicException).
type MissingError struct {
	// Topics by the id of the sub-topology that reads them, sorted.
	Topics map[int][]string
}

// Error names the topics and the cure.
func (e *MissingError) Error() string {
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(e.Topics)) {
		parts = append(parts, fmt.Sprintf("Missing source topics [%s] for subtopology %d", strings.Join(e.Topics[id], ", "), id))
	}
	return strings.Join(parts, "; ") + "; create them before the application starts, or correct their names"
}

// External returns the source topics that are not internal, sorted: those
// whose partition counts Plan needs.
func (t Topology) External() []string {
	internal := t.repartitions()
	all := make(map[string]bool)
	for _, s := range t.Subtopologies {
		for _, topic := range s.Sources {
			if internal[topic] == nil {
				all[topic] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// repartition is a repartition topic whose count is being worked out.
type repartition struct {
	Topic
	enforced bool // the application gave the count
}

func (t Topology) repartitions() map[string]*repartition {
	out := make(map[string]*repartition)
	for _, s := range t.Subtopologies {
		for _, r := range s.Repartitions {
			out[r.Name] = &repartition{r, r.Partitions > 0}
		}
	}
	return out
}

// Plan computes the layout. Existing holds the partition counts of the topics
// that exist; those of internal topics in it are not looked at, see [Ensure].
// A *MissingError is returned if source topics are absent; all other errors
// need a change of the application or its topics.
func Plan(t Topology, existing map[string]int) (*Layout, error) {
	if err := t.missing(existing); err != nil {
		return nil, err
	}
	reps := t.repartitions()
	if err := t.derive(reps, existing); err != nil {
		return nil, err
	}
	for _, group := range t.Copartition {
		if err := enforce(group, reps, existing); err != nil {
			return nil, err
		}
	}
	l := &Layout{
		Partitions: make(map[string]int),
		Inputs:     make(map[task.ID][]kafka.TopicPartition),
		Stores:     make(map[task.ID][]kafka.TopicPartition),
	}
	for _, name := range slices.Sorted(maps.Keys(reps)) {
		l.Repartitions = append(l.Repartitions, reps[name].Topic)
	}
	for _, s := range t.Subtopologies {
		for _, topic := range s.Sources {
			if r := reps[topic]; r != nil {
				l.Partitions[topic] = r.Partitions
			} else {
				l.Partitions[topic] = existing[topic]
			}
		}
		l.addTasks(s)
	}
	slices.SortFunc(l.Changelogs, func(a, b Topic) int { return cmp.Compare(a.Name, b.Name) })
	return l, nil
}

func (t Topology) missing(existing map[string]int) error {
	e := &MissingError{Topics: make(map[int][]string)}
	reps := t.repartitions()
	for _, s := range t.Subtopologies {
		for _, topic := range s.Sources {
			if reps[topic] == nil && existing[topic] == 0 {
				e.Topics[s.ID] = append(e.Topics[s.ID], topic)
			}
		}
		slices.Sort(e.Topics[s.ID])
	}
	maps.DeleteFunc(e.Topics, func(_ int, topics []string) bool { return len(topics) == 0 })
	if len(e.Topics) > 0 {
		return e
	}
	return nil
}

// addTasks makes one task for each partition number that any source has.
func (l *Layout) addTasks(s Subtopology) {
	n := 0
	for _, topic := range s.Sources {
		n = max(n, l.Partitions[topic])
	}
	for p := range int32(n) {
		id := task.ID{Subtopology: int32(s.ID), Partition: p}
		for _, topic := range s.Sources {
			if int(p) < l.Partitions[topic] {
				l.Inputs[id] = append(l.Inputs[id], kafka.TopicPartition{Topic: topic, Partition: p})
			}
		}
		slices.SortFunc(l.Inputs[id], kafka.TopicPartition.Compare)
		for _, c := range s.Changelogs {
			l.Stores[id] = append(l.Stores[id], kafka.TopicPartition{Topic: c.Name, Partition: p})
		}
		slices.SortFunc(l.Stores[id], kafka.TopicPartition.Compare)
		if len(l.Stores[id]) == 0 {
			delete(l.Stores, id)
		}
	}
	for _, c := range s.Changelogs {
		if !slices.Contains(s.Sources, c.Name) && n > 0 {
			c.Partitions = n
			l.Changelogs = append(l.Changelogs, c)
		}
	}
}
