package statestore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/storetest"
)

type flushed = statestore.Flushed[string, string]

// listen makes a cached store whose listener writes down what it is told.
func listen(t *testing.T, h *storetest.Host, sendOld bool) (statestore.KeyValue[string, string], *[]string) {
	t.Helper()
	s := open(t, h, statestore.Cached())
	out := &[]string{}
	if !s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
		*out = append(*out, fmt.Sprintf("%s: %q %v <- %q %v @%d", f.Key, f.New, f.HasNew, f.Old, f.HasOld, f.Context.Timestamp))
		if h.Context != f.Context {
			return errors.New("the host's context is not the update's")
		}
		return nil
	}, sendOld) {
		t.Fatal("not cached")
	}
	return s, out
}

func cachedHost(t *testing.T, bytes int64) *storetest.Host {
	h := storetest.NewHost(t)
	h.RecordCache = statestore.NewCache(bytes)
	return h
}

func at(h *storetest.Host, ts int64) { h.Context = &record.Context{Topic: "in", Timestamp: ts} }

// TestFlushTellsTheLastUpdate is behaviour 36: of several updates within a
// flush only the last leaves, under its own timestamp, with the value before
// the first as the old one.
func TestFlushTellsTheLastUpdate(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s, out := listen(t, h, true)
	at(h, 1)
	must(t, s.Put("a", "1"), s.Put("b", "1"))
	at(h, 2)
	must(t, s.Put("a", "2"))
	current := h.Context
	if len(h.Logged)+len(*out) != 0 {
		t.Fatal("something left before the flush")
	}
	must(t, s.Flush())
	equal(t, []string{`b: "1" true <- "" false @1`, `a: "2" true <- "" false @2`}, *out)
	equal(t, []storetest.Logged{log("b", "1", 1), log("a", "2", 2)}, h.Logged)
	if h.Context != current {
		t.Error("the host's context was not put back")
	}
	at(h, 3)
	must(t, s.Put("a", "3"), s.Put("a", "4"), s.Remove("b"), s.Flush(), s.Flush())
	equal(t, []string{`a: "4" true <- "2" true @3`, `b: "" false <- "1" true @3`}, (*out)[2:])
}

// TestPutAndDeleteWithinAFlush is behaviour 36: nothing is logged or forwarded
// for a key that the store below never had.
func TestPutAndDeleteWithinAFlush(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s, out := listen(t, h, false)
	must(t, s.Put("a", "1"), s.Remove("a"), s.Flush())
	if len(h.Logged)+len(*out) != 0 {
		t.Errorf("logged %v, told %v", h.Logged, *out)
	}
	must(t, s.Put("c", "1"), s.Flush(), s.Put("c", "2"), s.Remove("c"), s.Flush())
	equal(t, []string{`c: "1" true <- "" false @0`, `c: "" false <- "" false @0`}, *out)
	equal(t, []storetest.Logged{log("c", "1", 0), tombstone("c", 0)}, h.Logged)
}

// TestPutAndDeleteWithoutListener: without a listener the delete is written.
func TestPutAndDeleteWithoutListener(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s := open(t, h, statestore.Cached())
	must(t, s.Put("a", "1"), s.Remove("a"), s.Flush())
	equal(t, []storetest.Logged{tombstone("a", 0)}, h.Logged)
}

func TestLogComesBeforeTheListener(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s := open(t, h, statestore.Cached())
	s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
		if len(h.Logged) != 1 {
			t.Errorf("%d records logged when the listener is told", len(h.Logged))
		}
		if v, ok, err := s.Get("a"); v != "1" || !ok || err != nil {
			t.Errorf("the listener reads %q %v %v", v, ok, err)
		}
		return nil
	}, false)
	must(t, s.Put("a", "1"), s.Flush())
}

// TestListenerMayUseTheStore: a listener that writes to the flushing store, in a
// cache too small for anything, must neither loop nor lose an update.
func TestListenerMayUseTheStore(t *testing.T) {
	for _, budget := range []int64{0, 60, 130, 1 << 20} {
		h := cachedHost(t, budget)
		s := open(t, h, statestore.Cached())
		s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
			if len(f.Key) > 3 {
				return nil
			}
			if f.New == "" && f.HasNew {
				return errors.New("lost value")
			}
			return s.Put(f.Key+"x", f.New+"'")
		}, true)
		for i := range 20 {
			must(t, s.Put(fmt.Sprint(i%3), fmt.Sprint(i)))
			if _, _, err := s.Delete("absent"); err != nil {
				t.Fatal(err)
			}
		}
		for range 6 {
			must(t, s.Flush())
		}
		equal(t, []string{
			"0=18", "0x=18'", "0xx=18''", "0xxx=18'''",
			"1=19", "1x=19'", "1xx=19''", "1xxx=19'''",
			"2=17", "2x=17'", "2xx=17''", "2xxx=17'''",
		}, rows(t, s.All()))
	}
}

func TestHeadersTravelWithTheUpdate(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s := open(t, h, statestore.Cached())
	got := map[string]int{}
	s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
		got[f.Key] = f.Context.Headers.Len()
		return nil
	}, false)
	h.Context = &record.Context{Headers: record.NewHeaders(record.Header{Key: "h", Value: []byte("v")})}
	must(t, s.Put("a", "1"), s.Put("b", "1"))
	h.Context = &record.Context{Headers: record.NewHeaders()}
	must(t, s.Put("b", "2"), s.Flush())
	equal(t, map[string]int{"a": 1, "b": 0}, got)
}

// TestHeadersAddedInTheStepShow: Java's cache refers to the list of the record,
// which later nodes of the step may still add to.
func TestHeadersAddedInTheStepShow(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s := open(t, h, statestore.Cached())
	got := map[string]int{}
	s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
		got[f.Key] = f.Context.Headers.Len()
		return nil
	}, false)
	var lists record.Lists
	put := func(key string, step bool, headers int) {
		list := lists.Copy(nil)
		h.Context = &record.Context{Headers: list}
		must(t, s.Put(key, "1"))
		for range headers {
			list.Add("late", nil)
		}
		lists.Done(list)
		if step {
			h.RecordCache.EndStep()
		}
	}
	put("none", true, 0)
	put("late", true, 1)
	put("overwritten", true, 1)
	put("overwritten", true, 0)
	put("same list, empty", false, 0)
	put("same list, added", false, 2)
	put("gone", false, 1)
	must(t, s.Remove("gone"), s.Flush())
	equal(t, map[string]int{"none": 0, "late": 1, "overwritten": 0, "same list, empty": 0, "same list, added": 2}, got)
	h.RecordCache.EndStep()

	put("after the flush", false, 1)
	must(t, s.Close())
	h.RecordCache.EndStep()
}

func TestRawSourceIsKeptOnDemand(t *testing.T) {
	for _, keep := range []bool{false, true} {
		h := cachedHost(t, 1<<20)
		h.RecordCache.KeepRaw(keep)
		s := open(t, h, statestore.Cached())
		s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
			if (string(f.Context.RawKey) == "rk" && string(f.Context.RawValue) == "rv") != keep {
				t.Errorf("keep %v: raw key %q, raw value %q", keep, f.Context.RawKey, f.Context.RawValue)
			}
			return nil
		}, false)
		h.Context.RawKey, h.Context.RawValue = []byte("rk"), []byte("rv")
		must(t, s.Put("a", "1"), s.Flush())
	}
}

func TestUncachedStoreHasNoListener(t *testing.T) {
	s := open(t, storetest.NewHost(t), statestore.Cached())
	if s.(statestore.CacheFlusher[string, string]).OnFlush(nil, false) {
		t.Error("a store without a record cache says it is cached")
	}
}

// TestEvictionStaysInItsStore: the part that is written to makes room.
func TestEvictionStaysInItsStore(t *testing.T) {
	h := cachedHost(t, 2*(45+2+1+1))
	s, out := listen(t, h, false)
	must(t, s.Put("a", "1"), s.Put("b", "2"))
	if len(*out) != 0 {
		t.Fatalf("two rows of 49 bytes do not fit in 98: %v", *out)
	}
	must(t, s.Put("c", "3"))
	equal(t, []string{`a: "1" true <- "" false @0`, `b: "2" true <- "" false @0`, `c: "3" true <- "" false @0`}, *out)
	if h.RecordCache.Size() != 98 {
		t.Errorf("%d bytes held, want the two rows that were not evicted", h.RecordCache.Size())
	}
	must(t, s.Close())
	if h.RecordCache.Size() != 0 || len(h.RecordCache.All()) != 0 {
		t.Errorf("%d bytes held after close", h.RecordCache.Size())
	}
}

// TestCountDoesNotGoAstrayForever: what a listener does to the part it is told
// of counts twice, but only up to a bound.
func TestCountDoesNotGoAstrayForever(t *testing.T) {
	const budget, row = 300_000, 90_000
	h := cachedHost(t, budget)
	s := open(t, h, statestore.Cached())
	s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
		if f.Key == "k" {
			return s.Put("large", "no more")
		}
		return nil
	}, false)
	least := int64(0)
	for range 100 {
		must(t, s.Put("large", strings.Repeat("v", row)), s.Flush(), s.Put("k", "v"), s.Flush())
		least = min(least, h.RecordCache.Size())
	}
	if least > -1<<20 || least < -1<<20-budget-2*row {
		t.Errorf("down to %d bytes are counted", least)
	}
}

func TestResize(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s, out := listen(t, h, false)
	for i := range 10 {
		must(t, s.Put(fmt.Sprint(i), "v"))
	}
	must(t, h.RecordCache.Resize(3*49))
	if h.RecordCache.Size() != 3*49 || len(*out) != 10 {
		t.Errorf("%d bytes held, %d updates told", h.RecordCache.Size(), len(*out))
	}
}

func TestTimestampedFlushCarriesTimestamps(t *testing.T) {
	h := cachedHost(t, 1<<20)
	s := openTimed(t, h, statestore.Cached())
	type timed = statestore.Timed[string]
	var got []statestore.Flushed[string, timed]
	s.(statestore.CacheFlusher[string, timed]).OnFlush(func(f statestore.Flushed[string, timed]) error {
		f.Context = nil
		got = append(got, f)
		return nil
	}, true)
	must(t, s.Put("a", timed{Value: "1", Timestamp: 5}), s.Flush(), s.Put("a", timed{Value: "2", Timestamp: 3}), s.Flush())
	equal(t, []statestore.Flushed[string, timed]{
		{Key: "a", New: timed{Value: "1", Timestamp: 5}, HasNew: true},
		{Key: "a", New: timed{Value: "2", Timestamp: 3}, HasNew: true, Old: timed{Value: "1", Timestamp: 5}, HasOld: true},
	}, got)
	equal(t, []storetest.Logged{log("a", "1", 5), log("a", "2", 3)}, h.Logged)
}
