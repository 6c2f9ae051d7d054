//go:build unix

package broker_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/compat-tests/broker"
	"github.com/millrace/millrace/internal/assign"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/internal/topics"
)

// worker is a member of the group "app" that uses the real assignor and keeps
// what it is told.
type worker struct {
	process byte
	admin   *kafka.Admin
	topo    topics.Topology
	con     *kafka.Consumer

	mu     sync.Mutex
	unique int8
	tasks  map[task.ID][]kafka.TopicPartition
	lost   int
}

func (w *worker) Subscription() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unique++
	s := assign.Subscription{Process: assign.ProcessID{w.process}, Unique: w.unique, Sums: map[task.ID]int64{}}
	for id := range w.tasks {
		s.Sums[id] = assign.SumRunning
	}
	return s.Encode()
}

func (w *worker) Balance(ctx context.Context, members []kafka.Member, _ map[string]int32) (map[string]kafka.Assignment, error) {
	g, err := assign.ReadGroup(members)
	if err != nil {
		return nil, err
	}
	l, _, err := topics.Prepare(ctx, w.admin, w.topo, -1)
	if err != nil {
		return nil, err
	}
	work := assign.Work{Inputs: l.Inputs, Stateful: map[task.ID]bool{}}
	for id := range l.Stores {
		work.Stateful[id] = true
	}
	out, _ := g.Assign(work)
	return out, nil
}

func (w *worker) OnAssigned(_ context.Context, a kafka.Assigned) {
	info, err := assign.DecodeAssignment(a.UserData)
	if err != nil {
		panic(err)
	}
	tasks, err := info.ActiveTasks(a.All)
	if err != nil {
		panic(err)
	}
	w.mu.Lock()
	w.tasks = tasks
	w.mu.Unlock()
	if info.NextRebalance == 0 {
		w.con.Rejoin()
	}
}

func (w *worker) OnRevoked(context.Context, []kafka.TopicPartition) {}

func (w *worker) OnLost(context.Context, []kafka.TopicPartition) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost++
}

func (w *worker) owned() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []string
	for id := range w.tasks {
		ids = append(ids, id.String())
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func newWorker(t *testing.T, cfg kafka.Config, process byte) *worker {
	t.Helper()
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	w := &worker{process: process, admin: admin, topo: topics.Topology{Subtopologies: []topics.Subtopology{
		{ID: 0, Sources: []string{"in"}, Sinks: []string{"app-x-repartition"}},
		{ID: 1, Sources: []string{"app-x-repartition"}, Repartitions: []topics.Topic{{Name: "app-x-repartition",
			Configs: map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "segment.bytes": "52428800", "message.timestamp.type": "CreateTime"}}},
			Changelogs: []topics.Topic{{Name: "app-s-changelog", Configs: map[string]string{"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"}}}},
	}}}
	w.con, err = kafka.NewConsumer(t.Context(), kafka.ConsumerConfig{Config: cfg, Group: "app",
		Topics: []string{"in", "app-x-repartition"}, Assignor: w, Listener: w, HeartbeatInterval: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.con.Close(context.Background(), kafka.LeaveGroup) })
	return w
}

// until polls the workers in turn until the condition holds and returns the
// values that the first one read.
func until(t *testing.T, what string, cond func([]string) bool, ws ...*worker) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got []string
	for !cond(got) {
		if ctx.Err() != nil {
			for _, w := range ws {
				t.Logf("process %d has %s", w.process, w.owned())
			}
			t.Fatalf("waited in vain for %s, read %q", what, got)
		}
		for i, w := range ws {
			short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
			f := w.con.Poll(short)
			stop()
			if f.Err != nil {
				t.Fatal(f.Err)
			}
			for _, b := range f.Batches {
				if b.Err != nil {
					t.Fatal(b.Err)
				}
				for _, r := range b.Records {
					if i == 0 {
						got = append(got, string(r.Value))
					}
				}
			}
			w.con.AllowRebalance()
		}
	}
	return got
}

func TestGroupOnRealBroker(t *testing.T) {
	cfg := kafka.Config{Brokers: broker.Start(t, 1)}
	a := newWorker(t, cfg, 1)
	if err := errors.Join(a.admin.Ping(t.Context()), a.admin.CreateTopic(t.Context(), "in", 2, -1, nil)); err != nil {
		t.Fatal(err)
	}
	all := "0_0 0_1 1_0 1_1"
	until(t, "all tasks at a", func([]string) bool { return a.owned() == all }, a)
	configs, err := a.admin.DescribeConfigs(t.Context(), "app-x-repartition")
	if err != nil || configs["retention.ms"] != "-1" || configs["segment.bytes"] != "52428800" {
		t.Errorf("configs of the repartition topic %v, %v", configs, err)
	}

	p, err := kafka.NewProducer(kafka.ProducerConfig{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	send := func(topic, v string) {
		if err := errors.Join(p.Produce(t.Context(), topic, 0, nil, []byte(v), 1, nil), p.Flush(t.Context())); err != nil {
			t.Fatal(err)
		}
	}
	send("in", "1")
	send("app-x-repartition", "2")
	got := until(t, "both records", func(got []string) bool { return len(got) == 2 }, a)
	if slices.Sort(got); !cmp.Equal(got, []string{"1", "2"}) {
		t.Errorf("read %q", got)
	}
	in0 := kafka.TopicPartition{Topic: "in"}
	want := map[kafka.TopicPartition]kafka.OffsetAndMeta{in0: {Offset: 1, LeaderEpoch: 0, Metadata: "AgAAAYvP5WgA"}}
	if err := a.con.CommitOffsets(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	committed, err := a.con.Committed(t.Context(), in0, kafka.TopicPartition{Topic: "in", Partition: 1})
	if diff := cmp.Diff(want, committed); err != nil || diff != "" {
		t.Error(diff, err)
	}

	b := newWorker(t, cfg, 2)
	until(t, "half of the tasks at each", func([]string) bool {
		return len(strings.Fields(a.owned())) == 2 && len(strings.Fields(b.owned())) == 2
	}, a, b)
	if err := b.con.Close(t.Context(), kafka.LeaveGroup); err != nil {
		t.Fatal(err)
	}
	until(t, "all tasks back at a", func([]string) bool { return a.owned() == all }, a)
	if a.lost != 0 {
		t.Errorf("a lost its partitions %d times", a.lost)
	}
	send("in", "3")
	until(t, "the third record", func(got []string) bool { return slices.Contains(got, "3") }, a)
	a.con.Abandon()
	got = until(t, "the third record again", func(got []string) bool { return slices.Contains(got, "3") }, a)
	if a.lost != 1 || slices.Contains(got, "1") {
		t.Errorf("after abandoning: %d losses, read %q; want to start at the committed offset", a.lost, got)
	}
}

func TestRestoreOnRealBroker(t *testing.T) {
	cfg := kafka.Config{Brokers: broker.Start(t, 1), ReadCommitted: true}
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for i, tt := range []struct {
		ends []kgo.TransactionEndTry
		want string
		end  int64
	}{
		{nil, "", 0},
		{[]kgo.TransactionEndTry{kgo.TryCommit}, "0", 2},
		{[]kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort}, "0", 4},
		{[]kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit}, "1", 4},
	} {
		log := kafka.TopicPartition{Topic: fmt.Sprint("log", i)}
		if err := admin.CreateTopic(t.Context(), log.Topic, 1, -1, nil); err != nil {
			t.Fatal(err)
		}
		for n, end := range tt.ends {
			transact(t, cfg, log.Topic, fmt.Sprint(n), end)
		}
		f, err := kafka.NewFetcher(t.Context(), kafka.FetcherConfig{Config: cfg})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		f.Add(log, 0)
		err = f.ReadTo(t.Context(), map[kafka.TopicPartition]int64{log: tt.end}, func(b kafka.Batch) error {
			for _, r := range b.Records {
				got = append(got, string(r.Value))
			}
			return nil
		})
		if s := strings.Join(got, " "); err != nil || s != tt.want {
			t.Errorf("%s: read %q, %v, want %q", log, s, err, tt.want)
		}
		ends, err := admin.ListOffsets(t.Context(), kafka.Latest, log)
		if err != nil || ends[log] != tt.end {
			t.Errorf("%s ends at %d, %v, want %d", log, ends[log], err, tt.end)
		}
		f.Close()
	}
}

func transact(t *testing.T, cfg kafka.Config, topic, value string, end kgo.TransactionEndTry) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(cfg.Brokers...), kgo.TransactionalID("tx-"+topic))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte(value)}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := cl.EndTransaction(t.Context(), end); err != nil {
		t.Fatal(err)
	}
}
