package ops

import (
	"testing"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// upper maps values; "nil" becomes null.
func upper(k, v string) *string {
	if v == "nil" {
		return nil
	}
	return text(k + "/" + v)
}

func newMapValues(t *testing.T, parentStore bool, store string, old bool) (*host, *TableMapValues[string, string, *string], func() (processor.Unit, *sink[string, processor.Change[*string]])) {
	h := newHost(t)
	source := NewTableSource[string, string]("src", parentStore)
	addStore(h, "src", serde.String(), serde.String(), false)
	if store != "" {
		addStore(h, store, serde.String(), serde.Nullable(serde.String()), false)
	}
	plan := NewTableMapValues(source, upper, store)
	if old && !plan.EnableOldValues(true) {
		t.Fatal("old values refused")
	}
	return h, plan, func() (processor.Unit, *sink[string, processor.Change[*string]]) {
		u, out := unit(t, source), &sink[string, processor.Change[*string]]{}
		pipe(h, u, unit(t, plan), out)
		return u, out
	}
}

func TestTableMapValues(t *testing.T) {
	plain := []string{"k:k/a<--@1", "k:k/a<--@2", "k:-<--@3", "k:k/b<--@4", "k:-<--@5"}
	withOld := []string{"k:k/a<--@1", "k:k/a<-k/a@2", "k:-<-k/a@3", "k:k/b<--@4", "k:-<-k/b@5"}
	for _, c := range []struct {
		name        string
		parentStore bool
		store       string
		old         bool
		want        []string
	}{
		{"virtual", false, "", false, plain},
		{"parent stored", true, "", false, plain},
		{"stored", false, "m", false, plain},
		{"virtual with old values", false, "", true, withOld},
		{"stored with old values", false, "m", true, withOld},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _, start := newMapValues(t, c.parentStore, c.store, c.old)
			u, out := start()
			feed(h, u, kv("k", "a", 1))
			feed(h, u, kv("k", "a", 2))
			feed(h, u, kv("k", "nil", 3))
			feed(h, u, kv("k", "b", 4))
			feed(h, u, null[string]("k", 5))
			want(t, changes(out), c.want...)
		})
	}
}

func TestMappedValuesAreReadThroughTheParent(t *testing.T) {
	for _, store := range []string{"", "m"} {
		h, plan, start := newMapValues(t, false, store, false)
		view := plan.View()
		u, _ := start()
		g := view.New()
		if err := g.Init(h.place("reader", u)); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := g.Get("k"); ok || err != nil {
			t.Errorf("empty table: %v %v", ok, err)
		}
		feed(h, u, kv("k", "a", 7))
		if row, ok, err := g.Get("k"); err != nil || !ok || *row.Value != "k/a" || row.Timestamp != 7 {
			t.Errorf("store %q: %v %v %v", store, row, ok, err)
		}
		feed(h, u, kv("k", "nil", 8))
		if _, ok, err := g.Get("k"); ok || err != nil {
			t.Errorf("store %q, mapped to null: %v %v", store, ok, err)
		}
		if g.Versioned() {
			t.Error("versioned")
		}
	}
}

func TestTableToStream(t *testing.T) {
	h := newHost(t)
	u, out := NewTableToStream[string, string](), &sink[string, string]{}
	pipe(h, u, out)
	feed(h, u, kv("k", processor.Change[string]{New: "n", HasNew: true, Old: "o", HasOld: true, Stale: true}, 3))
	feed(h, u, kv("k", processor.Change[string]{Old: "o", HasOld: true}, 4))
	if len(out.got) != 2 {
		t.Fatalf("%d records", len(out.got))
	}
	if r := out.got[0]; r.Value != "n" || r.ValueNull || r.Timestamp != 3 {
		t.Errorf("%+v", r)
	}
	if r := out.got[1]; r.Value != "" || !r.ValueNull || r.Timestamp != 4 {
		t.Errorf("%+v", r)
	}
}

func TestPassThroughAsksItsParents(t *testing.T) {
	a := NewStreamReduce[string]("s", func(a, _ string) string { return a })
	b := NewStreamReduce[string]("s", func(a, _ string) string { return a })
	p := NewTablePassThrough([]OldValueSender{a, b}, a.View())
	if !p.EnableOldValues(false) || !a.sendOld || !b.sendOld {
		t.Error("parents were not asked for old values")
	}
	h := newHost(t)
	u, out := unit(t, p), &sink[string, processor.Change[string]]{}
	pipe(h, u, out)
	feed(h, u, kv("k", processor.Change[string]{New: "n", HasNew: true, Old: "o", HasOld: true, Stale: true}, 3))
	want(t, changes(out), "k:n<-o@3 stale")
}

func TestVirtualTablesAllocateNothing(t *testing.T) {
	h := newHost(t)
	source := NewTableSource[string, string]("src", false)
	filter := NewTableFilter(source, func(_, v string) bool { return v != "" }, "")
	u := unit(t, source)
	pipe(h, u, unit(t, filter), unit(t, NewTableMapValues(filter, func(_, v string) int { return len(v) }, "")), NewTableToStream[string, int]())
	rec := kv("k", "value", 1)
	feed(h, u, rec)
	r := u.(processor.Receiver[string, string])
	if n := testing.AllocsPerRun(100, func() {
		if err := r.Receive(rec); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
