package task_test

import (
	"testing"

	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

func TestSetInputsKeepsTheOtherQueues(t *testing.T) {
	top := processor.NewTopology()
	for _, err := range []error{
		processor.AddPatternSource(top, "source", serde.Int64(), serde.Int64(), "in-."),
		processor.AddSink(top, "sink", processor.SinkConfig[int64, int64]{Key: serde.Int64(), Value: serde.Int64(), Topic: "out"}, "source"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	env := &fakeEnv{memory: statestore.NewMemory(statestore.MemoryConfig{})}
	a, b, c := task.TopicPartition{Topic: "in-a"}, task.TopicPartition{Topic: "in-b"}, task.TopicPartition{Topic: "in-c"}
	active, err := task.New(task.Spec{Topology: top, Config: &processor.Config{MaxTaskIdle: -1}, Subtopologies: []int{0},
		Inputs: []task.TopicPartition{a, b}}, env)
	if err == nil {
		err = active.Open()
	}
	if err == nil {
		err = active.Start(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	put := func(tp task.TopicPartition, timestamps ...int64) {
		t.Helper()
		var raws []record.Raw
		for i, ts := range timestamps {
			raws = append(raws, record.Raw{Key: make([]byte, 8), Value: make([]byte, 8), Timestamp: ts, Offset: int64(i)})
		}
		if err := active.Enqueue(tp, tp.Topic, raws, task.Position{Offset: int64(len(raws))}); err != nil {
			t.Fatal(err)
		}
	}
	put(a, 5, 6)
	put(b, 1, 2)
	if err := active.SetInputs([]task.TopicPartition{a, c}); err != nil {
		t.Fatal(err)
	}
	put(c, 3)
	if n, _ := active.BufferedTotal(); n != 3 {
		t.Errorf("%d records wait, want those of in-a and in-c", n)
	}
	if err := active.Enqueue(b, "in-b", nil, task.Position{}); err == nil {
		t.Error("an input that is gone was accepted")
	}
	steps := 0
	for did := true; did; steps++ {
		if did, err = active.Step(0); err != nil {
			t.Fatal(err)
		}
	}
	if steps-1 != 3 || env.sent != 3 {
		t.Errorf("%d steps, %d sent, want 3", steps-1, env.sent)
	}
	offsets := active.Offsets()
	if len(offsets) != 2 || offsets[a].Offset != 2 || offsets[c].Offset != 1 {
		t.Errorf("offsets %v", offsets)
	}
}
