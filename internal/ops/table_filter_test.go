package ops

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

func startsWithY(_, v string) bool { return strings.HasPrefix(v, "y") }

func newFilter(t *testing.T, parentStore bool, store string) (*host, *TableFilter[string, string], func() (processor.Unit, *sink[string, processor.Change[string]])) {
	h := newHost(t)
	source := NewTableSource[string, string]("src", parentStore)
	addStore(h, "src", serde.String(), serde.String(), false)
	if store != "" {
		addStore(h, store, serde.String(), serde.String(), false)
	}
	plan := NewTableFilter(source, startsWithY, store)
	return h, plan, func() (processor.Unit, *sink[string, processor.Change[string]]) {
		u, out := unit(t, source), &sink[string, processor.Change[string]]{}
		pipe(h, u, unit(t, plan), out)
		return u, out
	}
}

func feedFilter(h *host, u processor.Unit) {
	feed(h, u, kv("k", "n1", 1))
	feed(h, u, kv("k", "y1", 2))
	feed(h, u, kv("k", "n2", 3))
	feed(h, u, kv("k", "n3", 4))
	feed(h, u, null[string]("k", 5))
}

func TestFilterTombstonesDependOnTheParent(t *testing.T) {
	for _, c := range []struct {
		name        string
		parentStore bool
		store       string
		want        []string
	}{
		{"parent not materialised", false, "", []string{"k:-<--@1", "k:y1<--@2", "k:-<--@3", "k:-<--@4", "k:-<--@5"}},
		{"parent materialised", true, "", []string{"k:y1<--@2", "k:-<-y1@3"}},
		{"result materialised", false, "f", []string{"k:-<--@1", "k:y1<--@2", "k:-<--@3", "k:-<--@4", "k:-<--@5"}},
		{"both materialised", true, "f", []string{"k:y1<--@2", "k:-<-y1@3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _, start := newFilter(t, c.parentStore, c.store)
			u, out := start()
			feedFilter(h, u)
			want(t, changes(out), c.want...)
		})
	}
}

func TestFilterAskedForOldValues(t *testing.T) {
	h, plan, start := newFilter(t, false, "")
	if plan.EnableOldValues(false) {
		t.Error("a soft demand reached a parent that is not materialised")
	}
	if !plan.EnableOldValues(true) {
		t.Error("a hard demand was refused")
	}
	u, out := start()
	feedFilter(h, u)
	want(t, changes(out), "k:y1<--@2", "k:-<-y1@3")

	_, stored, _ := newFilter(t, false, "f")
	if !stored.EnableOldValues(false) {
		t.Error("a materialised filter refused")
	}
}

func TestFilterOfVersionedTableSendsEverything(t *testing.T) {
	h, plan, start := newFilter(t, true, "")
	plan.UseVersioned(true)
	u, out := start()
	feedFilter(h, u)
	want(t, changes(out), "k:-<--@1", "k:y1<--@2", "k:-<-y1@3", "k:-<--@4", "k:-<--@5")
}

func TestFilterIsReadThroughItsParent(t *testing.T) {
	for _, store := range []string{"", "f"} {
		h, plan, start := newFilter(t, false, store)
		view := plan.View()
		if name := view.Stores[0]; store == "" && name != "src" || store != "" && name != store {
			t.Errorf("reads %s", name)
		}
		u, _ := start()
		g := view.New()
		if err := g.Init(h.place("reader", u)); err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{"n1", "y1", "n2"} {
			feed(h, u, kv("k", v, 7))
			row, ok, err := g.Get("k")
			if err != nil || ok != startsWithY("", v) || ok && (row.Value != v || row.Timestamp != 7) {
				t.Errorf("store %q, after %s: %v %v %v", store, v, row, ok, err)
			}
		}
	}
}

func TestFilterOfMissingStoreFails(t *testing.T) {
	h := newHost(t)
	u := unit(t, NewTableFilter(NewTableSource[string, string]("src", false), startsWithY, "f"))
	if err := u.Init(h.place("filter", u)); err == nil {
		t.Error("no error")
	}
	addStore(h, "f", serde.String(), serde.Int64(), false)
	if err := u.Init(h.place("filter", u)); err == nil {
		t.Error("a store of another type was taken")
	}
}
