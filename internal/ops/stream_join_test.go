package ops

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/window"
)

func TestUnmatchedKeySerde(t *testing.T) {
	s := unmatchedKeySerde[string]{serde.String()}
	for _, c := range []struct {
		key UnmatchedKey[string]
		hex string
	}{
		{UnmatchedKey[string]{"key", 1700000000000, true}, "0000018bcfe56800016b6579"},
		{UnmatchedKey[string]{"key", 1700000000000, false}, "0000018bcfe56800006b6579"},
		{UnmatchedKey[string]{"", 0, true}, "000000000000000001"},
	} {
		got, err := s.Append([]byte("x"), "t", c.key)
		if err != nil || hex.EncodeToString(got) != "78"+c.hex {
			t.Errorf("%+v: %x, %v, want %s", c.key, got, err, c.hex)
			continue
		}
		back, err := s.Decode("t", got[1:])
		if d := cmp.Diff(c.key, back); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	}
	if _, err := s.Decode("t", make([]byte, 8)); err == nil {
		t.Error("a key without a side was read")
	}
}

func TestUnmatchedValues(t *testing.T) {
	h, u, _ := newJoin(t, leftJoin[string](), serde.String())
	feed(h.host, u, kv("key", "L", 7))
	feed(h.host, u, kv("key", "M", 7))
	list, _, err := h.stores[joinUnmatched].(UnmatchedStore[string]).Get(UnmatchedKey[string]{"key", 7, true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := serde.List(serde.Bytes()).Append(nil, "", list)
	if err != nil || hex.EncodeToString(data) != "010000000200000002014c00000002014d" {
		t.Errorf("%x, %v", data, err)
	}
	right := unmatched[string, int64, string]{this: serde.Int64(), other: serde.String()}
	n, _, mine, err := right.decode(nil, []byte{0, 0, 0, 0, 0, 0, 0, 0, 9})
	if err != nil || !mine || n != 9 {
		t.Errorf("%d %v %v", n, mine, err)
	}
	if _, l, mine, err := right.decode(nil, []byte{1, 'L'}); err != nil || mine || l != "L" {
		t.Errorf("%q %v %v", l, mine, err)
	}
}

// joinHost is a task of a join.
type joinHost struct {
	*host
	now, interval int64
}

func (h *joinHost) SystemTime() int64   { return h.now }
func (h *joinHost) EmitInterval() int64 { return h.interval }

const joinWindows, joinOthers, joinUnmatched = "this", "other", "unmatched"

// newJoin starts the left side of a left join over empty stores, in a task of
// its own.
func newJoin[K any](t *testing.T, plan *StreamJoin[K, string, string, string], key serde.Serde[K]) (*joinHost, processor.Unit, *sink[K, string]) {
	t.Helper()
	h := &joinHost{host: newHost(t)}
	windows := statestore.WindowConfig{RetentionMs: 100, SizeMs: 10, RetainDuplicates: true}
	for _, b := range []statestore.Builder{
		statestore.NewHeadersWindow(joinOthers, key, serde.String(), windows, statestore.On(memstore.Backend)),
		NewUnmatchedStore(joinUnmatched, key, statestore.On(memstore.Backend)),
	} {
		s := b.Build()
		if err := s.Open(h); err != nil {
			t.Fatal(err)
		}
		h.stores[b.Name()] = s
	}
	u, err := plan.NewLeft()
	if err != nil {
		t.Fatal(err)
	}
	out := &sink[K, string]{}
	stores := []string{joinOthers, joinUnmatched}
	node := processor.NewNode("join", u, h, stores, true)
	if err := u.Attach(processor.NewNode("sink", out, h, nil, true)); err != nil {
		t.Fatal(err)
	}
	if err := u.Init(node); err != nil {
		t.Fatal(err)
	}
	return h, u, out
}

func leftJoin[K any]() *StreamJoin[K, string, string, string] {
	return &StreamJoin[K, string, string, string]{
		Window: window.Within(5 * time.Millisecond), LeftOuter: true,
		LeftStore: joinWindows, RightStore: joinOthers, Unmatched: joinUnmatched,
		LeftValue: serde.String(), RightValue: serde.String(),
		Join: func(_ K, l string, _ bool, r string, has bool) string {
			if !has {
				r = "null"
			}
			return l + "+" + r
		},
	}
}

// TestJoinTasksHaveTheirOwnTime runs two tasks of the same join: the time of
// one does not close windows of the other.
func TestJoinTasksHaveTheirOwnTime(t *testing.T) {
	plan := leftJoin[string]()
	h1, u1, out1 := newJoin(t, plan, serde.String())
	h2, u2, out2 := newJoin(t, plan, serde.String())
	feed(h1.host, u1, kv("a", "1", 10))
	feed(h2.host, u2, kv("z", "2", 100))
	feed(h1.host, u1, kv("b", "3", 12))
	if len(out1.got)+len(out2.got) != 0 {
		t.Errorf("sent %v and %v", out1.got, out2.got)
	}
	feed(h1.host, u1, kv("c", "4", 30))
	if len(out1.got) != 2 || len(out2.got) != 0 {
		t.Errorf("sent %v and %v", out1.got, out2.got)
	}
	for _, u := range []processor.Unit{u1, u2} {
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(plan.clocks.clock); n != 0 {
		t.Errorf("%d tasks are remembered after they closed", n)
	}
}

// unmatchedRows is the number of rows the join remembers.
func unmatchedRows[K any](t *testing.T, h *joinHost) int {
	t.Helper()
	n := 0
	for e, err := range h.stores[joinUnmatched].(UnmatchedStore[K]).All() {
		if err != nil {
			t.Fatal(err)
		}
		n += len(e.Value)
	}
	return n
}

// TestFailedScanKeepsUnmatched sees that a record whose result could not be
// sent is still there.
func TestFailedScanKeepsUnmatched(t *testing.T) {
	plan := leftJoin[string]()
	sound := plan.Join
	broken := ""
	plan.Join = func(k, l string, hasL bool, r string, hasR bool) string {
		if k == broken {
			panic("broken " + k)
		}
		return sound(k, l, hasL, r, hasR)
	}
	h, u, out := newJoin(t, plan, serde.String())
	for i, k := range []string{"a", "b", "c"} {
		feed(h.host, u, kv(k, "v", int64(i)))
	}
	broken = "c"
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the joiner did not fail")
			}
		}()
		_ = tryFeed(h.host, u, kv("z", "z", 20))
	}()
	// a was deleted when b had been sent; b waits for c.
	if n := unmatchedRows[string](t, h); n != 2 || len(out.got) != 2 {
		t.Errorf("%d rows left, sent %v", n, out.got)
	}
	broken = ""
	feed(h.host, u, kv("z", "z", 21))
	if n := unmatchedRows[string](t, h); n != 1 || len(out.got) != 4 {
		t.Errorf("%d rows left, sent %v", n, out.got)
	}
}

// TestIntervalBetweenScans sees that even a scan of an empty store starts the
// interval.
func TestIntervalBetweenScans(t *testing.T) {
	h, u, out := newJoin(t, leftJoin[string](), serde.String())
	h.interval, h.now = 1000, 5000
	feed(h.host, u, kv("a", "1", 0))
	h.now = 5999
	feed(h.host, u, kv("b", "2", 10))
	if len(out.got) != 0 {
		t.Errorf("sent %v within the interval", out.got)
	}
	h.now = 6000
	feed(h.host, u, kv("c", "3", 11))
	if len(out.got) != 1 {
		t.Errorf("sent %v after the interval", out.got)
	}
}

// nullWriter writes the text "null" as null.
type nullWriter struct{ serde.Serde[string] }

func (s nullWriter) Append(dst []byte, topic string, v string) ([]byte, error) {
	if v == "null" {
		return dst, serde.ErrNull
	}
	return s.Serde.Append(dst, topic, v)
}

func TestValueWrittenAsNullRemovesTheOthers(t *testing.T) {
	plan := leftJoin[string]()
	plan.LeftValue = nullWriter{serde.String()}
	h, u, _ := newJoin(t, plan, serde.String())
	feed(h.host, u, kv("a", "1", 1))
	feed(h.host, u, kv("a", "2", 1))
	if n := unmatchedRows[string](t, h); n != 2 {
		t.Fatalf("%d rows", n)
	}
	feed(h.host, u, kv("a", "null", 1))
	if n := unmatchedRows[string](t, h); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestJoinChecksItsStores(t *testing.T) {
	h := newHost(t)
	addStore(h, joinOthers, serde.String(), serde.String(), false)
	addStore(h, joinUnmatched, serde.String(), serde.String(), false)
	u, err := leftJoin[string]().NewLeft()
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Init(h.place("join", u)); err == nil {
		t.Error("a table store passed for the window store of a join")
	}
	if _, err := openUnmatched[string](h.place("join", u), joinUnmatched, true, serde.String(), serde.String()); err == nil {
		t.Error("a table store passed for the store of unmatched records")
	}
}

// TestJoinAllocatesWhatItsStoreDoes compares an inner join with the scan of the
// other side's store that it makes.
func TestJoinAllocatesWhatItsStoreDoes(t *testing.T) {
	plan := leftJoin[string]()
	plan.LeftOuter, plan.Unmatched = false, ""
	plan.Join = func(_ string, l string, _ bool, _ string, _ bool) string { return l }
	h, u, out := newJoin(t, plan, serde.String())
	others := h.stores[joinOthers].(statestore.HeadersWindow[string, string])
	if err := others.Put("k", statestore.TimedHeaders[string]{Value: "v", Timestamp: 10}, 10); err != nil {
		t.Fatal(err)
	}
	rec := kv("k", "v", 10)
	feed(h.host, u, rec)
	if len(out.got) != 1 {
		t.Fatalf("sent %v", out.got)
	}
	r := u.(processor.Receiver[string, string])
	bare := testing.AllocsPerRun(200, func() {
		for e, err := range others.FetchKey("k", 5, 15) {
			if err != nil || e.Key.Start != 10 {
				t.Fatal(e, err)
			}
		}
	})
	n := testing.AllocsPerRun(200, func() {
		if err := r.Receive(rec); err != nil {
			t.Fatal(err)
		}
	})
	if n > bare {
		t.Errorf("%v allocations, the scan alone makes %v", n, bare)
	}
}
