package ops

import (
	"fmt"
	"strings"
	"testing"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/window"
)

// windowHost is a task with a clock and commit metadata.
type windowHost struct {
	*host
	now, interval int64
	states        map[string]int64
}

func newWindowHost(t testing.TB) *windowHost {
	return &windowHost{host: newHost(t), states: map[string]int64{}}
}

func (h *windowHost) EmitInterval() int64 { return h.interval }
func (h *windowHost) SystemTime() int64   { return h.now }
func (h *windowHost) NodeState(name string) (int64, bool) {
	v, ok := h.states[name]
	return v, ok
}
func (h *windowHost) SetNodeState(name string, v int64) { h.states[name] = v }

func (h *windowHost) open(b statestore.Builder) {
	h.t.Helper()
	s := b.Build()
	if err := s.Open(h); err != nil {
		h.t.Fatal(err)
	}
	h.stores[b.Name()] = s
}

// run places a unit in front of a sink and starts both.
func (h *windowHost) run(u processor.Unit, out processor.Unit) {
	h.t.Helper()
	var stores []string
	for s := range h.stores {
		stores = append(stores, s)
	}
	node := processor.NewNode("node", u, h, stores, true)
	if err := u.Attach(processor.NewNode("out", out, h, nil, true)); err != nil {
		h.t.Fatal(err)
	}
	if err := u.Init(node); err != nil {
		h.t.Fatal(err)
	}
}

type windowSink = sink[window.Windowed[string], processor.Change[int64]]

func windowsOf(size, retention int64, opts ...statestore.Option) statestore.Builder {
	return statestore.NewTimestampedWindow("st", serde.String(), serde.Int64(),
		statestore.WindowConfig{SizeMs: size, RetentionMs: retention}, append(opts, statestore.On(memstore.Backend))...)
}

func sessionsOf(retention int64, opts ...statestore.Option) statestore.Builder {
	return statestore.NewSession("st", serde.String(), serde.Int64(),
		statestore.SessionConfig{RetentionMs: retention}, append(opts, statestore.On(memstore.Backend))...)
}

func counting(w *Windowing) WindowedPlan[string, int64] {
	return NewWindowedPlan("st", w, Counting[string, string]())
}

var (
	tumbling = Windowing{Time: window.Tumbling(10e6)}
	closing  = Windowing{Time: window.Tumbling(10e6), OnClose: true}
	slide    = window.Slide(10e6)
	sessions = window.Sessions(10e6)
)

func TestClosedWindowsAreSentOncePerInterval(t *testing.T) {
	h := newWindowHost(t)
	h.interval, h.now = 1000, 5000
	h.open(windowsOf(10, 1000))
	u, out := unit(t, counting(&closing)), &windowSink{}
	h.run(u, out)
	for i, step := range []struct {
		ts, wait int64
		want     []string
	}{
		{0, 0, nil}, // looks for closed windows for the first time
		{12, 999, nil},
		{13, 1, []string{"[k@0/10]:1<--@0"}},
		{25, 999, nil},
		{36, 0, nil},
		{36, 1, []string{"[k@10/20]:2<--@13", "[k@20/30]:1<--@25"}},
	} {
		h.now += step.wait
		feed(h.host, u, kv("k", "v", step.ts))
		if got := changes(out); fmt.Sprint(got) != fmt.Sprint(step.want) {
			t.Errorf("step %d: got %v, want %v", i, got, step.want)
		}
	}
	if got := h.states["st"]; got != 36 {
		t.Errorf("close time %d in the commit metadata, want 36", got)
	}
}

func TestClosedWindowsAreNotSentAgainAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		plan  WindowedPlan[string, int64]
		store statestore.Builder
		want  string
	}{
		"windows":  {counting(&closing), windowsOf(10, 1000), "[k@10/20]:1<--@12"},
		"sliding":  {counting(&Windowing{Sliding: &slide, OnClose: true}), windowsOf(10, 1000), "[k@2/12]:1<--@12"},
		"sessions": {counting(&Windowing{Session: &sessions, OnClose: true}), sessionsOf(1000), "[k@12/12]:1<--@12"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newWindowHost(t)
			h.open(c.store)
			// The window of 0 had been sent by the task before this one.
			h.states["st"] = 11
			u, out := unit(t, c.plan), &windowSink{}
			h.run(u, out)
			feed(h.host, u, kv("k", "v", 12))
			feed(h.host, u, kv("z", "v", 40))
			want(t, changes(out), c.want)
		})
	}
}

func TestSlidingEmitsFromTheLastCloseTime(t *testing.T) {
	h := newWindowHost(t)
	h.open(windowsOf(10, 1000))
	u, out := unit(t, counting(&Windowing{Sliding: &slide, OnClose: true})), &windowSink{}
	h.run(u, out)
	for _, ts := range []int64{20, 31, 42} {
		feed(h.host, u, kv("k", "v", ts))
	}
	want(t, changes(out), "[k@10/20]:1<--@20", "[k@21/31]:1<--@31")
}

// TestOldValuesOfWindows: what the initializer makes is the first old value.
func TestOldValuesOfWindows(t *testing.T) {
	for name, c := range map[string]struct {
		plan   WindowedPlan[string, int64]
		store  statestore.Builder
		cached bool
		want   []string
	}{
		"windows":         {counting(&tumbling), windowsOf(10, 100), false, []string{"[k@10/20]:1<-0@11", "[k@10/20]:2<-1@15"}},
		"windows, cached": {counting(&tumbling), windowsOf(10, 100, statestore.Cached()), true, []string{"[k@10/20]:2<--@15"}},
		"sliding": {counting(&Windowing{Sliding: &slide}), windowsOf(10, 100), false,
			[]string{"[k@1/11]:1<-0@11", "[k@12/22]:1<-0@15", "[k@5/15]:2<-1@15"}},
		"sessions": {counting(&Windowing{Session: &sessions}), sessionsOf(100), false,
			[]string{"[k@11/11]:1<--@11", "[k@11/11]:-<-1@11", "[k@11/15]:2<--@15"}},
		"sessions, cached": {counting(&Windowing{Session: &sessions}), sessionsOf(100, statestore.Cached()), true,
			[]string{"[k@11/15]:2<--@15"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newWindowHost(t)
			h.open(c.store)
			if !c.plan.EnableOldValues(false) {
				t.Fatal("a materialised table declines old values")
			}
			u, out := unit(t, c.plan), &windowSink{}
			h.run(u, out)
			feed(h.host, u, kv("k", "a", 11))
			feed(h.host, u, kv("k", "b", 15))
			if c.cached && len(out.got) > 0 {
				t.Errorf("%d changes before the flush", len(out.got))
			}
			h.flush()
			want(t, changes(out), c.want...)
		})
	}
}

func TestViewsOfWindows(t *testing.T) {
	for name, c := range map[string]struct {
		plan  WindowedPlan[string, int64]
		store statestore.Builder
		key   window.Windowed[string]
		time  int64
	}{
		"windows":  {counting(&tumbling), windowsOf(10, 100), window.Windowed[string]{Key: "k", Start: 10, End: 20}, 11},
		"sliding":  {counting(&Windowing{Sliding: &slide}), windowsOf(10, 100), window.Windowed[string]{Key: "k", Start: 1, End: 11}, 11},
		"sessions": {counting(&Windowing{Session: &sessions}), sessionsOf(100), window.Windowed[string]{Key: "k", Start: 11, End: 11}, 11},
	} {
		t.Run(name, func(t *testing.T) {
			h := newWindowHost(t)
			h.open(c.store)
			u, out := unit(t, c.plan), &windowSink{}
			h.run(u, out)
			feed(h.host, u, kv("k", "a", 11))
			view := c.plan.View()
			if len(view.Stores) != 1 || view.Stores[0] != "st" {
				t.Errorf("the view reads the stores %v", view.Stores)
			}
			g := view.New()
			if err := g.Init(processor.NewNode("reader", out, h, []string{"st"}, true)); err != nil {
				t.Fatal(err)
			}
			row, ok, err := g.Get(c.key)
			if err != nil || !ok || row != (statestore.Timed[int64]{Value: 1, Timestamp: c.time}) {
				t.Errorf("got %v, %v, %v", row, ok, err)
			}
			if _, ok, err := g.Get(window.Windowed[string]{Key: "k", Start: 500, End: 510}); ok || err != nil {
				t.Errorf("a window that is not there: %v, %v", ok, err)
			}
			if _, _, err := g.GetAsOf(c.key, 1); err == nil || g.Versioned() {
				t.Error("the table says that it is versioned")
			}
		})
	}
}

// TestLateRecordsAreLogged: once for each window, with its bounds.
func TestLateRecordsAreLogged(t *testing.T) {
	h := newWindowHost(t)
	h.open(windowsOf(10, 100))
	u := unit(t, counting(&Windowing{Time: window.Hopping(10e6, 5e6)}))
	h.run(u, &windowSink{})
	feed(h.host, u, kv("k", "v", 40))
	feed(h.host, u, kv("k", "v", 7))
	if h.dropped != 2 {
		t.Errorf("%d drops counted, want 2", h.dropped)
	}
	log := h.log.String()
	for _, text := range []string{"start=0 end=10", "start=5 end=15", "timestamp=7", `"stream time"=40`, "topic=in"} {
		if strings.Count(log, text) < 1 {
			t.Errorf("the log misses %s:\n%s", text, log)
		}
	}
}

// TestWindowsWithHeaders runs over stores whose rows have headers, which the
// DSL leaves empty.
func TestWindowsWithHeaders(t *testing.T) {
	windows := statestore.NewHeadersWindow("st", serde.String(), serde.Int64(),
		statestore.WindowConfig{SizeMs: 10, RetentionMs: 100}, statestore.On(memstore.Backend), statestore.Cached())
	sessionStore := statestore.NewHeadersSession("st", serde.String(), serde.Int64(),
		statestore.SessionConfig{RetentionMs: 100}, statestore.On(memstore.Backend), statestore.Cached())
	for name, c := range map[string]struct {
		plan  WindowedPlan[string, int64]
		store statestore.Builder
		want  []string
	}{
		"windows":  {counting(&tumbling), windows, []string{"[k@10/20]:2<--@15"}},
		"sliding":  {counting(&Windowing{Sliding: &slide}), windows, []string{"[k@1/11]:1<--@11", "[k@12/22]:1<--@15", "[k@5/15]:2<--@15"}},
		"sessions": {counting(&Windowing{Session: &sessions}), sessionStore, []string{"[k@11/15]:2<--@15"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newWindowHost(t)
			h.open(c.store)
			u, out := unit(t, c.plan), &windowSink{}
			h.run(u, out)
			feed(h.host, u, kv("k", "a", 11))
			feed(h.host, u, kv("k", "b", 15))
			h.flush()
			want(t, changes(out), c.want...)
		})
	}
}

// TestEmptyDifference: as in Java no window can be made.
func TestEmptyDifference(t *testing.T) {
	h := newWindowHost(t)
	h.open(windowsOf(0, 100))
	zero := window.Slide(0)
	u := unit(t, counting(&Windowing{Sliding: &zero}))
	h.run(u, &windowSink{})
	if err := tryFeed(h.host, u, kv("k", "v", 5)); err == nil {
		t.Error("a window without length was made")
	}
}

func TestRetypedWindowedSerde(t *testing.T) {
	s := RetypeSerde[any](window.SerdeMillis(serde.String(), 10))
	base, ok := s.(window.BaseKeySerde[any])
	if !ok {
		t.Fatal("the retyped serde has lost how keys are written without their window")
	}
	key, err := base.AppendBaseKey(nil, "t", nil, window.Windowed[string]{Key: "k", Start: 10, End: 20})
	if string(key) != "k" || err != nil {
		t.Errorf("got %q, %v", key, err)
	}
	if _, err := base.AppendBaseKey(nil, "t", nil, "no window"); err == nil {
		t.Error("a key without window was taken")
	}
}

func TestLateKeySerde(t *testing.T) {
	m := &dsl.Materialized[string, int64]{Name: "st", InMemory: true, Value: serde.Int64()}
	key := NewWindowedStore(m, &tumbling).Key(false)
	if _, err := key.Append(nil, "t", window.Windowed[string]{Key: "k"}); err == nil {
		t.Error("a serde that is not known yet has written")
	}
	if got := NewWindowedStore(m, &tumbling).Key(true); got != nil {
		t.Errorf("a lax graph got %v in place of Java's default serde", got)
	}
}

// BenchmarkWindowAggregate is one update of one window in memory, of which the
// forwarded record costs nothing.
func BenchmarkWindowAggregate(b *testing.B) {
	for name, c := range map[string]struct {
		plan  WindowedPlan[string, int64]
		store statestore.Builder
	}{
		"tumbling": {counting(&tumbling), windowsOf(10, 100)},
		"sliding":  {counting(&Windowing{Sliding: &slide}), windowsOf(10, 100)},
		"session":  {counting(&Windowing{Session: &sessions}), sessionsOf(100)},
	} {
		b.Run(name, func(b *testing.B) {
			h := newWindowHost(b)
			h.open(c.store)
			u := unit(b, c.plan)
			h.run(u, &discard{})
			r := u.(processor.Receiver[string, string])
			rec := kv("k", "v", 11)
			feed(h.host, u, rec)
			rec.Headers = h.rc.Headers
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Receive(rec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// discard is a sink that keeps nothing.
type discard struct{ windowSink }

// Receive implements processor.Receiver.
func (*discard) Receive(processor.Record[window.Windowed[string], processor.Change[int64]]) error {
	return nil
}
