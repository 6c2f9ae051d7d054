package statestore_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/statestore/storetest"
	"github.com/millrace/millrace/window"
)

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func rowsOf[K, V any](t testing.TB, entries statestore.WindowEntries[K, V]) string {
	t.Helper()
	out := ""
	for e, err := range entries {
		noError(t, err)
		out += fmt.Sprintf("%v@%d=%v ", e.Key.Key, e.Key.Start, e.Value)
	}
	return out
}

// TestOrders is Java's example of the orders of the backends.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		name    string
		backend statestore.Backend
		order   statestore.TimeOrder
		all     string
	}{
		{"memory", memstore.Backend, statestore.KeyFirst, "a@0=2 b@0=1 aa@3=4 a@5=3 "},
		{"pebble", pebblestore.Backend, statestore.KeyFirst, "a@0=2 a@5=3 aa@3=4 b@0=1 "},
		{"pebble by time", pebblestore.Backend, statestore.TimeFirst, "a@0=2 b@0=1 aa@3=4 a@5=3 "},
		{"pebble indexed", pebblestore.Backend, statestore.TimeFirstIndexed, "a@0=2 b@0=1 aa@3=4 a@5=3 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := statestore.NewWindow("w", serde.String(), serde.Int64(),
				statestore.WindowConfig{RetentionMs: 1000, SizeMs: 10, Order: c.order}, statestore.On(c.backend)).New()
			noError(t, s.Open(storetest.NewHost(t)))
			defer s.Close()
			for i, p := range []struct {
				key   string
				start int64
			}{{"b", 0}, {"a", 0}, {"a", 5}, {"aa", 3}} {
				noError(t, s.Put(p.key, int64(i+1), p.start))
			}
			if got := rowsOf(t, s.All()); got != c.all {
				t.Errorf("all: %s, want %s", got, c.all)
			}
			if got := rowsOf(t, s.FetchKey("a", 0, 9)); got != "a@0=2 a@5=3 " {
				t.Errorf("key a: %s", got)
			}
			if got := rowsOf(t, s.FetchKeyBackward("a", 0, 9)); got != "a@5=3 a@0=2 " {
				t.Errorf("key a backward: %s", got)
			}
		})
	}
}

// TestExpiry: a row that is too old is dropped and counted, on disk only once
// its segment is gone; the reads hide it all the same.
func TestExpiry(t *testing.T) {
	for _, c := range []struct {
		backend statestore.Backend
		drops   int
	}{{memstore.Backend, 2}, {pebblestore.Backend, 1}} {
		h := storetest.NewHost(t)
		s := statestore.NewWindow("w", serde.String(), serde.Int64(),
			statestore.WindowConfig{RetentionMs: 60_000, SizeMs: 10}, statestore.On(c.backend)).New()
		noError(t, s.Open(h))
		noError(t, s.Put("a", 1, 0))
		noError(t, s.Put("a", 2, 130_000))
		noError(t, s.Put("a", 3, 1))      // its segment is gone
		noError(t, s.Put("a", 4, 69_000)) // its segment is there
		if got := rowsOf(t, s.All()); got != "a@130000=2 " || h.Drops != c.drops {
			t.Errorf("%T: rows %s, %d dropped, want %d", c.backend, got, h.Drops, c.drops)
		}
		noError(t, s.Close())
	}
}

// TestDuplicates: all values of a key and start stay, in the order of their
// insertion; the changelog counts nulls, which the store ignores.
func TestDuplicates(t *testing.T) {
	for _, b := range []statestore.Backend{memstore.Backend, pebblestore.Backend} {
		h := storetest.NewHost(t)
		h.Context = &record.Context{Timestamp: 77, Headers: record.NewHeaders(record.Header{Key: "h"})}
		build := statestore.NewWindow("w", serde.String(), serde.String(),
			statestore.WindowConfig{RetentionMs: 1000, SizeMs: 10, RetainDuplicates: true}, statestore.On(b), statestore.Cached())
		if build.Cached() || build.ChangelogConfig()["cleanup.policy"] != "delete" || build.RetentionMs() != 1000 {
			t.Errorf("builder of duplicates: cached %v, config %v", build.Cached(), build.ChangelogConfig())
		}
		s := build.New()
		noError(t, s.Open(h))
		noError(t, s.Put("k", "x", 5))
		noError(t, s.Remove("k", 5))
		noError(t, s.Put("k", "x", 5))
		noError(t, s.Put("k", "y", 5))
		if got := rowsOf(t, s.FetchKey("k", 0, 9)); got != "k@5=x k@5=x k@5=y " {
			t.Errorf("rows %s", got)
		}
		for i, l := range h.Logged {
			want := fmt.Sprintf("6b0000000000000005%08x", i+1)
			if hex.EncodeToString([]byte(l.Key)) != want || l.Null != (i == 1) || l.Timestamp != 77 || l.Headers != 0 {
				t.Errorf("changelog record %d: %x %+v, want key %s", i, l.Key, l, want)
			}
		}
		noError(t, s.Close())
	}
}

// TestChangelogOfHeaders: values are logged raw, under their own timestamp and
// headers; deletes under those of the current record. A store over plain rows
// keeps neither.
func TestChangelogOfHeaders(t *testing.T) {
	h := storetest.NewHost(t)
	h.Context = &record.Context{Timestamp: 50, Headers: record.NewHeaders(record.Header{Key: "x"}, record.Header{Key: "y"})}
	s := statestore.NewHeadersWindow("w", serde.String(), serde.String(),
		statestore.WindowConfig{RetentionMs: 1000, SizeMs: 10}, statestore.Supplied(statestore.KindWindow),
		statestore.On(pebblestore.Backend)).New()
	noError(t, s.Open(h))
	own := record.NewHeaders(record.Header{Key: "own", Value: []byte("1")})
	noError(t, s.Put("k", statestore.TimedHeaders[string]{Value: "v", Timestamp: 7, Headers: own}, 0))
	noError(t, s.Remove("k", 0))
	noError(t, s.Put("k", statestore.TimedHeaders[string]{Value: "w", Timestamp: 8}, 0))
	if l := h.Logged; len(l) != 3 || l[0].Value != "v" || l[0].Timestamp != 7 || l[0].Headers != 1 ||
		!l[1].Null || l[1].Timestamp != 50 || l[1].Headers != 2 || l[2].Headers != 0 {
		t.Errorf("logged %+v", l)
	}
	v, ok, err := s.Fetch("k", 0)
	if noError(t, err); !ok || v.Value != "w" || v.Timestamp != -1 || v.Headers != nil {
		t.Errorf("read %+v, %v", v, ok)
	}
	noError(t, s.Restore([]statestore.Change{{Key: []byte(h.Logged[0].Key), Value: []byte("restored"), Timestamp: 9}}))
	if v, _, err = s.Fetch("k", 0); err != nil || v.Value != "restored" {
		t.Errorf("read %+v, %v after restoring", v, err)
	}
	noError(t, s.Close())
}

// TestWindowFlush: per row the last update leaves the cache, with the value the
// store below had; what came and went is not told of.
func TestWindowFlush(t *testing.T) {
	for _, order := range []statestore.TimeOrder{statestore.KeyFirst, statestore.TimeFirst, statestore.TimeFirstIndexed} {
		h := storetest.NewHost(t)
		h.RecordCache = statestore.NewCache(1 << 20)
		s := statestore.NewTimestampedWindow("w", serde.String(), serde.String(),
			statestore.WindowConfig{RetentionMs: 1000, SizeMs: 10, Order: order}, statestore.On(pebblestore.Backend), statestore.Cached()).New()
		noError(t, s.Open(h))
		told := ""
		if !s.(statestore.CacheFlusher[window.Windowed[string], statestore.Timed[string]]).OnFlush(func(f statestore.Flushed[window.Windowed[string], statestore.Timed[string]]) error {
			told += fmt.Sprintf("%v %v%s<%v%s@%d ", f.Key, f.HasNew, f.New.Value, f.HasOld, f.Old.Value, f.Context.Timestamp)
			return nil
		}, true) {
			t.Fatal("not cached")
		}
		put := func(key, v string, ts int64) {
			h.Context = &record.Context{Timestamp: ts}
			noError(t, s.Put(key, statestore.Timed[string]{Value: v, Timestamp: ts}, 0))
		}
		put("b", "1", 1)
		put("a", "2", 2)
		put("b", "3", 3)
		put("c", "4", 4)
		noError(t, s.Remove("c", 0))
		noError(t, s.Flush())
		put("a", "5", 5)
		noError(t, s.Remove("b", 0))
		noError(t, s.Flush())
		want := "[a@0/10] true2<false@2 [b@0/10] true3<false@3 [a@0/10] true5<true2@5 [b@0/10] false<true3@5 "
		if told != want {
			t.Errorf("order %d: told\n%s, want\n%s", order, told, want)
		}
		noError(t, s.Close())
	}
}

func TestSessionsByEnd(t *testing.T) {
	open := func(b statestore.Backend, order statestore.TimeOrder) statestore.Session[string, string] {
		s := statestore.NewSession("s", serde.String(), serde.String(),
			statestore.SessionConfig{RetentionMs: 1000, Order: order}, statestore.On(b)).New()
		noError(t, s.Open(storetest.NewHost(t)))
		t.Cleanup(func() { s.Close() })
		for _, w := range []window.Windowed[string]{{Key: "b", Start: 1, End: 9}, {Key: "a", Start: 5, End: 9}, {Key: "a", Start: 0, End: 4}, {Key: "c", Start: 7, End: 30}} {
			noError(t, s.Put(w, "v"))
		}
		return s
	}
	for _, c := range []struct {
		s    statestore.Session[string, string]
		want string
	}{
		{open(memstore.Backend, statestore.KeyFirst), "a@0=v a@5=v b@1=v "},
		{open(pebblestore.Backend, statestore.TimeFirstIndexed), "a@0=v b@1=v a@5=v "},
	} {
		if got := rowsOf(t, c.s.FindByEnd(0, 9)); got != c.want {
			t.Errorf("by end: %s, want %s", got, c.want)
		}
		if got := rowsOf(t, c.s.FindSessions("a", 5, 100)); got != "a@5=v " {
			t.Errorf("of a: %s", got)
		}
	}
	for _, err := range open(pebblestore.Backend, statestore.KeyFirst).FindByEnd(0, 9) {
		if !errors.Is(err, statestore.ErrUnsupported) {
			t.Errorf("a store by key gave %v", err)
		}
	}
}

// TestReadersOfWindows lets other goroutines read while the task writes,
// flushes, expires rows and closes; run with -race. Each scan must see all keys
// of one start or none: they are put in one go.
func TestReadersOfWindows(t *testing.T) {
	for _, b := range []statestore.Backend{memstore.Backend, pebblestore.Backend} {
		for _, cached := range []bool{false, true} {
			h := storetest.NewHost(t)
			h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: 32 << 10})
			opts := []statestore.Option{statestore.On(b)}
			if cached {
				h.RecordCache = statestore.NewCache(2000)
				opts = append(opts, statestore.Cached())
			}
			s := statestore.NewWindow("w", serde.String(), serde.Int64(), statestore.WindowConfig{RetentionMs: 100_000, SizeMs: 10}, opts...).New()
			noError(t, s.Open(h))
			r := s.(statestore.QueryableWindow[string, int64]).Reader()
			var readers sync.WaitGroup
			for range 3 {
				readers.Go(func() { readWindows(t, r) })
			}
			for i := range int64(2000) {
				noError(t, s.Put("a", i, i*200))
				noError(t, s.Put("b", i, i*200))
				if i%50 == 0 {
					noError(t, s.Flush())
					noError(t, s.Commit(i))
				}
			}
			noError(t, s.Close())
			readers.Wait()
		}
	}
}

func readWindows(t *testing.T, r statestore.ReadOnlyWindow[string, int64]) {
	for {
		for _, entries := range []statestore.WindowEntries[string, int64]{r.All(), r.FetchKey("a", 0, 1<<40), r.FetchKeys(statestore.From("a"), 0, 1<<40)} {
			for e, err := range entries {
				if errors.Is(err, statestore.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if e.Value*200 != e.Key.Start {
					t.Errorf("row %+v", e)
					return
				}
			}
		}
		if _, _, err := r.Fetch("b", 1000); errors.Is(err, statestore.ErrClosed) {
			return
		} else if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestMemoryStaysFlat puts two million rows while time advances: what has
// expired must not stay, in memory or on disk.
func TestMemoryStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: takes seconds")
	}
	for _, b := range []statestore.Backend{memstore.Backend, pebblestore.Backend} {
		h := storetest.NewHost(t)
		h.NoLog = true
		h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: 8 << 20})
		s := statestore.NewWindow("w", serde.Int64(), serde.Int64(), statestore.WindowConfig{RetentionMs: 60_000, SizeMs: 10}, statestore.On(b)).New()
		noError(t, s.Open(h))
		var most uint64
		for i := range int64(2_000_000) {
			noError(t, s.Put(i%10_000, i, i/10*10))
			if i%200_000 == 199_999 {
				noError(t, s.Commit(i))
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
		}
		rows := 0
		for _, err := range s.All() {
			noError(t, err)
			rows++
		}
		if rows != 60_000 {
			t.Errorf("%T: %d rows are seen, want 60000", b, rows)
		}
		if most > 96<<20 || h.Budget.Buffered() > 16<<20 {
			t.Errorf("%T: heap of %d MiB, write buffer of %d MiB", b, most>>20, h.Budget.Buffered()>>20)
		}
		noError(t, s.Close())
	}
}

// TestWindowsAllocateNothing guards the path of an aggregation: fetch, put.
func TestWindowsAllocateNothing(t *testing.T) {
	for _, b := range []statestore.Backend{memstore.Backend, pebblestore.Backend} {
		for _, cached := range []bool{false, true} {
			h := storetest.NewHost(t)
			h.NoLog = true
			opts := []statestore.Option{statestore.On(b)}
			if cached {
				h.RecordCache = statestore.NewCache(1 << 20)
				opts = append(opts, statestore.Cached())
			}
			s := statestore.NewTimestampedWindow("w", serde.Int64(), serde.Int64(), statestore.WindowConfig{RetentionMs: 60_000, SizeMs: 10}, opts...).New()
			noError(t, s.Open(h))
			n := int64(0)
			step := func() {
				v, _, err := s.Fetch(n%64, 10)
				noError(t, err)
				v.Value++
				v.Timestamp = n
				noError(t, s.Put(n%64, v, 10))
				n++
			}
			for range 200 {
				step()
			}
			if a := testing.AllocsPerRun(500, step); a != 0 {
				t.Errorf("%T, cached %v: %v allocations", b, cached, a)
			}
			noError(t, s.Close())
		}
	}
}
