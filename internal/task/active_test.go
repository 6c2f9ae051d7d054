package task_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// collector notes the topic and time of the records it gets.
type collector struct {
	processor.Base[int64, int64]
	seen *[]seen
}

type seen struct {
	Topic string
	Time  int64
}

func (c *collector) Process(ctx *processor.Context[int64, int64], rec processor.Record[int64, int64]) error {
	at, _ := ctx.Metadata()
	*c.seen = append(*c.seen, seen{at.Topic, rec.Timestamp})
	return nil
}

// twoInputs is a started task that reads partition 0 of the topics a and b.
func twoInputs(t *testing.T, cfg processor.Config, committed map[task.TopicPartition]string) (*task.Active, *[]seen) {
	t.Helper()
	top, got := processor.NewTopology(), &[]seen{}
	for _, err := range []error{
		processor.AddSource(top, "source-a", serde.Int64(), serde.Int64(), []string{"a"}),
		processor.AddSource(top, "source-b", serde.Int64(), serde.Int64(), []string{"b"}),
		processor.AddProcessor(top, "collect", func() *collector { return &collector{seen: got} }, "source-a", "source-b"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a, err := task.New(task.Spec{Topology: top, Config: &cfg, Subtopologies: []int{0}, Inputs: []task.TopicPartition{topicA, topicB}}, &fakeEnv{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Open(), a.Start(committed)); err != nil {
		t.Fatal(err)
	}
	return a, got
}

var topicA, topicB = task.TopicPartition{Topic: "a"}, task.TopicPartition{Topic: "b"}

// enqueue adds records with the given timestamps, a negative one being
// undecodable, at offsets that follow each other from first.
func enqueue(t *testing.T, a *task.Active, tp task.TopicPartition, first int64, times ...int64) error {
	t.Helper()
	raws := make([]record.Raw, len(times))
	for i, ts := range times {
		raws[i] = record.Raw{Key: make([]byte, 8), Value: make([]byte, 8), Timestamp: ts, Offset: first + int64(i), LeaderEpoch: -1}
		if ts < 0 {
			raws[i].Value, raws[i].Timestamp = []byte("bad"), 1
		}
	}
	return a.Enqueue(tp, tp.Topic, raws, task.Position{Offset: first + int64(len(times)), LeaderEpoch: -1})
}

func steps(t *testing.T, a *task.Active, now int64) (n int) {
	t.Helper()
	for {
		did, err := a.Step(now)
		if err != nil {
			t.Fatal(err)
		}
		if !did {
			return n
		}
		n++
	}
}

func TestSmallestTimestampComesFirst(t *testing.T) {
	a, got := twoInputs(t, processor.Config{MaxTaskIdle: -1}, nil)
	if err := errors.Join(enqueue(t, a, topicA, 0, 5, 1, 9), enqueue(t, a, topicB, 0, 4, 6)); err != nil {
		t.Fatal(err)
	}
	steps(t, a, 0)
	// a's record of time 1 waits behind that of time 5: a partition is never reordered.
	if diff := cmp.Diff([]seen{{"b", 4}, {"a", 5}, {"a", 1}, {"b", 6}, {"a", 9}}, *got); diff != "" {
		t.Error(diff)
	}
	if a.StreamTime() != 9 || a.StreamTimeOf(topicB) != 6 {
		t.Errorf("stream time %d, of b %d", a.StreamTime(), a.StreamTimeOf(topicB))
	}
}

func TestEmptyPartitionIsWaitedFor(t *testing.T) {
	a, got := twoInputs(t, processor.Config{MaxTaskIdle: 100}, nil)
	if err := enqueue(t, a, topicA, 0, 5); err != nil {
		t.Fatal(err)
	}
	if steps(t, a, 0) != 0 {
		t.Error("processed although nothing is known of b")
	}
	a.SetLag(topicB, 3, true)
	if steps(t, a, 1_000) != 0 {
		t.Error("processed although b has records to fetch")
	}
	a.SetLag(topicB, 0, true)
	if steps(t, a, 2_000) != 0 || steps(t, a, 2_099) != 0 {
		t.Error("processed before the idle time was over")
	}
	if steps(t, a, 2_100) != 1 || len(*got) != 1 {
		t.Error("not processed after the idle time")
	}
}

func TestOffsetsAndTimesOfACommit(t *testing.T) {
	cfg := processor.Config{MaxTaskIdle: -1, OnDeserializationError: func(processor.ErrorContext, error) processor.Response {
		return processor.Response{Decision: processor.Continue}
	}}
	a, _ := twoInputs(t, cfg, nil)
	if err := errors.Join(enqueue(t, a, topicA, 10, 7, 8), enqueue(t, a, topicB, 20, 9, -1)); err != nil {
		t.Fatal(err)
	}
	if did, err := a.Step(0); !did || err != nil {
		t.Fatal(did, err)
	}
	want := map[task.TopicPartition]int64{topicA: 11}
	if diff := cmp.Diff(want, offsetsOf(t, a, map[task.TopicPartition]int64{topicA: 7})); diff != "" {
		t.Errorf("with records left: %s", diff)
	}
	steps(t, a, 0)
	// The undecodable last record of b moves the offset all the same.
	want = map[task.TopicPartition]int64{topicA: 12, topicB: 22}
	if diff := cmp.Diff(want, offsetsOf(t, a, map[task.TopicPartition]int64{topicA: 8, topicB: 9})); diff != "" {
		t.Errorf("at the end: %s", diff)
	}
	if a.DroppedTotal() != 1 {
		t.Errorf("%d records dropped", a.DroppedTotal())
	}
	if err := errors.Join(a.Flush(), a.Committed(nil)); err != nil {
		t.Fatal(err)
	}
	if len(a.Offsets()) != 0 || a.CommitNeeded() {
		t.Error("there is something to commit after a commit")
	}
}

// offsetsOf are the committable offsets; their metadata must hold the times.
func offsetsOf(t *testing.T, a *task.Active, times map[task.TopicPartition]int64) map[task.TopicPartition]int64 {
	t.Helper()
	got := map[task.TopicPartition]int64{}
	for tp, at := range a.Offsets() {
		got[tp] = at.Offset
		meta, err := changelog.DecodeOffsetMetadata(at.Metadata)
		if err != nil || meta.PartitionTime != times[tp] {
			t.Errorf("metadata of %s: %+v, %v", tp, meta, err)
		}
	}
	return got
}

func TestCommittedMetadataIsTakenOverAndKept(t *testing.T) {
	meta := changelog.OffsetMetadata{PartitionTime: 50, Processor: map[string]int64{"another": 7}}
	a, _ := twoInputs(t, processor.Config{MaxTaskIdle: -1}, map[task.TopicPartition]string{topicA: meta.Encode()})
	if a.StreamTime() != 50 {
		t.Errorf("stream time %d", a.StreamTime())
	}
	if err := enqueue(t, a, topicA, 0, 3); err != nil {
		t.Fatal(err)
	}
	steps(t, a, 0)
	if diff := cmp.Diff(meta.Encode(), a.Offsets()[topicA].Metadata); diff != "" {
		t.Errorf("what another node keeps there is lost, or the time went back: %s", diff)
	}
}

// TestUndecodableSuccessorIsNoticedFirst: as in Java the next record is decoded
// before the one in hand is processed.
func TestUndecodableSuccessorIsNoticedFirst(t *testing.T) {
	a, got := twoInputs(t, processor.Config{MaxTaskIdle: -1}, nil)
	if err := enqueue(t, a, topicA, 0, 1, -1); err != nil {
		t.Fatal(err)
	}
	_, err := a.Step(0)
	var bad *task.DeserializationError
	if !errors.As(err, &bad) || bad.Context.Offset != 1 || bad.Context.Node != "source-a" {
		t.Fatalf("error %v", err)
	}
	if len(*got) != 0 {
		t.Errorf("processed before its successor was decoded: %v", *got)
	}
}
