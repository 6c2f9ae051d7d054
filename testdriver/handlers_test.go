package testdriver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/testdriver"
)

var errOdd = errors.New("odd")

// evenOnly fails on odd values.
type evenOnly struct{ processor.Base[string, int64] }

func (evenOnly) Process(ctx *processor.Context[string, int64], rec processor.Record[string, int64]) error {
	if rec.Value%2 != 0 {
		return errOdd
	}
	return ctx.Forward(rec)
}

var even = statestore.NewKeyValue("even", serde.String(), serde.Int64(), statestore.On(memstore.Backend))

func handled(t *testing.T, config processor.Config) (*testdriver.Driver, *testdriver.Input[string, int64], *testdriver.Input[string, int64]) {
	t.Helper()
	top := processor.NewTopology()
	newMirror := func() processor.Processor[string, int64, any, any] { return mirror{} }
	for _, err := range []error{
		processor.AddSource(top, "source", serde.String(), serde.Int64(), []string{"in"}),
		processor.AddProcessor(top, "even", func() evenOnly { return evenOnly{} }, "source"),
		processor.AddSink(top, "sink", processor.SinkConfig[string, int64]{Key: serde.String(), Value: serde.Int64(), Topic: "out"}, "even"),
		processor.AddGlobalStore(top, processor.MirrorConfig[string, int64]{Store: even, Source: "gs", Processor: "gp", Topic: "global",
			Key: serde.String(), Value: serde.Int64(), New: newMirror}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	d, err := testdriver.New(top, testdriver.Config{Config: config})
	t.Cleanup(func() { _ = d.Close() })
	if err != nil {
		t.Fatal(err)
	}
	return d, testdriver.NewInput(d, "in", serde.String(), serde.Int64()), testdriver.NewInput(d, "global", serde.String(), serde.Int64())
}

// mirror keeps even values in a global store.
type mirror struct{ processor.Base[any, any] }

func (mirror) Process(ctx *processor.Context[any, any], rec processor.Record[string, int64]) error {
	if rec.Value%2 != 0 {
		return errOdd
	}
	store, err := even.In(ctx)
	if err != nil {
		return err
	}
	return store.Put(rec.Key, rec.Value)
}

func skip(processor.ErrorContext, processor.Failing, error) processor.Response {
	return processor.Response{Decision: processor.Continue, DeadLetter: true}
}

func TestDeadLettersOfProcessing(t *testing.T) {
	d, in, global := handled(t, processor.Config{DeadLetterTopic: "dlq", OnProcessingError: skip, GlobalProcessingErrors: true})
	for _, err := range []error{in.Pipe("a", 1), in.Pipe("a", 2), global.Pipe("g", 3), global.Pipe("g", 4)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	written := d.TakeWritten()
	if len(written["dlq"]) != 1 || len(written["out"]) != 1 || d.Dropped() != 2 {
		t.Errorf("wrote %v, dropped %d; want the one dead letter that is not of the global store", written, d.Dropped())
	}
	if h := written["dlq"][0].Headers; len(h) != 6 || string(h[1].Value) != "odd" {
		t.Errorf("headers %v", h)
	}

	// Without a handler the task fails.
	_, in, _ = handled(t, processor.Config{DeadLetterTopic: "dlq"})
	var failed *processor.FailedError
	if err := in.Pipe("a", 1); !errors.As(err, &failed) || failed.Context.Node != "even" || !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
}

// TestGlobalStoresHaveNoHandler unless the configuration says so.
func TestGlobalStoresHaveNoHandler(t *testing.T) {
	_, _, global := handled(t, processor.Config{OnProcessingError: skip})
	var failed *processor.FailedError
	if err := global.Pipe("g", 3); !errors.Is(err, errOdd) || errors.As(err, &failed) {
		t.Errorf("got %v", err)
	}
}

func TestHandlersThatPanicFailTheTask(t *testing.T) {
	asked := 0
	_, in, _ := handled(t, processor.Config{OnProcessingError: func(processor.ErrorContext, processor.Failing, error) processor.Response {
		asked++
		panic("handler")
	}})
	err := in.Pipe("a", 1)
	if err == nil || !strings.Contains(err.Error(), "Fatal user code error in processing error callback") || asked != 1 {
		t.Errorf("asked %d times, got %v", asked, err)
	}
}
