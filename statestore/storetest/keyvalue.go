// Package storetest owns the rules that every backend of state stores must
// keep, as tests that say which rule was broken, and a host that stands for a
// task. It refuses to know any backend.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/millrace/millrace/statestore"
)

// KeyValue runs the rules of [statestore.KeyValueBytes] on a backend.
func KeyValue(t *testing.T, b statestore.Backend) {
	for _, r := range keyValueRules {
		t.Run(r.name, func(t *testing.T) {
			k := &kit{T: t, b: b, h: NewHost(t), rule: r.rule}
			k.open()
			t.Cleanup(func() { k.s.Close() })
			r.check(k)
		})
	}
}

// kit is a store under test and the rule it is tested for.
type kit struct {
	*testing.T
	b    statestore.Backend
	h    *Host
	s    statestore.KeyValueBytes
	rule string
}

func (k *kit) broken(format string, args ...any) {
	k.Helper()
	k.Fatalf("%s\nrule: %s", fmt.Sprintf(format, args...), k.rule)
}

func (k *kit) open() {
	k.Helper()
	s, err := k.b.OpenKeyValue(k.h, "store", statestore.KindKeyValue)
	if err != nil {
		k.Fatalf("open: %v", err)
	}
	k.s = s
}

func (k *kit) put(key, value string) {
	k.Helper()
	if err := k.s.Put([]byte(key), []byte(value)); err != nil {
		k.broken("put %q: %v", key, err)
	}
}

func (k *kit) delete(key string) {
	k.Helper()
	if err := k.s.Put([]byte(key), nil); err != nil {
		k.broken("delete %q: %v", key, err)
	}
}

func (k *kit) commit(offset int64) {
	k.Helper()
	if err := k.s.Commit(offset); err != nil {
		k.broken("commit: %v", err)
	}
}

const missing = "(none)"

// get reads a key in both ways.
func (k *kit) get(key string) string {
	k.Helper()
	got := [2]string{}
	for i, get := range []func(dst, key []byte) ([]byte, bool, error){k.s.Get, k.s.Peek} {
		v, ok, err := get([]byte("dst:"), []byte(key))
		if err != nil {
			k.broken("get %q: %v", key, err)
		}
		got[i] = missing
		if ok {
			rest, found := bytes.CutPrefix(v, []byte("dst:"))
			if !found {
				k.broken("get %q gave %q, which does not begin with what dst held", key, v)
			}
			got[i] = string(rest)
		}
	}
	if got[0] != got[1] {
		k.broken("Get finds %q for %q, Peek %q", got[0], key, got[1])
	}
	return got[0]
}

func (k *kit) want(key, value string) {
	k.Helper()
	if got := k.get(key); got != value {
		k.broken("%q has %q, want %q", key, got, value)
	}
}

func (k *kit) scan(r statestore.KeyRange, inLoop ...func()) []string {
	k.Helper()
	c, err := k.s.Scan(r)
	if err != nil {
		k.broken("scan: %v", err)
	}
	rows := []string{}
	for c.Next() {
		if c.Value() == nil {
			k.broken("a scan shows %q without a value", c.Key())
		}
		rows = append(rows, string(c.Key())+"="+string(c.Value()))
		for _, f := range inLoop {
			f()
		}
	}
	if err := errors.Join(c.Err(), c.Close(), c.Close()); err != nil {
		k.broken("scan: %v", err)
	}
	return rows
}

func (k *kit) wantRows(r statestore.KeyRange, want ...string) {
	k.Helper()
	if got := k.scan(r); !slices.Equal(want, got) {
		k.broken("scan of %s gave\n%q, want\n%q", show(r), got, want)
	}
}

func show(r statestore.KeyRange) string {
	return fmt.Sprintf("[%q, %q) reverse %v", r.Lower, r.Upper, r.Reverse)
}

var keyValueRules = []struct {
	name, rule string
	check      func(*kit)
}{
	{"PutGet", "a key has the value put last; Get and Peek append it to dst", func(k *kit) {
		k.want("a", missing)
		k.put("a", "1")
		k.put("b", "2")
		k.want("a", "1")
		k.put("a", "longer than before")
		k.put("b", "")
		k.want("a", "longer than before")
		k.want("b", "")
	}},
	{"Delete", "a nil value deletes, an empty one does not; deleting what is not there is fine", func(k *kit) {
		k.delete("a")
		k.put("a", "")
		k.want("a", "")
		k.delete("a")
		k.delete("a")
		k.want("a", missing)
		k.put("a", "again")
		k.want("a", "again")
	}},
	{"EmptyKey", "the empty key is a key like others", func(k *kit) {
		k.put("", "v")
		k.put("a", "w")
		k.want("", "v")
		k.wantRows(statestore.KeyRange{}, "=v", "a=w")
		k.delete("")
		k.want("", missing)
	}},
	{"Copies", "Put copies key and value", func(k *kit) {
		key, value := []byte("key"), []byte("value")
		if err := k.s.Put(key, value); err != nil {
			k.broken("put: %v", err)
		}
		copy(key, "xxx")
		copy(value, "yyyyy")
		k.want("key", "value")
		k.want("xxx", missing)
	}},
	{"Order", "scans run in the unsigned order of the key bytes", func(k *kit) {
		for _, key := range []string{"\x80", "b", "a\x00", "\xff\xff", "a", "\x7f", ""} {
			k.put(key, "v")
		}
		up := []string{"=v", "a=v", "a\x00=v", "b=v", "\x7f=v", "\x80=v", "\xff\xff=v"}
		k.wantRows(statestore.KeyRange{}, up...)
		slices.Reverse(up)
		k.wantRows(statestore.KeyRange{Reverse: true}, up...)
	}},
	{"Bounds", "the lower bound is inclusive, the upper exclusive; nil is open; reversed bounds are empty", func(k *kit) {
		for _, key := range []string{"a", "b", "c", "d"} {
			k.put(key, "v")
		}
		b, d := []byte("b"), []byte("d")
		k.wantRows(statestore.KeyRange{Lower: b, Upper: d}, "b=v", "c=v")
		k.wantRows(statestore.KeyRange{Lower: b, Upper: d, Reverse: true}, "c=v", "b=v")
		k.wantRows(statestore.KeyRange{Lower: b}, "b=v", "c=v", "d=v")
		k.wantRows(statestore.KeyRange{Upper: b}, "a=v")
		k.wantRows(statestore.KeyRange{Upper: []byte("zz"), Reverse: true}, "d=v", "c=v", "b=v", "a=v")
		k.wantRows(statestore.KeyRange{Lower: d, Upper: b})
		k.wantRows(statestore.KeyRange{Lower: b, Upper: b})
		k.wantRows(statestore.KeyRange{Lower: []byte("x")})
	}},
	{"WriteInScan", "a scan sees the store as it was when it began, whatever is written in the loop", func(k *kit) {
		for _, committed := range []bool{false, true} {
			var want []string
			for i := range 40 {
				key := fmt.Sprintf("k%02d", i)
				k.put(key, "old")
				want = append(want, key+"=old")
			}
			if committed {
				k.commit(1)
			}
			n := 0
			got := k.scan(statestore.KeyRange{}, func() {
				k.put(fmt.Sprintf("k%02d", (n+1)%40), "new")
				k.delete(fmt.Sprintf("k%02d", (n+7)%40))
				k.put(fmt.Sprintf("k%02da", n), "inserted")
				n++
			})
			if !slices.Equal(want, got) {
				k.broken("scan with writes in the loop gave\n%q, want\n%q", got, want)
			}
			k.want("k00a", "inserted")
			for _, key := range k.scan(statestore.KeyRange{}) {
				k.delete(key[:bytes.IndexByte([]byte(key), '=')])
			}
			k.wantRows(statestore.KeyRange{})
		}
	}},
	{"TwoScans", "scans do not disturb each other", func(k *kit) {
		for i := range 30 {
			k.put(fmt.Sprintf("k%02d", i), "v")
		}
		outer := k.scan(statestore.KeyRange{}, func() {
			if n := len(k.scan(statestore.KeyRange{Reverse: true})); n != 30 {
				k.broken("an inner scan sees %d rows, want 30", n)
			}
		})
		if len(outer) != 30 {
			k.broken("the outer scan sees %d rows, want 30", len(outer))
		}
	}},
	{"ApproximateLen", "the estimate is exact while nothing was overwritten or deleted on disk", func(k *kit) {
		for i := range 100 {
			k.put(fmt.Sprint(i), "v")
		}
		if n, err := k.s.ApproximateLen(); err != nil || n != 100 {
			k.broken("%d rows (%v), want 100", n, err)
		}
	}},
	{"Closed", "after Close, reads from other goroutines fail with ErrClosed; closing twice is fine", func(k *kit) {
		k.put("a", "1")
		if err := errors.Join(k.s.Close(), k.s.Close()); err != nil {
			k.broken("close: %v", err)
		}
		_, _, peek := k.s.Peek(nil, []byte("a"))
		_, scan := k.s.Scan(statestore.KeyRange{})
		_, count := k.s.ApproximateLen()
		_, _, get := k.s.Get(nil, []byte("a"))
		for _, err := range []error{peek, scan, count, get, k.s.Put([]byte("a"), nil), k.s.Commit(1)} {
			if !errors.Is(err, statestore.ErrClosed) {
				k.broken("got %v", err)
			}
		}
	}},
	{"Reopen", "a persistent store has its committed rows and offset after it is opened again; others are empty", func(k *kit) {
		if o, err := k.s.CommittedOffset(); err != nil || o != -1 {
			k.broken("a new store has offset %d (%v), want -1", o, err)
		}
		k.put("a", "1")
		k.put("b", "2")
		k.commit(41)
		k.delete("b")
		k.put("c", "3")
		k.commit(42)
		if err := k.s.Close(); err != nil {
			k.broken("close: %v", err)
		}
		k.open()
		o, err := k.s.CommittedOffset()
		if err != nil {
			k.broken("offset: %v", err)
		}
		if !k.b.Persistent() {
			if o != -1 {
				k.broken("a store in memory has offset %d, want -1", o)
			}
			k.wantRows(statestore.KeyRange{})
			return
		}
		if o != 42 {
			k.broken("offset %d, want 42", o)
		}
		k.wantRows(statestore.KeyRange{}, "a=1", "c=3")
		k.want("b", missing)
	}},
	{"Uncommitted", "rows written after the last commit may be lost, but never come with a later offset", func(k *kit) {
		k.put("a", "1")
		k.commit(7)
		k.put("a", "2")
		if err := k.s.Close(); err != nil {
			k.broken("close: %v", err)
		}
		k.open()
		if o, err := k.s.CommittedOffset(); err != nil || o > 7 {
			k.broken("offset %d (%v), want 7 at most", o, err)
		}
	}},
	{"Readers", "other goroutines may read while the task writes; each scan sees one moment", readersRule},
	{"Random", "the store behaves like a sorted map", func(k *kit) {
		for seed := range uint64(4) {
			k.random(rand.New(rand.NewPCG(seed, 7)), 4000)
		}
	}},
}

// readersRule writes rows in pairs of equal values. Since single writes are not
// atomic together, a reader may find a pair's second half one write behind.
func readersRule(k *kit) {
	const pairs = 50
	stop := make(chan struct{})
	done := make(chan error)
	reader := func() error {
		for {
			select {
			case <-stop:
				return nil
			default:
			}
			c, err := k.s.Scan(statestore.KeyRange{})
			if err != nil {
				return err
			}
			last := ""
			for c.Next() {
				if string(c.Key()) <= last {
					return fmt.Errorf("key %q after %q", c.Key(), last)
				}
				last = string(c.Key())
				if !bytes.HasPrefix(c.Value(), []byte(last)) {
					return fmt.Errorf("key %q has %q, which was never put there", last, c.Value())
				}
			}
			if err := errors.Join(c.Err(), c.Close()); err != nil {
				return err
			}
			v, ok, err := k.s.Peek(nil, []byte("00"))
			if err != nil {
				return err
			}
			if ok && !bytes.HasPrefix(v, []byte("00")) {
				return fmt.Errorf("key 00 has %q", v)
			}
		}
	}
	for range 2 {
		go func() { done <- reader() }()
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 4000 {
		key := fmt.Sprintf("%02d", rng.IntN(pairs))
		switch rng.IntN(8) {
		case 0:
			k.delete(key)
		case 1:
			k.get(key)
		default:
			k.put(key, fmt.Sprintf("%s-%0*d", key, rng.IntN(30), i))
		}
		if i%1000 == 999 {
			k.commit(int64(i))
		}
	}
	close(stop)
	for range 2 {
		if err := <-done; err != nil {
			k.Errorf("%v\nrule: %s", err, k.rule)
		}
	}
}

// random compares the store with a map, over commits and restarts.
func (k *kit) random(rng *rand.Rand, steps int) {
	for _, row := range k.scan(statestore.KeyRange{}) {
		k.delete(row[:bytes.IndexByte([]byte(row), '=')])
	}
	model := map[string]string{}
	key := func() string { return fmt.Sprintf("%x", rng.IntN(200)) }
	for step := range steps {
		switch n := rng.IntN(100); {
		case n < 50:
			kk, v := key(), fmt.Sprintf("%0*d", rng.IntN(60), step)
			k.put(kk, v)
			model[kk] = v
		case n < 70:
			kk := key()
			k.delete(kk)
			delete(model, kk)
		case n < 90:
			kk := key()
			want, ok := model[kk]
			if !ok {
				want = missing
			}
			k.want(kk, want)
		case n < 97:
			r := statestore.KeyRange{Reverse: rng.IntN(2) == 0}
			if rng.IntN(3) > 0 {
				r.Lower = []byte(key())
			}
			if rng.IntN(3) > 0 {
				r.Upper = []byte(key())
			}
			k.wantRows(r, rowsOf(model, r)...)
		case n < 99 || !k.b.Persistent():
			k.commit(int64(step))
		default:
			k.commit(int64(step))
			if err := k.s.Close(); err != nil {
				k.broken("close: %v", err)
			}
			k.open()
		}
	}
	k.wantRows(statestore.KeyRange{}, rowsOf(model, statestore.KeyRange{})...)
}

func rowsOf(model map[string]string, r statestore.KeyRange) []string {
	var rows []string
	for _, key := range slices.Sorted(maps.Keys(model)) {
		if r.Contains([]byte(key)) {
			rows = append(rows, key+"="+model[key])
		}
	}
	if r.Reverse {
		slices.Reverse(rows)
	}
	return rows
}
