package kstream_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

type trip struct{ from, to string }

// line is the position of its caller, shifted by some lines.
func line(by int) string {
	_, _, n, _ := runtime.Caller(1)
	return fmt.Sprintf("failures_test.go:%d: ", n+by)
}

func TestErrorsNameTheLine(t *testing.T) {
	var want []string
	b := kstream.NewBuilder()
	kstream.From[string, string](b, "")
	want = append(want, line(-1)+"From: the topic has no name")
	s := kstream.FromWith(b, "in", serde.String(), serde.String())
	s.Filter(nil)
	want = append(want, line(-1)+"Filter: the function is nil")
	s.Filter(yes, with.Name("bad name"))
	want = append(want, line(-1)+`Filter: Invalid topology: Name "bad name" is illegal`)
	s.To("out", with.ValueSerde(serde.Int64()))
	want = append(want, line(-1)+"To: value serde is int64, want a serde of string")
	s.To("out", with.Partitioner(processor.Partitioner[int, int](nil)))
	want = append(want, line(-1)+"To: the partitioner is a processor.Partitioner[int,int]")
	s.Print(nil, with.Format(func(int) string { return "" }))
	want = append(want, line(-1)+"Print: the format is a func(int) string, want a func(string, string) string")
	s.Repartition(with.Partitions(0))
	want = append(want, line(-1)+"Repartition: the repartition topic has 0 partitions")
	s.Merge(kstream.From[string, string](kstream.NewBuilder(), "in"))
	want = append(want, line(-1)+"Merge: the two sides come from different builders")
	kstream.Aggregate(s.GroupByKey(), nil, func(_, _ string, n int) int { return n })
	want = append(want, line(-1)+"Aggregate: the function is nil")
	one := &trips{}
	kstream.Process(s, func() *trips { return one })
	want = append(want, line(-1)+"Process: *kstream_test.trips generates single reference")
	kstream.FromPattern[string, string](b, "in(")
	want = append(want, line(-1)+`FromPattern: the pattern "in(" is not usable`)

	_, err := b.Build(processor.Config{})
	if err == nil {
		t.Fatal("no error")
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(want) {
		t.Errorf("%d errors, want %d:\n%v", len(got), len(want), err)
	}
	for i := range min(len(got), len(want)) {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
}

type trips struct {
	processor.Base[string, string]
	n int
}

func (*trips) Process(*processor.Context[string, string], processor.Record[string, string]) error {
	return nil
}

// TestMissingSerdes: serdes are looked for when the topology is built, and all
// that are missing are reported at once.
func TestMissingSerdes(t *testing.T) {
	b := kstream.NewBuilder()
	s := kstream.From[string, trip](b, "trips")
	want := []string{line(-1) + "KSTREAM-SOURCE-0000000000: no value serde for kstream_test.trip: pass with.Serdes(...)"}
	kstream.MapValues(s, func(tr trip) string { return tr.from }).To("starts")
	kstream.SelectKey(s, func(_ string, tr trip) trip { return tr }).To("by-trip")
	want = append(want, line(-1)+"KSTREAM-SINK-0000000004: no key serde for kstream_test.trip")
	_, err := b.Build(processor.Config{})
	if err == nil {
		t.Fatal("no error")
	}
	got := strings.Split(err.Error(), "\n")
	for i := range want {
		if i >= len(got) || !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("got\n%v\nwant line %d to begin with %s", err, i, want[i])
		}
	}
}

// TestRegisteredSerdes: the registry of Build finds what the options do not say.
func TestRegisteredSerdes(t *testing.T) {
	r := serde.Default()
	serde.Register(r, serde.JSON[trip]())
	b := kstream.NewBuilder()
	kstream.From[string, trip](b, "trips").To("out")
	if _, err := b.Build(processor.Config{Serdes: r}); err != nil {
		t.Error(err)
	}
}

// TestLax: in the interpreter's graphs a missing serde is found when the task
// starts, as in Java.
func TestLax(t *testing.T) {
	b := kstream.NewBuilder()
	b.Graph().Lax = &dsl.Lax{}
	kstream.From[any, any](b, "in").To("out")
	topology, err := b.Build(processor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = start(topology, &host{})
	if err == nil || !strings.Contains(err.Error(), "cannot ready the key serde of KSTREAM-S") {
		t.Errorf("got %v", err)
	}
}

func TestTopicReadUnderTwoTypes(t *testing.T) {
	b := kstream.NewBuilder()
	kstream.From[string, string](b, "in").To("out")
	kstream.From[string, int64](b, "in").To("out2")
	want := line(-1) + "KSTREAM-SOURCE-0000000002: the topic is already read as Stream[string, string] at failures_test.go:"
	if _, err := b.Build(processor.Config{}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestOptimizationsAreChecked(t *testing.T) {
	for config, want := range map[string]string{
		"all,none":                 `"all,none" is not a valid optimization config`,
		"merge.repartition.topicz": `unknown optimization "merge.repartition.topicz"`,
	} {
		b := kstream.NewBuilder()
		kstream.From[string, string](b, "in").To("out")
		if _, err := b.Build(processor.Config{Optimize: config}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", config, err)
		}
	}
}

func TestZeroStreamPanics(t *testing.T) {
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "failures_test.go:") || !strings.Contains(p, "kstream.To on the zero Stream[string, string]") {
			t.Errorf("got %q", p)
		}
	}()
	b := kstream.NewBuilder()
	in(b, "in").Split().When("a", yes).Done()["a"].To("out")
}
