package ops

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

func newSource(t *testing.T, store, old, cached bool) (*host, processor.Unit, *sink[string, processor.Change[string]]) {
	h := newHost(t)
	plan := NewTableSource[string, string]("s", false)
	if store {
		plan.View()
	}
	if old && !plan.EnableOldValues(true) {
		t.Fatal("old values refused")
	}
	if plan.Materialized() {
		addStore(h, "s", serde.String(), serde.String(), cached)
	}
	u, out := unit(t, plan), &sink[string, processor.Change[string]]{}
	pipe(h, u, out)
	return h, u, out
}

// feedSource sends an insert, an out-of-order update and two deletions.
func feedSource(h *host, u processor.Unit) {
	feed(h, u, kv("k", "a", 10))
	feed(h, u, kv("k", "b", 3))
	feed(h, u, null[string]("k", 20))
	feed(h, u, null[string]("k", 21))
}

func TestTableSource(t *testing.T) {
	for _, c := range []struct {
		name       string
		store, old bool
		want       []string
	}{
		{"not materialised", false, false, []string{"k:a<--@10", "k:b<--@3", "k:-<--@20", "k:-<--@21"}},
		{"materialised", true, false, []string{"k:a<--@10", "k:b<--@3", "k:-<--@20", "k:-<--@21"}},
		{"old values", true, true, []string{"k:a<--@10", "k:b<-a@3", "k:-<-b@20", "k:-<--@21"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, u, out := newSource(t, c.store, c.old, false)
			feedSource(h, u)
			want(t, changes(out), c.want...)
		})
	}
}

func TestTableSourceKeepsOffsetOrder(t *testing.T) {
	h, u, _ := newSource(t, true, false, false)
	feed(h, u, kv("k", "a", 10))
	feed(h, u, kv("k", "b", 3))
	if !strings.Contains(h.log.String(), "out-of-order") {
		t.Errorf("no warning in %q", h.log.String())
	}
	g := StoreView[string, string]("s").New()
	if err := g.Init(h.place("reader", u)); err != nil {
		t.Fatal(err)
	}
	row, ok, err := g.Get("k")
	if err != nil || !ok || row.Value != "b" || row.Timestamp != 3 {
		t.Errorf("got %v %v %v", row, ok, err)
	}
	if _, _, err := g.GetAsOf("k", 3); err == nil {
		t.Error("a store without versions was read as of a time")
	}
}

func TestTableSourceDropsNullKeys(t *testing.T) {
	h, u, out := newSource(t, true, false, false)
	feed(h, u, processor.Record[string, string]{KeyNull: true, Value: "v"})
	want(t, changes(out))
	if h.dropped != 1 {
		t.Errorf("dropped %d records", h.dropped)
	}
}

func TestTableSourceRefusesOldValuesUnlessMaterialised(t *testing.T) {
	plan := NewTableSource[string, string]("s", false)
	if plan.EnableOldValues(false) || plan.Materialized() {
		t.Error("a soft demand materialised the table")
	}
	if !plan.EnableOldValues(true) || !plan.Materialized() || !plan.EnableOldValues(false) {
		t.Error("a hard demand did not")
	}
	var _ dsl.TableSupplier[string, string] = plan
}

func TestCachedSourceForwardsWhenFlushed(t *testing.T) {
	h, u, out := newSource(t, true, true, true)
	first := kv("k", "a", 10)
	feed(h, u, first)
	h.flush()
	want(t, changes(out), "k:a<--@10")

	last := kv("k", "c", 5)
	last.Headers = record.NewHeaders(record.Header{Key: "h"})
	feed(h, u, kv("k", "b", 11))
	feed(h, u, last)
	feed(h, u, kv("gone", "x", 12))
	feed(h, u, null[string]("gone", 13))
	want(t, changes(out))

	var context record.Context
	out.seen = func(r processor.Record[string, processor.Change[string]]) {
		if r.Headers != last.Headers && r.Headers.Len() != 1 {
			t.Errorf("headers %v", r.Headers.All())
		}
		context = *h.rc
	}
	h.flush()
	want(t, changes(out), "k:c<-a@5")
	if context.Timestamp != 5 {
		t.Errorf("forwarded in the context of time %d", context.Timestamp)
	}
	feed(h, u, null[string]("k", 14))
	out.seen = nil
	h.flush()
	want(t, changes(out), "k:-<-c@14")
}
