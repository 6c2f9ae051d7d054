package statestore_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/statestore/storetest"
)

// variant is one way to build a store; all ways must behave alike.
type variant struct {
	name    string
	backend statestore.Backend
	cache   int64
	// budget is the write buffer's, so small that it overflows.
	budget int64
}

var variants = []variant{
	{"memory", memstore.Backend, -1, 0},
	{"memory cached", memstore.Backend, 1 << 20, 0},
	{"memory tiny cache", memstore.Backend, 200, 0},
	{"pebble", pebblestore.Backend, -1, 0},
	{"pebble overflowing", pebblestore.New(pebblestore.Options{CommitAfter: 1, BatchBytes: 100}), -1, 4 << 10},
	{"pebble cached", pebblestore.New(pebblestore.Options{CommitAfter: 50}), 1 << 20, 0},
	{"pebble overflowing, tiny cache", pebblestore.New(pebblestore.Options{CommitAfter: 1}), 300, 4 << 10},
}

// machine is a store next to a map that says how it must behave.
type machine struct {
	v     variant
	h     *storetest.Host
	s     statestore.KeyValue[string, string]
	model map[string]string
	// replayed is what the changelog gives, told what the listener told.
	replayed map[string]string
	told     map[string]string
}

// TestAllWaysBehaveAlike runs random operations, with scans that write in their
// loop and restarts, on every way to build a store. It also checks that the
// changelog and the flush listener end with the store's content. Stores on disk
// wait for it often and so are tried less; -rapid.checks=1000 tries all longer.
func TestAllWaysBehaveAlike(t *testing.T) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			if v.backend.Persistent() {
				fewerChecks(t, "20")
			}
			rapid.Check(t, func(rt *rapid.T) {
				m := &machine{v: v, model: map[string]string{}, replayed: map[string]string{}, told: map[string]string{}}
				m.h = storetest.NewHost(t)
				if v.budget > 0 {
					m.h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: v.budget})
				}
				if v.cache >= 0 {
					m.h.RecordCache = statestore.NewCache(v.cache)
				}
				m.open(rt)
				rt.Repeat(map[string]func(*rapid.T){
					"put": m.put, "remove": m.remove, "delete": m.delete, "putIfAbsent": m.putIfAbsent,
					"get": m.get, "scan": m.scan, "writeInScan": m.writeInScan, "flush": m.flush, "restart": m.restart,
					"": func(*rapid.T) {},
				})
				m.flush(rt)
				m.same(rt, "changelog", m.replayed)
				if v.cache >= 0 {
					m.same(rt, "listener", m.told)
				}
				m.check(rt, m.s.Close())
			})
		})
	}
}

// fewerChecks changes for the length of a test how often rapid tries, unless
// the command line says it.
func fewerChecks(t *testing.T, n string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return
	}
	f := flag.Lookup("rapid.checks")
	was := f.Value.String()
	set := func(n string) {
		if err := f.Value.Set(n); err != nil {
			t.Error(err)
		}
	}
	set(n)
	t.Cleanup(func() { set(was) })
}

func (m *machine) check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (m *machine) open(t *rapid.T) {
	m.s = statestore.NewKeyValue("s", serde.String(), serde.String(), statestore.On(m.v.backend), statestore.Cached()).New()
	m.check(t, m.s.Open(m.h))
	m.s.(statestore.CacheFlusher[string, string]).OnFlush(func(f flushed) error {
		if old, ok := m.told[f.Key]; ok != f.HasOld || old != f.Old {
			return fmt.Errorf("%s: old value %q %v, want %q %v", f.Key, f.Old, f.HasOld, old, ok)
		}
		if f.HasNew {
			m.told[f.Key] = f.New
		} else {
			delete(m.told, f.Key)
		}
		return nil
	}, true)
}

func keyOf(t *rapid.T) string {
	return rapid.StringMatching(`[ab]{1,4}`).Draw(t, "key")
}

// valueOf gives values of all sizes, so that they grow and shrink in place.
func valueOf(t *rapid.T) string {
	return strings.Repeat("v", rapid.IntRange(0, 80).Draw(t, "len")) + fmt.Sprint(rapid.IntRange(0, 99).Draw(t, "n"))
}

func (m *machine) put(t *rapid.T) {
	k, v := keyOf(t), valueOf(t)
	m.check(t, m.s.Put(k, v))
	m.model[k] = v
}

func (m *machine) remove(t *rapid.T) {
	k := keyOf(t)
	m.check(t, m.s.Remove(k))
	delete(m.model, k)
}

func (m *machine) delete(t *rapid.T) {
	k := keyOf(t)
	old, had, err := m.s.Delete(k)
	m.check(t, err)
	m.found(t, k, old, had)
	delete(m.model, k)
}

func (m *machine) found(t *rapid.T, k, v string, ok bool) {
	t.Helper()
	if want, has := m.model[k]; v != want || ok != has {
		t.Fatalf("%s has %q %v, want %q %v", k, v, ok, want, has)
	}
}

func (m *machine) putIfAbsent(t *rapid.T) {
	k, v := keyOf(t), valueOf(t)
	old, had, err := m.s.PutIfAbsent(k, v)
	m.check(t, err)
	m.found(t, k, old, had)
	if !had {
		m.model[k] = v
	}
}

func (m *machine) get(t *rapid.T) {
	k := keyOf(t)
	v, ok, err := m.s.Get(k)
	m.check(t, err)
	m.found(t, k, v, ok)
	v, ok, err = m.s.(statestore.Queryable[string, string]).Reader().Get(k)
	m.check(t, err)
	m.found(t, k, v, ok)
}

// scanOf draws a scan and what it must give.
func (m *machine) scanOf(t *rapid.T) (func(func(statestore.Entry[string, string], error) bool), []string) {
	var r statestore.ReadOnlyKeyValue[string, string] = m.s
	if rapid.Bool().Draw(t, "reader") {
		r = m.s.(statestore.Queryable[string, string]).Reader()
	}
	from, to := keyOf(t), keyOf(t)
	var b statestore.Bounds[string]
	in := func(k string) bool { return true }
	switch rapid.IntRange(0, 5).Draw(t, "scan") {
	case 0:
		b, in = statestore.Between(from, to), func(k string) bool { return k >= from && k <= to }
	case 1:
		b, in = statestore.From(from), func(k string) bool { return k >= from }
	case 2:
		b, in = statestore.To(to), func(k string) bool { return k <= to }
	case 3:
		return r.Prefix([]byte(from)), m.rows(func(k string) bool { return strings.HasPrefix(k, from) }, false)
	case 4:
		return r.All(), m.rows(in, false)
	case 5:
		m.settle(t)
		return r.Backward(), m.rows(in, true)
	}
	reverse := rapid.Bool().Draw(t, "reverse")
	if reverse {
		m.settle(t)
		b = b.Reverse()
	}
	return r.Range(b), m.rows(in, reverse)
}

func (m *machine) rows(in func(string) bool, reverse bool) []string {
	out := []string{}
	for _, k := range slices.Sorted(maps.Keys(m.model)) {
		if in(k) {
			out = append(out, k+"="+m.model[k])
		}
	}
	if reverse {
		slices.Reverse(out)
	}
	return out
}

// settle leaves no delete in the cache: a backward scan may not heed it, as in
// Java.
func (m *machine) settle(t *rapid.T) {
	if m.v.cache >= 0 {
		m.flush(t)
	}
}

func (m *machine) scan(t *rapid.T) {
	scan, want := m.scanOf(t)
	stop := rapid.IntRange(0, 40).Draw(t, "stop")
	got := []string{}
	for e, err := range scan {
		m.check(t, err)
		if len(got) == stop {
			break
		}
		got = append(got, e.Key+"="+e.Value)
	}
	if want = want[:min(len(want), stop)]; !slices.Equal(want, got) {
		t.Fatalf("scan gave\n%q, want\n%q", got, want)
	}
}

func (m *machine) writeInScan(t *rapid.T) {
	scan, want := m.scanOf(t)
	got := []string{}
	for e, err := range scan {
		m.check(t, err)
		got = append(got, e.Key+"="+e.Value)
		switch rapid.IntRange(0, 5).Draw(t, "op") {
		case 0:
			m.put(t)
		case 1:
			m.remove(t)
		case 2:
			m.get(t)
		case 3:
			m.flush(t)
		}
	}
	if !slices.Equal(want, got) {
		t.Fatalf("scan with writes in the loop gave\n%q, want\n%q", got, want)
	}
}

func (m *machine) flush(t *rapid.T) {
	m.check(t, m.s.Flush())
	for _, l := range m.h.Logged {
		if l.Null {
			delete(m.replayed, l.Key)
		} else {
			m.replayed[l.Key] = l.Value
		}
	}
	m.h.Logged = nil
	m.check(t, m.s.Commit(1))
}

func (m *machine) restart(t *rapid.T) {
	if !m.v.backend.Persistent() {
		return
	}
	m.flush(t)
	m.check(t, m.s.Close())
	m.open(t)
}

func (m *machine) same(t *rapid.T, what string, got map[string]string) {
	t.Helper()
	if !maps.Equal(m.model, got) {
		t.Fatalf("the %s ends with %q, the store with %q", what, got, m.model)
	}
}
