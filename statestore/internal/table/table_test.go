package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/statestore/internal/scan"
)

// model is what a Table must behave like.
type model map[string]string

const noRow = "\x00none"

func (m model) list(r scan.Range) []string {
	var out []string
	for k, v := range m {
		if r.Contains([]byte(k)) {
			out = append(out, k+"="+v)
		}
	}
	slices.Sort(out)
	if r.Reverse {
		slices.Reverse(out)
	}
	return out
}

func (c *Cursor) list() []string {
	var out []string
	for c.Next() {
		v := noRow
		if c.Value() != nil {
			v = string(c.Value())
		}
		out = append(out, string(c.Key())+"="+v)
	}
	return out
}

func randomRange(rng *rand.Rand) scan.Range {
	r := scan.Range{Reverse: rng.IntN(2) == 0}
	if rng.IntN(3) > 0 {
		r.Lower = fmt.Appendf(nil, "k%03d", rng.IntN(300))
	}
	if rng.IntN(3) > 0 {
		r.Upper = fmt.Appendf(nil, "k%03d", rng.IntN(300))
	}
	return r
}

// TestAgainstMap runs random changes with cursors open at random times, and
// compares every cursor with the state at its birth.
func TestAgainstMap(t *testing.T) {
	type open struct {
		c    *Cursor
		want []string
		seen []string
	}
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		tab, m := New(), model{}
		var cursors []*open
		for range 20_000 {
			key := fmt.Sprintf("k%03d", rng.IntN(300))
			switch rng.IntN(20) {
			default:
				v := fmt.Sprintf("%0*d", rng.IntN(40), rng.IntN(1000))
				tab.Put([]byte(key), []byte(v))
				m[key] = v
			case 0, 1:
				tab.Put([]byte(key), nil)
				m[key] = noRow
			case 2, 3, 4:
				if i := tab.Find([]byte(key)); i != None {
					tab.Delete(i)
				}
				delete(m, key)
			case 5:
				if rng.IntN(200) == 0 {
					tab.Clear()
					clear(m)
				}
			case 6:
				if len(cursors) < 4 {
					r := randomRange(rng)
					cursors = append(cursors, &open{c: tab.NewCursor(r), want: m.list(r)})
				}
			case 7:
				for _, o := range cursors {
					if o.c.Next() {
						v := noRow
						if o.c.Value() != nil {
							v = string(o.c.Value())
						}
						o.seen = append(o.seen, string(o.c.Key())+"="+v)
					}
				}
			case 8:
				if len(cursors) > 0 {
					o := cursors[0]
					cursors = cursors[1:]
					if d := cmp.Diff(o.want, append(o.seen, o.c.list()...)); d != "" {
						t.Fatalf("seed %d: cursor over %v: %s", seed, o.c.r, d)
					}
					if err := o.c.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
			i := tab.Find([]byte(key))
			want, ok := m[key]
			if ok != (i != None) {
				t.Fatalf("seed %d: %s found %v, want %v", seed, key, i != None, ok)
			}
			if ok && want != noRow && string(tab.Value(i)) != want {
				t.Fatalf("seed %d: %s = %q, want %q", seed, key, tab.Value(i), want)
			}
			if ok && want == noRow && tab.Value(i) != nil {
				t.Fatalf("seed %d: %s has a value", seed, key)
			}
		}
		if tab.Len() != len(m) {
			t.Fatalf("seed %d: %d rows, want %d", seed, tab.Len(), len(m))
		}
	}
}

func TestCompactionBoundsMemory(t *testing.T) {
	tab := New()
	for i := range 200_000 {
		tab.Put([]byte("key"), bytes.Repeat([]byte("v"), 10+i%2000))
	}
	if tab.Bytes() > 1<<20 {
		t.Errorf("one row takes %d bytes", tab.Bytes())
	}
}

func TestEmptyValueIsAValue(t *testing.T) {
	tab := New()
	i, _ := tab.Put([]byte("k"), []byte{})
	if v := tab.Value(i); v == nil || len(v) != 0 {
		t.Errorf("value %#v, want empty", v)
	}
}

func TestPutAllocatesNothingOnceWarm(t *testing.T) {
	tab := New()
	keys := make([][]byte, 1000)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key-%d", i)
		tab.Put(keys[i], []byte("12345678"))
	}
	n := 0
	if a := testing.AllocsPerRun(1000, func() {
		tab.Put(keys[n%1000], []byte("87654321"))
		n++
	}); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

// TestReadersSeeSnapshots lets readers scan while the writer changes rows in
// pairs; run with -race. Each scan must see both rows of a pair or none.
func TestReadersSeeSnapshots(t *testing.T) {
	tab := New()
	stop := make(chan struct{})
	done := make(chan error)
	for range 3 {
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				tab.Mu.RLock()
				c := tab.NewCursor(scan.Range{})
				tab.Mu.RUnlock()
				seen := map[string]string{}
				for c.Next() {
					seen[string(c.Key())] = string(c.Value())
				}
				c.Close()
				for k, v := range seen {
					if k[0] == 'a' && seen["b"+k[1:]] != v {
						done <- fmt.Errorf("%s is %q, its twin %q", k, v, seen["b"+k[1:]])
						return
					}
				}
			}
		}()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		k, v := fmt.Sprintf("%d", rng.IntN(100)), fmt.Appendf(nil, "%d", rng.IntN(1e6))
		tab.Mu.Lock()
		if rng.IntN(3) == 0 {
			for _, k := range []string{"a" + k, "b" + k} {
				if i := tab.Find([]byte(k)); i != None {
					tab.Delete(i)
				}
			}
		} else {
			tab.Put([]byte("a"+k), v)
			tab.Put([]byte("b"+k), v)
		}
		tab.Mu.Unlock()
	}
	close(stop)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
