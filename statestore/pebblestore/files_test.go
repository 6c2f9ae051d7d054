package pebblestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/storetest"
)

func open(t *testing.T, h *storetest.Host, o Options) *keyValue {
	t.Helper()
	s, err := New(o).OpenKeyValue(h, "s", statestore.KindKeyValue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.(*keyValue)
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestDirectoryIsOpenedOnce(t *testing.T) {
	h := storetest.NewHost(t)
	open(t, h, Options{})
	_, err := Backend.OpenKeyValue(h, "s", statestore.KindKeyValue)
	var locked *LockedError
	if !errors.As(err, &locked) || !strings.Contains(err.Error(), filepath.Join(h.Folder, "pebble", "s")) {
		t.Errorf("opened twice: %v", err)
	}
}

func TestUnwritableDirectory(t *testing.T) {
	h := storetest.NewHost(t)
	h.Folder = filepath.Join(h.Folder, "file")
	must(t, os.WriteFile(h.Folder, nil, 0o600))
	_, err := Backend.OpenKeyValue(h, "s", statestore.KindKeyValue)
	if err == nil || !strings.Contains(err.Error(), h.Folder) || !strings.Contains(err.Error(), "choose another state directory") {
		t.Errorf("error %v does not name the directory and the cure", err)
	}
}

// TestDamagedFiles writes over each kind of file. The store must refuse to
// open, or fail when it reads, with an error that says what to do.
func TestDamagedFiles(t *testing.T) {
	for _, pattern := range []string{"MANIFEST-*", "*.sst"} {
		t.Run(pattern, func(t *testing.T) {
			h := storetest.NewHost(t)
			s := open(t, h, Options{CommitAfter: 1})
			for i := range 20_000 {
				must(t, s.Put(fmt.Appendf(nil, "%08d", i), []byte("some value that takes room")))
			}
			must(t, s.Commit(1), s.Close())
			files, err := filepath.Glob(filepath.Join(h.Folder, "pebble", "s", pattern))
			if err != nil || len(files) == 0 {
				t.Fatal("no files", err)
			}
			for _, f := range files {
				data, err := os.ReadFile(f)
				must(t, err)
				for i := range data {
					if i%64 == 9 {
						data[i] ^= 0x55
					}
				}
				must(t, os.WriteFile(f, data, 0o600))
			}
			b, err := New(Options{}).OpenKeyValue(h, "s", statestore.KindKeyValue)
			if err == nil {
				defer b.Close()
				_, _, err = b.Get(nil, []byte("00010000"))
			}
			var corrupt *statestore.CorruptError
			if !errors.As(err, &corrupt) || corrupt.Store != "s" || !strings.Contains(err.Error(), "delete that directory") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h, Options{})
	must(t, s.Put([]byte("a"), []byte("1")), s.Commit(5))
	must(t, s.Close())
	var format *FormatError
	if _, err := Backend.OpenKeyValue(h, "s", statestore.KindTimestampedKeyValue); !errors.As(err, &format) {
		t.Errorf("opened as another kind: %v", err)
	}
	s = open(t, h, Options{})
	must(t, s.e.db.Set(formatKey, []byte{0, 0, 0, 9}, pebble.NoSync), s.e.sync(), s.Close())
	_, err := Backend.OpenKeyValue(h, "s", statestore.KindKeyValue)
	if !errors.As(err, &format) || !strings.Contains(err.Error(), "format 9") {
		t.Errorf("opened a newer format: %v", err)
	}
}

// TestRowsAndOffsetLieTogether reads the database itself.
func TestRowsAndOffsetLieTogether(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h, Options{CommitAfter: 3})
	stored := func(key string) string {
		t.Helper()
		v, ok, err := s.e.fact([]byte(key))
		must(t, err)
		if !ok {
			return "none"
		}
		return fmt.Sprintf("%x", v)
	}
	must(t, s.Put([]byte("a"), []byte("1")), s.Commit(10))
	if got := stored("da") + stored("moffset"); got != "nonenone" {
		t.Errorf("a small commit was written: %s", got)
	}
	if o, _ := s.CommittedOffset(); o != 10 {
		t.Errorf("offset %d, want 10", o)
	}
	must(t, s.Put([]byte("b"), []byte("2")), s.Put([]byte("gone"), []byte("3")), s.Put([]byte("gone"), nil), s.Commit(12))
	if got := stored("da") + " " + stored("db") + " " + stored("moffset"); got != "31 32 000000000000000c" {
		t.Errorf("database holds %s", got)
	}
	must(t, s.overflow())
	if got := stored("mahead"); got != "none" {
		t.Error("ahead without new rows")
	}
	must(t, s.Put([]byte("a"), nil), s.overflow())
	if got := stored("da") + stored("mahead") + stored("moffset"); got != "none"+"000000000000000c" {
		t.Errorf("after an overflow the database holds %s", got)
	}
	must(t, s.Put([]byte("x"), []byte("4")), s.Put([]byte("y"), []byte("5")), s.Commit(15))
	if got := stored("mahead") + stored("moffset"); got != "none000000000000000f" {
		t.Errorf("after the next commit the database holds %s", got)
	}
}

// TestCloseKeepsASmallCommit: a commit that was left in memory is on disk after
// Close, but not if rows follow that it does not cover.
func TestCloseKeepsASmallCommit(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h, Options{})
	must(t, s.Put([]byte("a"), []byte("1")), s.Commit(3), s.Close())
	s = open(t, h, Options{})
	if o, _ := s.CommittedOffset(); o != 3 {
		t.Errorf("offset %d, want 3", o)
	}
	must(t, s.Put([]byte("a"), []byte("2")), s.Commit(4), s.Put([]byte("a"), []byte("3")), s.Close())
	s = open(t, h, Options{})
	o, _ := s.CommittedOffset()
	ahead, _ := s.Uncommitted()
	v, _, err := s.Get(nil, []byte("a"))
	must(t, err)
	if o != 3 || string(v) != "1" || ahead {
		t.Errorf("offset %d with value %s, ahead %v; want the commit at 3", o, v, ahead)
	}
}

func TestStoreWithoutChangelogIsDurableAtEachCommit(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h, Options{})
	must(t, s.Put([]byte("a"), []byte("1")), s.Commit(-1))
	if _, ok, err := s.e.fact([]byte("da")); !ok || err != nil {
		t.Errorf("the row is not in the database (%v)", err)
	}
}

// TestShortLivedRowsLeaveNoTrace: a key that came and went between two commits
// never reaches the database, and takes no room in the buffer.
func TestShortLivedRowsLeaveNoTrace(t *testing.T) {
	s := open(t, storetest.NewHost(t), Options{CommitAfter: 1})
	for i := range 100_000 {
		k := fmt.Appendf(nil, "%d", i)
		must(t, s.Put(k, []byte("v")))
		must(t, s.Put(k, nil))
	}
	if n := s.table.Bytes(); n > 1<<20 || s.table.Len() != 0 {
		t.Errorf("the buffer takes %d bytes for %d rows", n, s.table.Len())
	}
}

// TestMemoryIsShared: buffers of all stores together stay within bounds, and the
// block cache keeps its room however many stores there are.
func TestMemoryIsShared(t *testing.T) {
	h := storetest.NewHost(t)
	const budget = 1 << 20
	h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: budget, BlockCache: 8 << 20})
	var stores []statestore.KeyValueBytes
	for i := range 4 {
		s, err := Backend.OpenKeyValue(h, fmt.Sprint("s", i), statestore.KindKeyValue)
		must(t, err)
		defer s.Close()
		stores = append(stores, s)
	}
	for i := range 60_000 {
		must(t, stores[i%7%4].Put(fmt.Appendf(nil, "key-%d", i), make([]byte, 100)))
		if b := h.Budget.Buffered(); b > 2*budget {
			t.Fatalf("%d bytes buffered with a budget of %d", b, budget)
		}
	}
	m := stores[0].(*keyValue).e.db.Metrics()
	for i := range 200 {
		if _, _, err := stores[0].Get(nil, fmt.Appendf(nil, "key-%d", i*7)); err != nil {
			t.Fatal(err)
		}
	}
	before := stores[0].(*keyValue).e.db.Metrics().BlockCache.Misses
	for i := range 200 {
		if _, _, err := stores[0].Peek(nil, fmt.Appendf(nil, "key-%d", i*7+7*200)); err != nil {
			t.Fatal(err)
		}
	}
	if misses := stores[0].(*keyValue).e.db.Metrics().BlockCache.Misses - before; misses > 100 {
		t.Errorf("%d misses of the block cache in 200 reads next to each other (%d bytes cached)", misses, m.BlockCache.Size)
	}
	for _, s := range stores {
		must(t, s.Close())
	}
	if b := h.Budget.Buffered(); b != 0 {
		t.Errorf("%d bytes buffered after close", b)
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	s := open(t, storetest.NewHost(t), Options{})
	key, dst := []byte("key"), make([]byte, 0, 16)
	values := [][]byte{[]byte("12345678"), []byte("87654321")}
	n := 0
	step := func() {
		n++
		if err := s.Put(key, values[n%2]); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := s.Get(dst, key); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	step()
	if a := testing.AllocsPerRun(1000, step); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
