package task_test

import (
	"log/slog"
	"testing"

	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// fakeEnv swallows what a task sends.
type fakeEnv struct {
	sent   int
	memory *statestore.Memory
}

func (e *fakeEnv) Send(processor.Outgoing) error               { e.sent++; return nil }
func (e *fakeEnv) Partitions(string) (int32, error)            { return 1, nil }
func (e *fakeEnv) GlobalStore(string) (statestore.Store, bool) { return nil, false }
func (e *fakeEnv) Cache() *statestore.Cache                    { return nil }
func (e *fakeEnv) Memory() *statestore.Memory                  { return e.memory }
func (e *fakeEnv) Dir(task.ID) (string, error)                 { return "", nil }
func (e *fakeEnv) EmitInterval() int64                         { return 0 }
func (e *fakeEnv) Logger() *slog.Logger                        { return slog.New(slog.DiscardHandler) }

type doubler struct{ processor.Base[int64, int64] }

func (doubler) Process(ctx *processor.Context[int64, int64], rec processor.Record[int64, int64]) error {
	return ctx.Forward(processor.Record[int64, int64]{Key: rec.Key, Value: 2 * rec.Value, Timestamp: rec.Timestamp, Headers: rec.Headers})
}

// TestStepAllocatesNothing holds the record path to its promise: from the
// queue through decoding, two processors and a sink's serialisation nothing is
// allocated for a record.
func TestStepAllocatesNothing(t *testing.T) {
	top := processor.NewTopology()
	for _, err := range []error{
		processor.AddSource(top, "source", serde.Int64(), serde.Int64(), []string{"in"}),
		processor.AddProcessor(top, "a", func() *doubler { return &doubler{} }, "source"),
		processor.AddProcessor(top, "b", func() *doubler { return &doubler{} }, "a"),
		processor.AddSink(top, "sink", processor.SinkConfig[int64, int64]{Key: serde.Int64(), Value: serde.Int64(), Topic: "out"}, "b"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	env := &fakeEnv{}
	tp := task.TopicPartition{Topic: "in"}
	a, err := task.New(task.Spec{Topology: top, Config: &processor.Config{MaxTaskIdle: -1}, Subtopologies: []int{0},
		Inputs: []task.TopicPartition{tp}}, env)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Open(); err != nil {
		t.Fatal(err)
	}
	if err := a.Start(nil); err != nil {
		t.Fatal(err)
	}
	const n = 2000
	raws := make([]record.Raw, n)
	for i := range raws {
		raws[i] = record.Raw{Key: make([]byte, 8), Value: make([]byte, 8), Timestamp: int64(i), Offset: int64(i), LeaderEpoch: -1}
	}
	if err := a.Enqueue(tp, "in", raws, task.Position{Offset: n}); err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(1000, func() {
		if did, err := a.Step(0); !did || err != nil {
			t.Fatal(did, err)
		}
	})
	if allocs != 0 || env.sent < 1000 {
		t.Errorf("%v allocations a record, %d sent", allocs, env.sent)
	}
}
