package ops

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// text is a nullable string.
func text(s string) *string { return &s }

// appendText aggregates texts; "reset" makes null.
func appendText(_ string, v string, agg *string) *string {
	if v == "reset" {
		return nil
	}
	return text(*agg + v)
}

func newAggregate(t *testing.T, old, cached bool) (*host, processor.Unit, *sink[string, processor.Change[*string]]) {
	h := newHost(t)
	addStore(h, "agg", serde.String(), serde.Nullable(serde.String()), cached)
	plan := NewStreamAggregate("agg", func() *string { return text("I") }, appendText)
	if old {
		plan.EnableOldValues(false)
	}
	u, out := unit(t, plan), &sink[string, processor.Change[*string]]{}
	pipe(h, u, out)
	return h, u, out
}

func feedAggregate(h *host, u processor.Unit) {
	feed(h, u, kv("k", "a", 10))
	feed(h, u, kv("k", "b", 5))
	feed(h, u, kv("k", "reset", 7))
	feed(h, u, kv("k", "c", 3))
}

func TestStreamAggregateTimestamps(t *testing.T) {
	h, u, out := newAggregate(t, false, false)
	feedAggregate(h, u)
	want(t, changes(out), "k:Ia<--@10", "k:Iab<--@10", "k:-<--@10", "k:Ic<--@3")
}

func TestStreamAggregateSendsInitialValueAsOld(t *testing.T) {
	h, u, out := newAggregate(t, true, false)
	feedAggregate(h, u)
	want(t, changes(out), "k:Ia<-I@10", "k:Iab<-Ia@10", "k:-<-Iab@10", "k:Ic<-I@3")
}

func TestStreamAggregateDropsNulls(t *testing.T) {
	h, u, out := newAggregate(t, false, false)
	feed(h, u, null[string]("k", 0))
	feed(h, u, processor.Record[string, string]{KeyNull: true, Value: "v"})
	want(t, changes(out))
	if h.dropped != 2 {
		t.Errorf("dropped %d records", h.dropped)
	}
}

func TestCachedAggregateSendsOncePerKey(t *testing.T) {
	h, u, out := newAggregate(t, true, true)
	feed(h, u, kv("k", "a", 1))
	feed(h, u, kv("new", "a", 1))
	feed(h, u, kv("k", "a", 2))
	feed(h, u, kv("k", "a", 3))
	feed(h, u, kv("new", "reset", 2))
	h.flush()
	want(t, changes(out), "k:Iaaa<--@3")
	feed(h, u, kv("k", "c", 4))
	feed(h, u, kv("k", "reset", 5))
	h.flush()
	want(t, changes(out), "k:-<-Iaaa@5")
}

func TestStreamReduce(t *testing.T) {
	h := newHost(t)
	addStore(h, "r", serde.String(), serde.Nullable(serde.String()), false)
	plan := NewStreamReduce[string]("r", func(a, b *string) *string { return appendText("", *b, a) })
	plan.EnableOldValues(true)
	u, out := unit(t, plan), &sink[string, processor.Change[*string]]{}
	pipe(h, u, out)
	feed(h, u, kv("k", text("a"), 10))
	feed(h, u, kv("k", text("b"), 5))
	feed(h, u, kv("k", text("reset"), 7))
	feed(h, u, kv("k", text("c"), 3))
	feed(h, u, null[*string]("k", 4))
	want(t, changes(out), "k:a<--@10", "k:ab<-a@10", "k:-<-ab@10", "k:c<--@3")
	if h.dropped != 1 {
		t.Errorf("dropped %d records", h.dropped)
	}
}

// regroup is a table source that sends old values, a selection by the first
// letter and an aggregation of all values as text.
func regroup(t *testing.T) (*host, processor.Unit, *sink[string, processor.Change[string]]) {
	h := newHost(t)
	source := NewTableSource[string, string]("src", false)
	source.EnableOldValues(true)
	addStore(h, "src", serde.String(), serde.String(), false)
	addStore(h, "agg", serde.String(), serde.String(), false)
	u, out := unit(t, source), &sink[string, processor.Change[string]]{}
	pipe(h, u,
		unit(t, NewTableSelect(func(k, v string) (string, string) { return v[:1], v })),
		unit(t, NewTableAggregate("agg", func() string { return "" },
			func(_, v, a string) string { return a + "+" + v },
			func(_, v, a string) string { return a + "-" + v })), out)
	return h, u, out
}

func TestRegroupedTable(t *testing.T) {
	h, u, out := regroup(t)
	feed(h, u, kv("1", "a1", 10))
	feed(h, u, kv("2", "a2", 5))
	feed(h, u, kv("1", "a3", 7))
	want(t, changes(out), "a:+a1<--@10", "a:+a1+a2<--@10", "a:+a1+a2-a1+a3<--@10")
	feed(h, u, kv("1", "b1", 20))
	want(t, changes(out), "a:+a1+a2-a1+a3-a3<--@20", "b:+b1<--@20")
}

func TestRegroupedTableOutOfOrder(t *testing.T) {
	h, u, out := regroup(t)
	feed(h, u, kv("1", "a", 50))
	feed(h, u, kv("1", "a'", 40))
	want(t, changes(out), "a:+a<--@50", "a:+a-a+a'<--@50")
}

func TestTableCountEndsAtZero(t *testing.T) {
	h := newHost(t)
	source := NewTableSource[string, string]("src", true)
	source.EnableOldValues(true)
	addStore(h, "src", serde.String(), serde.String(), false)
	addStore(h, "n", serde.String(), serde.Int64(), false)
	u, out := unit(t, source), &sink[string, processor.Change[int64]]{}
	add := func(by int64) func(string, string, int64) int64 {
		return func(_, _ string, n int64) int64 { return n + by }
	}
	pipe(h, u, unit(t, NewTableSelect(func(_, v string) (string, string) { return v, v })),
		unit(t, NewTableAggregate("n", func() int64 { return 0 }, add(1), add(-1))), out)
	feed(h, u, kv("1", "a", 1))
	feed(h, u, kv("1", "b", 2))
	feed(h, u, null[string]("1", 3))
	want(t, changes(out), "a:1<--@1", "a:0<--@2", "b:1<--@2", "b:0<--@3")
}

func TestTableReduce(t *testing.T) {
	h := newHost(t)
	addStore(h, "r", serde.String(), serde.Nullable(serde.String()), false)
	plan := NewTableReduce[string]("r",
		func(a, v *string) *string { return text(*a + *v) },
		func(a, v *string) *string {
			if *a == *v {
				return nil
			}
			return text(strings.Replace(*a, *v, "", 1))
		})
	plan.EnableOldValues(false)
	u, out := unit(t, plan), &sink[string, processor.Change[*string]]{}
	pipe(h, u, out)
	change := func(old, new *string, ts int64) {
		feed(h, u, kv("k", processor.Change[*string]{Old: old, New: new, HasOld: old != nil, HasNew: new != nil}, ts))
	}
	change(nil, text("a"), 10)
	change(nil, text("b"), 5)
	change(text("a"), text("c"), 12)
	change(text("b"), nil, 1)
	change(text("c"), nil, 2)
	change(text("x"), nil, 3)
	change(text("x"), text("y"), 4)
	want(t, changes(out), "k:a<--@10", "k:ab<-a@10", "k:bc<-ab@12", "k:c<-bc@12", "k:-<-c@12", "k:-<--@3", "k:y<--@4")

	change(text("y"), text("z"), 1)
	want(t, changes(out), "k:z<-y@4")
}

func TestTableAggregateStartsAnewAfterNull(t *testing.T) {
	h := newHost(t)
	addStore(h, "a", serde.String(), serde.Nullable(serde.String()), false)
	plan := NewTableAggregate("a", func() *string { return text("I") }, appendText,
		func(_, _ string, _ *string) *string { return nil })
	u, out := unit(t, plan), &sink[string, processor.Change[*string]]{}
	pipe(h, u, out)
	feed(h, u, kv("k", processor.Change[string]{Old: "o", HasOld: true}, 1))
	feed(h, u, kv("k", processor.Change[string]{New: "a", HasNew: true}, 10))
	feed(h, u, kv("k", processor.Change[string]{New: "b", HasNew: true, Old: "a", HasOld: true}, 3))
	feed(h, u, kv("k", processor.Change[string]{New: "reset", HasNew: true}, 4))
	want(t, changes(out), "k:-<--@1", "k:Ia<--@10", "k:Ib<--@10", "k:-<--@10")
}

func TestNullGroupKeysFail(t *testing.T) {
	h := newHost(t)
	addStore(h, "s", serde.String(), serde.String(), false)
	rec := processor.Record[string, processor.Change[string]]{KeyNull: true, Value: processor.Change[string]{New: "v", HasNew: true}}
	same := func(a, _ string) string { return a }
	fold := func(_, _, a string) string { return a }
	for text, u := range map[string]processor.Unit{
		"Record key for KTable aggregate operator with state s should not be null.": unit(t, NewTableAggregate("s", func() string { return "" }, fold, fold)),
		"Record key for KTable reduce operator with state s should not be null.":    unit(t, NewTableReduce[string]("s", same, same)),
		"Record key for the grouping KTable should not be null.":                    unit(t, NewTableSelect(func(k, v string) (string, string) { return k, v })),
	} {
		pipe(h, u)
		if err := tryFeed(h, u, rec); err == nil || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
}

// TestAggregateAllocatesWhatItsStoreDoes compares an aggregation with the calls
// of the store it makes.
func TestAggregateAllocatesWhatItsStoreDoes(t *testing.T) {
	h := newHost(t)
	addStore(h, "agg", serde.String(), serde.Int64(), false)
	u := unit(t, NewStreamAggregate("agg", func() int64 { return 0 }, func(_, _ string, n int64) int64 { return n + 1 }))
	pipe(h, u, NewTableToStream[string, int64]())
	rec := kv("key", "value", 1)
	feed(h, u, rec)
	r, s := u.(processor.Receiver[string, string]), h.stores["agg"].(statestore.TimestampedKeyValue[string, int64])
	bare := testing.AllocsPerRun(200, func() {
		row, _, err := s.Get("key")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put("key", row); err != nil {
			t.Fatal(err)
		}
	})
	if n := testing.AllocsPerRun(200, func() {
		if err := r.Receive(rec); err != nil {
			t.Fatal(err)
		}
	}); n > bare {
		t.Errorf("%v allocations, its store makes %v", n, bare)
	}
}
