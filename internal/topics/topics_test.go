package topics_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/internal/topics"
)

func rep(name string, n int) topics.Topic { return topics.Topic{Name: name, Partitions: n} }

// chain is in -> r1 -> r2, with a changelog at the end.
func chain(n int) topics.Topology {
	return topics.Topology{Subtopologies: []topics.Subtopology{
		{ID: 0, Sources: []string{"in"}, Sinks: []string{"r1", "out"}},
		{ID: 2, Sources: []string{"r2"}, Repartitions: []topics.Topic{rep("r2", 0)}, Changelogs: []topics.Topic{{Name: "log"}}},
		{ID: 1, Sources: []string{"r1"}, Sinks: []string{"r2"}, Repartitions: []topics.Topic{rep("r1", n)}},
	}}
}

func TestPlanCounts(t *testing.T) {
	for _, tt := range []struct {
		name     string
		topology topics.Topology
		existing map[string]int
		want     string // counts of topics read, sorted
	}{
		{"chained derivation", chain(0), map[string]int{"in": 3}, "in=3 r1=3 r2=3"},
		{"given count flows on", chain(7), map[string]int{"in": 3}, "in=3 r1=7 r2=7"},
		{"existing internal counts do not decide", chain(0), map[string]int{"in": 3, "r1": 5}, "in=3 r1=3 r2=3"},
		{"largest source", topics.Topology{Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"a", "b"}, Sinks: []string{"r"}},
			{ID: 1, Sources: []string{"r"}, Repartitions: []topics.Topic{rep("r", 0)}},
		}}, map[string]int{"a": 2, "b": 5}, "a=2 b=5 r=5"},
		{"waits for the chain", topics.Topology{Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"a", "y"}, Sinks: []string{"x"}, Repartitions: []topics.Topic{rep("y", 0)}},
			{ID: 1, Sources: []string{"big"}, Sinks: []string{"y"}},
			{ID: 2, Sources: []string{"x"}, Repartitions: []topics.Topic{rep("x", 0)}},
		}}, map[string]int{"a": 1, "big": 8}, "a=1 big=8 x=8 y=8"},
		{"circle", topics.Topology{Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"in", "loop"}, Sinks: []string{"loop"}, Repartitions: []topics.Topic{rep("loop", 0)}},
		}}, map[string]int{"in": 4}, "in=4 loop=4"},
		{"co-partitioned with a user's topic", topics.Topology{Copartition: [][]string{{"in", "r"}}, Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"src"}, Sinks: []string{"r"}},
			{ID: 1, Sources: []string{"in", "r"}, Repartitions: []topics.Topic{rep("r", 0)}},
		}}, map[string]int{"in": 6, "src": 2}, "in=6 r=6 src=2"},
		{"co-partitioned with a given count", topics.Topology{Copartition: [][]string{{"q", "r"}}, Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"src"}, Sinks: []string{"r", "q"}},
			{ID: 1, Sources: []string{"q", "r"}, Repartitions: []topics.Topic{rep("q", 0), rep("r", 3)}},
		}}, map[string]int{"src": 8}, "q=3 r=3 src=8"},
		{"co-partitioned at the largest", topics.Topology{Copartition: [][]string{{"q", "r"}}, Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"a"}, Sinks: []string{"q"}}, {ID: 1, Sources: []string{"b"}, Sinks: []string{"r"}},
			{ID: 2, Sources: []string{"q", "r"}, Repartitions: []topics.Topic{rep("q", 0), rep("r", 0)}},
		}}, map[string]int{"a": 2, "b": 5}, "a=2 b=5 q=5 r=5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := topics.Plan(tt.topology, tt.existing)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for name, n := range l.Partitions {
				got = append(got, fmt.Sprintf("%s=%d", name, n))
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("counts %s, want %s", s, tt.want)
			}
		})
	}
}

func TestPlanErrors(t *testing.T) {
	join := func(copart []string, reps ...topics.Topic) topics.Topology {
		names := []string{}
		for _, r := range reps {
			names = append(names, r.Name)
		}
		sources := slices.Compact(slices.Sorted(slices.Values(slices.Concat(copart, names))))
		return topics.Topology{Copartition: [][]string{copart}, Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"src"}, Sinks: names}, {ID: 1, Sources: sources, Repartitions: reps},
		}}
	}
	for _, tt := range []struct {
		name     string
		topology topics.Topology
		existing map[string]int
		want     string
	}{
		{"user's topics differ", join([]string{"b", "a"}), map[string]int{"src": 1, "a": 2, "b": 3},
			"Invalid topology: Topics not co-partitioned: [{a=2, b=3}] (give"},
		{"given counts differ", join([]string{"q", "r"}, rep("q", 4), rep("r", 3)), map[string]int{"src": 1},
			"Invalid topology: Following topics do not have the same number of partitions: [{q=4, r=3}] (give"},
		{"given count against a user's topic", join([]string{"a", "r"}, rep("r", 3)), map[string]int{"src": 1, "a": 2},
			"Invalid topology: Number of partitions [3] of repartition topic [r] doesn't match number of partitions [2] of the source topic. (give"},
		{"nobody writes it", topics.Topology{Subtopologies: []topics.Subtopology{
			{ID: 0, Sources: []string{"r"}, Repartitions: []topics.Topic{rep("r", 0)}}}}, nil,
			"Failed to compute number of partitions for all repartition topics [r], make sure"},
		{"missing", chain(0), nil, "Missing source topics [in] for subtopology 0; create them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := topics.Plan(tt.topology, tt.existing)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s…", err, tt.want)
			}
			var missing *topics.MissingError
			if errors.As(err, &missing) != (tt.name == "missing") {
				t.Errorf("error %#v, a MissingError where it should not or none where it should", err)
			}
		})
	}
}

func TestPlanTasksAndChangelogs(t *testing.T) {
	configs := map[string]string{"cleanup.policy": "compact"}
	topo := topics.Topology{Subtopologies: []topics.Subtopology{
		{ID: 0, Sources: []string{"b", "a"}, Changelogs: []topics.Topic{{Name: "z-log", Configs: configs}, {Name: "b"}}},
		{ID: 3, Sources: []string{"c"}},
	}}
	l, err := topics.Plan(topo, map[string]int{"a": 2, "b": 1, "c": 1})
	if err != nil {
		t.Fatal(err)
	}
	tp := func(s string, p int32) kafka.TopicPartition { return kafka.TopicPartition{Topic: s, Partition: p} }
	t00, t01, t30 := task.ID{}, task.ID{Partition: 1}, task.ID{Subtopology: 3}
	want := &topics.Layout{
		Partitions: map[string]int{"a": 2, "b": 1, "c": 1},
		Changelogs: []topics.Topic{{Name: "z-log", Partitions: 2, Configs: configs}},
		Inputs:     map[task.ID][]kafka.TopicPartition{t00: {tp("a", 0), tp("b", 0)}, t01: {tp("a", 1)}, t30: {tp("c", 0)}},
		Stores:     map[task.ID][]kafka.TopicPartition{t00: {tp("b", 0), tp("z-log", 0)}, t01: {tp("b", 1), tp("z-log", 1)}},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
}

func TestPrepareOnBroker(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	a, err := kafka.NewAdmin(kafka.Config{Brokers: c.ListenAddrs()})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	topo := chain(0)
	topo.Subtopologies[2].Repartitions[0].Configs = map[string]string{"cleanup.policy": "delete", "retention.ms": "-1"}
	l, created, err := topics.Prepare(ctx, a, topo, -1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"r1", "r2", "log"}, created); diff != "" || len(l.Inputs) != 9 {
		t.Errorf("created: %s; %d tasks, want 9", diff, len(l.Inputs))
	}
	if got, err := a.DescribeConfigs(ctx, "r1"); err != nil || got["retention.ms"] != "-1" {
		t.Errorf("configs %v, %v", got, err)
	}
	if _, created, err = topics.Prepare(ctx, a, topo, -1); err != nil || len(created) != 0 {
		t.Errorf("the second time created %v, %v", created, err)
	}
	_, _, err = topics.Prepare(ctx, a, chain(5), -1)
	if want := "Existing internal topic r1 has invalid partitions: expected: 5; actual: 3."; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "reset") {
		t.Errorf("error %v, want %s and the cure", err, want)
	}
}

// slow is a cluster whose topics appear only some looks after their creation,
// and where another leader creates "r1" at the same time.
type slow struct {
	topics map[string]int
	age    map[string]int
	down   int // calls that fail first
}

func (s *slow) DescribeTopics(_ context.Context, names ...string) (map[string]kafka.TopicInfo, error) {
	if s.down > 0 {
		s.down--
		return nil, fmt.Errorf("describe: %w", kafka.ErrUnreachable)
	}
	out := map[string]kafka.TopicInfo{}
	for _, n := range names {
		if s.topics[n] > 0 && s.age[n] > 1 {
			out[n] = kafka.TopicInfo{Name: n, Partitions: s.topics[n]}
		}
		s.age[n]++
	}
	return out, nil
}

func (s *slow) CreateTopic(_ context.Context, name string, partitions, _ int, _ map[string]string) error {
	if s.topics[name] > 0 {
		return fmt.Errorf("create: %w", kafka.ErrTopicExists)
	}
	s.topics[name] = partitions
	return nil
}

func TestEnsureWaitsAndToleratesOthers(t *testing.T) {
	s := &slow{topics: map[string]int{"r1": 3}, age: map[string]int{}, down: 1}
	created, err := topics.Ensure(t.Context(), s, []topics.Topic{rep("r1", 3), rep("r2", 3)}, 1)
	if diff := cmp.Diff([]string{"r2"}, created); err != nil || diff != "" {
		t.Error(diff, err)
	}
	never, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = topics.Ensure(never, &slow{topics: map[string]int{}, age: map[string]int{"x": -1 << 30}}, []topics.Topic{rep("x", 1)}, 1)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "[x]") {
		t.Errorf("error %v, want the topic waited for", err)
	}
}
