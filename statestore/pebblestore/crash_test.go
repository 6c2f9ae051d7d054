package pebblestore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/storetest"
)

// change is one record of the changelog of a crash test.
type change struct {
	key, value string
	deleted    bool
}

// history is a changelog; offset n is its n-th record.
type history []change

func (h history) apply(m map[string]string, upTo int64) {
	for _, c := range h[:upTo+1] {
		if c.deleted {
			delete(m, c.key)
		} else {
			m[c.key] = c.value
		}
	}
}

func put(t *testing.T, s statestore.KeyValueBytes, c change) {
	t.Helper()
	value := []byte(c.value)
	if c.deleted {
		value = nil
	}
	if err := s.Put([]byte(c.key), value); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, s statestore.KeyValueBytes) map[string]string {
	t.Helper()
	c, err := s.Scan(statestore.KeyRange{})
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for c.Next() {
		m[string(c.Key())] = string(c.Value())
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCrash crashes a store at random moments, with random parts of what was
// not synced lost. After each crash it must open; what it holds must be that of
// its offset, or, if it says that it is ahead, become right when the changelog
// is replayed from there; and it must hold every commit that was made durable.
func TestCrash(t *testing.T) {
	for _, options := range []Options{
		{CommitAfter: 1, BatchBytes: 200, MemTable: 256 << 10},
		{CommitAfter: 300, BatchBytes: 200, MemTable: 256 << 10},
	} {
		for _, budget := range []int64{4 << 10, 1 << 20} {
			t.Run(fmt.Sprintf("commit after %d, buffer %d", options.CommitAfter, budget), func(t *testing.T) {
				for seed := range uint64(12) {
					crashRun(t, options, budget, rand.New(rand.NewPCG(seed, 5)))
				}
			})
		}
	}
}

func crashRun(t *testing.T, options Options, budget int64, rng *rand.Rand) {
	fs := vfs.NewCrashableMem()
	h := storetest.NewHost(t)
	h.Folder = "task"
	var log history
	next := func() change {
		return change{fmt.Sprint(rng.IntN(300)), fmt.Sprintf("%0*d", rng.IntN(40), len(log)), rng.IntN(4) == 0}
	}
	for range 4 {
		options.fs = fs
		h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: budget})
		s, err := New(options).OpenKeyValue(h, "s", statestore.KindKeyValue)
		if err != nil {
			t.Fatalf("open after a crash: %v", err)
		}
		offset, err := s.CommittedOffset()
		if err != nil || offset >= int64(len(log)) {
			t.Fatalf("offset %d of %d (%v)", offset, len(log), err)
		}
		ahead, err := s.(statestore.Uncommitted).Uncommitted()
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		log.apply(want, offset)
		if d := cmp.Diff(want, content(t, s)); d != "" && !ahead {
			t.Fatalf("the store does not hold what offset %d says: (-want +got)\n%s", offset, d)
		}
		for _, c := range log[offset+1:] {
			put(t, s, c)
		}
		log.apply(want, int64(len(log))-1)
		if d := cmp.Diff(want, content(t, s)); d != "" {
			t.Fatalf("after replaying from offset %d, ahead %v: (-want +got)\n%s", offset, ahead, d)
		}
		durable := offset
		for range rng.IntN(3000) {
			c := next()
			log = append(log, c)
			put(t, s, c)
			if rng.IntN(200) == 0 {
				if err := s.Commit(int64(len(log)) - 1); err != nil {
					t.Fatal(err)
				}
				if options.CommitAfter == 1 {
					durable = int64(len(log)) - 1
				}
			}
		}
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		fs = crashed
		if o := offsetOf(t, options, fs, h); o < durable {
			t.Fatalf("offset %d after the crash, but %d was made durable", o, durable)
		}
	}
	if len(log) == 0 {
		t.Fatal("nothing happened")
	}
}

// offsetOf opens a copy of what a crash left.
func offsetOf(t *testing.T, options Options, fs *vfs.MemFS, h *storetest.Host) int64 {
	t.Helper()
	options.fs = fs.CrashClone(vfs.CrashCloneCfg{})
	s, err := New(options).OpenKeyValue(h, "s", statestore.KindKeyValue)
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.CommittedOffset()
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return o
}
