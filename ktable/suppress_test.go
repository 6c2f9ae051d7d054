package ktable_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

var inMemory = processor.Config{InMemoryStores: true}

func newDriver(t *testing.T, b *kstream.Builder, config testdriver.Config) *testdriver.Driver {
	t.Helper()
	topology, err := b.Build(inMemory)
	if err != nil {
		t.Fatal(err)
	}
	d, err := testdriver.New(topology, config)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func hourly(b *kstream.Builder) ktable.Table[window.Windowed[string], int64] {
	return kstream.Count(kstream.From[string, string](b, "in").GroupByKey().WindowedBy(window.Tumbling(10 * time.Millisecond).Grace(2 * time.Millisecond)))
}

// TestFinalResults: only the last count of each window is sent, once the window
// and its grace are over.
func TestFinalResults(t *testing.T) {
	b := kstream.NewBuilder(inMemory)
	kstream.FromTable(hourly(b).Suppress(ktable.UntilWindowCloses())).To("out")
	d := newDriver(t, b, testdriver.Config{})
	for _, at := range []int64{1, 3, 2, 11, 12} {
		if err := d.Pipe(testdriver.Record{Topic: "in", Key: []byte("k"), Value: []byte("v"), Timestamp: at}); err != nil {
			t.Fatal(err)
		}
	}
	out := testdriver.NewOutput(d, "out", window.Serde(serde.String(), 10*time.Millisecond), serde.Int64())
	all, err := out.ReadAll()
	if err != nil || len(all) != 1 || all[0].Key.String() != "[k@0/10]" || all[0].Value != 3 || all[0].Timestamp != 3 {
		t.Errorf("got %v %v", all, err)
	}
}

func TestSuppressNames(t *testing.T) {
	b := kstream.NewBuilder(inMemory)
	t1 := kstream.Table[string, string](b, "in").Suppress(ktable.UntilTimeLimit(time.Second), with.Name("sup"))
	kstream.FromTable(t1.Suppress(ktable.UntilTimeLimit(time.Second, ktable.MaxBytes(100)), with.NoChangelog())).To("out")
	topology, err := b.Build(inMemory)
	if err != nil {
		t.Fatal(err)
	}
	text := topology.Describe()
	for _, part := range []string{"Processor: sup (stores: [sup-store])", "Processor: KTABLE-SUPPRESS-0000000003 (stores: [KTABLE-SUPPRESS-STATE-STORE-0000000004])",
		"Processor: KTABLE-TOSTREAM-0000000005"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	var logged []string
	for _, s := range topology.Subtopologies() {
		for _, c := range s.Changelogs {
			logged = append(logged, c.Store.Name())
		}
	}
	if d := cmp.Diff([]string{"in-STATE-STORE-0000000000", "sup-store"}, logged); d != "" {
		t.Errorf("changelogs (-want +got)\n%s", d)
	}
}

func history(name string) with.StoreOption {
	return with.StoreSupplier(statestore.SupplyVersioned(name, memstore.Backend, statestore.VersionedConfig{HistoryMs: 100}))
}

func TestSuppressErrors(t *testing.T) {
	table := func(b *kstream.Builder, opts ...with.TableSource) ktable.Table[string, string] {
		return kstream.Table[string, string](b, "t", opts...)
	}
	for name, c := range map[string]struct {
		declare func(*kstream.Builder)
		want    string
	}{
		"no windows": {func(b *kstream.Builder) { table(b).Suppress(ktable.UntilWindowCloses()) },
			"Window close time is only defined for windowed computations. Got [root->KTABLE-SOURCE-0000000002]."},
		"windows lost": {func(b *kstream.Builder) {
			regrouped := ktable.GroupBy(hourly(b), func(w window.Windowed[string], n int64) (string, int64) { return w.Key, n })
			ktable.Count(regrouped).Suppress(ktable.UntilWindowCloses())
		}, "has no windows that could close"},
		"not final": {func(b *kstream.Builder) { hourly(b).Suppress(ktable.UntilWindowCloses(ktable.MaxRecords(3))) },
			"cannot send results early"},
		"versioned": {func(b *kstream.Builder) { table(b, history("v")).Suppress(ktable.UntilTimeLimit(0)) },
			"suppress() is only supported for non-versioned KTables"},
		"versioned above": {func(b *kstream.Builder) {
			table(b, history("v")).Filter(func(_, _ string) bool { return true }).Suppress(ktable.UntilTimeLimit(0))
		}, "version semantics might be inherited from upstream"},
	} {
		t.Run(name, func(t *testing.T) {
			b := kstream.NewBuilder(inMemory)
			c.declare(b)
			_, err := b.Build(inMemory)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "suppress_test.go:") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestFullBufferFailsTheTask(t *testing.T) {
	b := kstream.NewBuilder(inMemory)
	limits := ktable.UntilTimeLimit(time.Hour, ktable.ShutDown(), ktable.MaxRecords(1))
	kstream.FromTable(kstream.Table[string, string](b, "in").Suppress(limits, with.Name("sup"))).To("out")
	d := newDriver(t, b, testdriver.Config{})
	in := testdriver.NewInput(d, "in", serde.String(), serde.String())
	if err := in.Pipe("a", "1"); err != nil {
		t.Fatal(err)
	}
	err := in.Pipe("b", "1")
	var streams *processor.StreamsError
	if !errors.As(err, &streams) || !strings.HasPrefix(streams.Msg, "sup buffer exceeded its max capacity. Currently [2/1] records") {
		t.Errorf("got %v", err)
	}
}

// numbered counts the calls for a key in a store of its own.
type numbered struct {
	processor.ValueTransformerBase
	ctx *processor.ValueContext
}

var calls = statestore.NewKeyValue("calls", serde.String(), serde.Int64(), statestore.On(memstore.Backend))

func (n *numbered) Init(ctx *processor.ValueContext) error {
	n.ctx = ctx
	return nil
}

func (n *numbered) Transform(key, v string, has bool) (*int64, error) {
	store, err := calls.In(n.ctx)
	if err != nil {
		return nil, err
	}
	count, _, err := store.Get(key)
	if err != nil {
		return nil, err
	}
	count++
	if v == "drop" {
		return nil, store.Put(key, count)
	}
	if !has {
		count = -count
	}
	return &count, store.Put(key, max(count, -count))
}

// TestTransformValues: the transformer is called for deletions too, and may
// delete.
func TestTransformValues(t *testing.T) {
	b := kstream.NewBuilder(inMemory)
	table := kstream.Table[string, string](b, "in")
	out := ktable.TransformValues(table, func() *numbered { return &numbered{} }, with.Stores(calls), with.Store("result"),
		with.ValueSerde(serde.Nullable(serde.Int64())))
	kstream.FromTable(out).To("out", with.Serdes(serde.String(), serde.Nullable(serde.Int64())))
	d := newDriver(t, b, testdriver.Config{})
	for _, v := range [][]byte{[]byte("a"), []byte("drop"), nil, []byte("b")} {
		if err := d.Pipe(testdriver.Record{Topic: "in", Key: []byte("k"), Value: v, Timestamp: 1}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := testdriver.NewOutput(d, "out", serde.String(), serde.Nullable(serde.Int64())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var values []any
	for _, r := range got {
		if r.Value == nil {
			values = append(values, nil)
		} else {
			values = append(values, *r.Value)
		}
	}
	if d := cmp.Diff([]any{int64(1), nil, int64(-3), int64(4)}, values); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestVersionedTable: an out-of-order update reaches the stream but no
// aggregate, one beyond the history nobody.
func TestVersionedTable(t *testing.T) {
	b := kstream.NewBuilder(inMemory)
	table := kstream.Table[string, string](b, "in", history("v"))
	kstream.FromTable(table).To("out")
	counts := ktable.Count(ktable.GroupBy(table, func(k, v string) (string, string) { return v, k }))
	kstream.FromTable(counts).To("counts")
	d := newDriver(t, b, testdriver.Config{})
	for _, r := range []struct {
		key, value string
		at         int64
	}{{"k", "a", 50}, {"k", "b", 40}, {"other", "a", 200}, {"k", "old", 90}} {
		if err := d.Pipe(testdriver.Record{Topic: "in", Key: []byte(r.key), Value: []byte(r.value), Timestamp: r.at}); err != nil {
			t.Fatal(err)
		}
	}
	out, err := testdriver.NewOutput(d, "out", serde.String(), serde.String()).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, r := range out {
		texts = append(texts, r.Key+r.Value)
	}
	if d := cmp.Diff([]string{"ka", "kb", "othera"}, texts); d != "" {
		t.Errorf("stream (-want +got)\n%s", d)
	}
	all, err := testdriver.NewOutput(d, "counts", serde.String(), serde.Int64()).ReadAll()
	if err != nil || len(all) != 2 || all[1].Key != "a" || all[1].Value != 2 {
		t.Errorf("counts %v %v", all, err)
	}
	if d.Dropped() != 1 {
		t.Errorf("%d dropped", d.Dropped())
	}
}
