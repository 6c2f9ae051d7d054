package ops

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// host is a task with nothing but stores. The methods it does not have are
// not called by the operators under test.
type host struct {
	processor.Host
	t       testing.TB
	rc      *record.Context
	stores  map[string]statestore.Store
	cache   *statestore.Cache
	memory  *statestore.Memory
	dropped int
	log     strings.Builder
}

func newHost(t testing.TB) *host {
	return &host{t: t, stores: map[string]statestore.Store{}, cache: statestore.NewCache(1 << 20)}
}

func (h *host) Logger() *slog.Logger                { return slog.New(slog.NewTextHandler(&h.log, nil)) }
func (h *host) ApplicationID() string               { return "app" }
func (h *host) TaskID() string                      { return "0_0" }
func (h *host) Dir() string                         { return h.t.TempDir() }
func (h *host) RecordContext() *record.Context      { return h.rc }
func (h *host) SetRecordContext(rc *record.Context) { h.rc = rc }
func (h *host) Log(string) statestore.Log           { return nil }
func (h *host) Cache() *statestore.Cache            { return h.cache }
func (h *host) Memory() *statestore.Memory          { return h.memory }
func (h *host) Dropped()                            { h.dropped++ }
func (h *host) Store(name string) (statestore.Store, bool, bool) {
	s, ok := h.stores[name]
	return s, false, ok
}

func (h *host) ProcessingFailed(_ processor.ErrorContext, _ processor.Failing, err error) error {
	return err
}

// addStore opens an in-memory table store.
func addStore[K, V any](h *host, name string, key serde.Serde[K], value serde.Serde[V], cached bool) {
	h.t.Helper()
	s := newTestStore(name, key, value, cached)
	if err := s.Open(h); err != nil {
		h.t.Fatal(err)
	}
	h.stores[name] = s
}

// place puts a unit into the task, connected to every store.
func (h *host) place(name string, u processor.Unit) *processor.Node {
	var stores []string
	for s := range h.stores {
		stores = append(stores, s)
	}
	return processor.NewNode(name, u, h, stores, true)
}

// sink collects what it receives.
type sink[K, V any] struct {
	got  []processor.Record[K, V]
	seen func(processor.Record[K, V])
}

func (s *sink[K, V]) Attach(*processor.Node) error { return nil }
func (s *sink[K, V]) Init(*processor.Node) error   { return nil }
func (s *sink[K, V]) Close() error                 { return nil }
func (s *sink[K, V]) Receive(rec processor.Record[K, V]) error {
	if s.seen != nil {
		s.seen(rec)
	}
	s.got = append(s.got, rec)
	return nil
}

// pipe connects units in a row and starts them. The error of a plan's New is
// passed in by its result.
func pipe(h *host, units ...processor.Unit) {
	h.t.Helper()
	nodes := make([]*processor.Node, len(units))
	for i, u := range units {
		nodes[i] = h.place(fmt.Sprintf("node-%d", i), u)
	}
	for i := range nodes[1:] {
		if err := units[i].Attach(nodes[i+1]); err != nil {
			h.t.Fatal(err)
		}
	}
	for i, u := range units {
		if err := u.Init(nodes[i]); err != nil {
			h.t.Fatal(err)
		}
	}
}

// unit makes the unit of a plan.
func unit(t testing.TB, p interface {
	New() (processor.Unit, error)
}) processor.Unit {
	t.Helper()
	u, err := p.New()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// feed hands a record to a unit as a task would.
func feed[K, V any](h *host, u processor.Unit, rec processor.Record[K, V]) {
	h.t.Helper()
	if err := tryFeed(h, u, rec); err != nil {
		h.t.Fatal(err)
	}
}

func tryFeed[K, V any](h *host, u processor.Unit, rec processor.Record[K, V]) error {
	if rec.Headers == nil {
		rec.Headers = &record.Headers{}
	}
	h.rc = &record.Context{Topic: "in", Timestamp: rec.Timestamp, Headers: rec.Headers}
	return u.(processor.Receiver[K, V]).Receive(rec)
}

// flush empties the caches of all stores.
func (h *host) flush() {
	h.t.Helper()
	for _, s := range h.stores {
		if err := s.Flush(); err != nil {
			h.t.Fatal(err)
		}
	}
}

// kv is a record with a value; null is one without.
func kv[K, V any](k K, v V, ts int64) processor.Record[K, V] {
	return processor.Record[K, V]{Key: k, Value: v, Timestamp: ts}
}

func null[V, K any](k K, ts int64) processor.Record[K, V] {
	return processor.Record[K, V]{Key: k, ValueNull: true, Timestamp: ts}
}

// changes writes collected changes as "key:new<-old@timestamp", with "-" for
// a missing side, and forgets them.
func changes[K, V any](s *sink[K, processor.Change[V]]) []string {
	out := []string{}
	for _, r := range s.got {
		text := fmt.Sprintf("%v:%s<-%s@%d", r.Key, side(r.Value.New, r.Value.HasNew), side(r.Value.Old, r.Value.HasOld), r.Timestamp)
		if r.Value.Stale {
			text += " stale"
		}
		out = append(out, text)
	}
	s.got = nil
	return out
}

func side(v any, has bool) string {
	if !has {
		return "-"
	}
	if p, ok := v.(*string); ok {
		return *p
	}
	return fmt.Sprint(v)
}

func want(t testing.TB, got []string, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
