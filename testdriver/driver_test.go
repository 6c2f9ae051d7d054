package testdriver_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/testdriver"
)

// counter counts keys in a store and forwards the count.
type counter struct {
	processor.Base[string, int64]
	store statestore.KeyValue[string, int64]
}

func (c *counter) Init(ctx *processor.Context[string, int64]) error {
	s, err := ctx.Store("counts")
	if err != nil {
		return err
	}
	c.store = s.(statestore.KeyValue[string, int64])
	_, err = ctx.Every(10*time.Millisecond, processor.StreamTime, func(now int64) error {
		return ctx.Forward(processor.Record[string, int64]{Key: "tick", Value: now, Timestamp: now})
	})
	return err
}

func (c *counter) Process(ctx *processor.Context[string, int64], rec processor.Record[string, string]) error {
	if rec.Value == "fail" {
		return errors.New("told to fail")
	}
	if rec.Value == "panic" {
		panic("told to panic")
	}
	n, _, err := c.store.Get(rec.Key)
	if err != nil {
		return err
	}
	if err := c.store.Put(rec.Key, n+1); err != nil {
		return err
	}
	return ctx.Forward(processor.WithValue(rec, n+1))
}

func counting(t *testing.T) *processor.Topology {
	t.Helper()
	top := processor.NewTopology()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(processor.AddSource(top, "source", serde.String(), serde.String(), []string{"in"}))
	must(processor.AddProcessor(top, "count", func() *counter { return &counter{} }, "source"))
	must(top.AddStore(statestore.NewKeyValue("counts", serde.String(), serde.Int64(), statestore.On(memstore.Backend)), "count"))
	must(processor.AddSink(top, "sink", processor.SinkConfig[string, int64]{Key: serde.String(), Value: serde.Int64(), Topic: "out"}, "count"))
	return top
}

func start(t *testing.T, cfg testdriver.Config) *testdriver.Driver {
	t.Helper()
	cfg.Start = time.UnixMilli(0)
	d, err := testdriver.New(counting(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

type message = testdriver.Message[string, int64]

func TestCountsRecordsAndPunctuates(t *testing.T) {
	d := start(t, testdriver.Config{})
	in := testdriver.NewInput(d, "in", serde.String(), serde.String())
	out := testdriver.NewOutput(d, "out", serde.String(), serde.Int64())
	for _, step := range []struct {
		key string
		ts  int64
	}{{"a", 3}, {"b", 9}, {"a", 10}, {"a", 47}} {
		if err := in.PipeAt(step.key, "v", step.ts); err != nil {
			t.Fatal(err)
		}
	}
	got, err := out.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []message{
		{Key: "a", Value: 1, Timestamp: 3}, {Key: "tick", Value: 3, Timestamp: 3}, {Key: "b", Value: 1, Timestamp: 9},
		{Key: "a", Value: 2, Timestamp: 10}, {Key: "tick", Value: 10, Timestamp: 10},
		{Key: "a", Value: 3, Timestamp: 47}, {Key: "tick", Value: 47, Timestamp: 47},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	counts, err := testdriver.KeyValue[string, int64](d, "counts")
	if err != nil {
		t.Fatal(err)
	}
	if n, ok, err := counts.Get("a"); n != 3 || !ok || err != nil {
		t.Errorf("count of a: %d, %v, %v", n, ok, err)
	}
	changes := d.Written("test-counts-changelog")
	if len(changes) != 4 || changes[0].Partition != 0 || changes[3].Timestamp != 47 {
		t.Errorf("changelog: %+v", changes)
	}
}

func TestErrorsNameTheRecord(t *testing.T) {
	for _, value := range []string{"fail", "panic"} {
		d := start(t, testdriver.Config{})
		in := testdriver.NewInput(d, "in", serde.String(), serde.String())
		if err := in.PipeAt("a", "ok", 1); err != nil {
			t.Fatal(err)
		}
		err := in.PipeAt("a", value, 2)
		var failed *processor.FailedError
		if !errors.As(err, &failed) {
			t.Fatalf("%s: %v", value, err)
		}
		if failed.Context.Node != "count" || failed.Context.Topic != "in" || failed.Context.Offset != 1 {
			t.Errorf("%s: %+v", value, failed.Context)
		}
		if !strings.Contains(err.Error(), "told to "+value) {
			t.Errorf("the cause is missing: %v", err)
		}
	}
}

func TestHandlersContinue(t *testing.T) {
	var seen []string
	cfg := testdriver.Config{}
	cfg.OnProcessingError = func(c processor.ErrorContext, _ processor.Failing, _ error) processor.Response {
		seen = append(seen, c.Node)
		return processor.Response{Decision: processor.Continue}
	}
	cfg.OnDeserializationError = func(c processor.ErrorContext, _ error) processor.Response {
		seen = append(seen, c.Topic)
		return processor.Response{Decision: processor.Continue}
	}
	d := start(t, cfg)
	in := testdriver.NewInput(d, "in", serde.String(), serde.String())
	for _, v := range []string{"x", "fail", "panic", "y"} {
		if err := in.PipeAt("a", v, 1); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"count", "count"}, seen); diff != "" {
		t.Error(diff)
	}
	if d.Dropped() != 2 {
		t.Errorf("%d records dropped", d.Dropped())
	}
	if err := d.Pipe(testdriver.Record{Topic: "nowhere"}); !errors.Is(err, testdriver.ErrUnknownTopic) {
		t.Errorf("record of an unknown topic: %v", err)
	}
}

func TestNegativeTimestamp(t *testing.T) {
	d := start(t, testdriver.Config{})
	in := testdriver.NewInput(d, "in", serde.String(), serde.String())
	if err := in.PipeAt("a", "v", -1); err == nil || !strings.Contains(err.Error(), "negative timestamp") {
		t.Errorf("error: %v", err)
	}
	cfg := testdriver.Config{}
	cfg.TimestampExtractor = processor.LogAndSkipOnInvalidTimestamp
	d = start(t, cfg)
	in = testdriver.NewInput(d, "in", serde.String(), serde.String())
	if err := in.PipeAt("a", "v", -1); err != nil || d.Dropped() != 1 {
		t.Errorf("error %v, dropped %d", err, d.Dropped())
	}
}

func TestErrorsOfReadingSayWhatToDo(t *testing.T) {
	d := start(t, testdriver.Config{})
	_, err := testdriver.NewOutput(d, "nope", serde.String(), serde.Int64()).Read()
	if !errors.Is(err, testdriver.ErrEmpty) || !strings.Contains(err.Error(), `begin with the application id, here "test-"`) {
		t.Errorf("an output of an unknown topic: %v", err)
	}
	if _, err := testdriver.Table[string, int64](d, "counts"); err == nil || !strings.Contains(err.Error(), "testdriver.KeyValue") {
		t.Errorf("a plain store read as a table: %v", err)
	}
	if _, err := testdriver.KeyValue[string, int64](d, "none"); err == nil || !strings.Contains(err.Error(), "no store none") {
		t.Errorf("an unknown store: %v", err)
	}
}
