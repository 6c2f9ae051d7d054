package storetest

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// Versioned runs random programs on versioned stores of a backend, next to a
// model that keeps every version for ever.
func Versioned(t *testing.T, b statestore.Backend) {
	for _, c := range []statestore.VersionedConfig{
		{HistoryMs: 100, SegmentIntervalMs: 7}, {HistoryMs: 5000}, {HistoryMs: 50, SegmentIntervalMs: 1000},
	} {
		t.Run(fmt.Sprintf("history %d interval %d", c.HistoryMs, c.SegmentIntervalMs), func(t *testing.T) {
			for seed := range uint64(4) {
				m := &versionMachine{T: t, b: b, c: c, h: NewHost(t), rng: rand.New(rand.NewPCG(seed, 11)),
					versions: map[string]map[int64]string{}, observed: -1}
				m.h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: 16 << 10})
				m.open()
				for range 600 {
					m.step()
				}
				m.ok(m.s.Close())
			}
		})
	}
}

// versionMachine is a store and its model: the versions of each key, "" for a
// deletion.
type versionMachine struct {
	*testing.T
	b        statestore.Backend
	c        statestore.VersionedConfig
	h        *Host
	rng      *rand.Rand
	s        statestore.Versioned[string, string]
	versions map[string]map[int64]string
	observed int64
	now      int64
	drops    int
	log      []statestore.Change
}

func (m *versionMachine) ok(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *versionMachine) open() {
	m.Helper()
	m.s = statestore.NewVersioned("store", serde.String(), serde.String(), m.c, statestore.On(m.b)).New()
	m.ok(m.s.Open(m.h))
}

func (m *versionMachine) step() {
	key := []string{"a", "b", "ab"}[m.rng.IntN(3)]
	t := max(0, m.now-m.rng.Int64N(m.c.HistoryMs*5/4))
	if m.rng.IntN(100) == 0 {
		m.restart()
	}
	switch m.rng.IntN(12) {
	case 0, 1:
		m.now += m.rng.Int64N(m.c.HistoryMs)
	case 2, 3, 4, 5:
		m.look(key, t)
	case 6:
		m.put(key, "", t)
	case 7:
		m.put(key, "", m.now)
	default:
		if m.rng.IntN(2) == 0 {
			m.now += m.rng.Int64N(10)
			t = m.now
		}
		m.put(key, fmt.Sprintf("v%d", m.rng.IntN(1000)), t)
	}
	if m.h.Drops != m.drops {
		m.Fatalf("dropped %d records, want %d", m.h.Drops, m.drops)
	}
}

// put does not delete a version at its own time: such a deletion leaves no trace
// if the version was the latest one, as in Java.
func (m *versionMachine) put(key, v string, t int64) {
	m.Helper()
	if _, has := m.versions[key][t]; has && v == "" {
		return
	}
	var got int64
	var err error
	if v == "" {
		got, err = m.s.Remove(key, t)
	} else {
		got, err = m.s.Put(key, v, t)
	}
	m.ok(err)
	c := statestore.Change{Key: []byte(key), Timestamp: t}
	if v != "" {
		c.Value = []byte(v)
	}
	m.log = append(m.log, c)
	want := m.apply(key, v, t)
	if want == statestore.NotPut {
		m.drops++
	}
	if got != want {
		m.Fatalf("put %s=%q at %d gave %d, want %d; stream time %d, versions %v", key, v, t, got, want, m.observed, m.versions[key])
	}
}

func (m *versionMachine) apply(key, v string, t int64) int64 {
	if t < m.observed-m.c.HistoryMs {
		return statestore.NotPut
	}
	m.observed = max(m.observed, t)
	if m.versions[key] == nil {
		m.versions[key] = map[int64]string{}
	}
	m.versions[key][t] = v
	return m.next(key, t)
}

// next is the time of the version behind a time.
func (m *versionMachine) next(key string, t int64) int64 {
	for _, at := range slices.Sorted(maps.Keys(m.versions[key])) {
		if at > t {
			return at
		}
	}
	return statestore.ValidNow
}

// at is the version that held at a time.
func (m *versionMachine) at(key string, t int64) (v string, from int64) {
	for _, at := range slices.Sorted(maps.Keys(m.versions[key])) {
		if at <= t {
			v, from = m.versions[key][at], at
		}
	}
	return v, from
}

func (m *versionMachine) look(key string, t int64) {
	m.Helper()
	latest, ok, err := m.s.Get(key)
	m.ok(err)
	m.same("Get", key, math.MaxInt64, latest, ok)
	reader := m.s.(statestore.QueryableVersioned[string, string]).Reader()
	if t >= m.observed-m.c.HistoryMs {
		for _, r := range []statestore.ReadOnlyVersioned[string, string]{m.s, reader} {
			v, ok, err := r.GetAsOf(key, t)
			m.ok(err)
			m.same(fmt.Sprintf("GetAsOf %d", t), key, t, v, ok)
		}
	}
	m.history(key, t, reader)
}

func (m *versionMachine) same(what, key string, t int64, got statestore.Version[string], ok bool) {
	m.Helper()
	v, from := m.at(key, t)
	if ok != (v != "") || ok && (got.Value != v || got.Timestamp != from) {
		m.Fatalf("%s of %s gave %+v, %v; want %q from %d; stream time %d, versions %v", what, key, got, ok, v, from, m.observed, m.versions[key])
	}
}

// history compares what held at a time or later. Versions that ended before the
// history retention may be there or not.
func (m *versionMachine) history(key string, from int64, r statestore.ReadOnlyVersioned[string, string]) {
	m.Helper()
	var up, down []string
	for v, err := range m.s.History(key, from, math.MaxInt64, false) {
		m.ok(err)
		up = append(up, fmt.Sprintf("%s@%d", v.Value, v.Timestamp))
	}
	for v, err := range r.History(key, from, math.MaxInt64, true) {
		m.ok(err)
		down = append(down, fmt.Sprintf("%s@%d", v.Value, v.Timestamp))
	}
	slices.Reverse(down)
	if !slices.Equal(up, down) {
		m.Fatalf("history of %s from %d gave\n%q, descending\n%q", key, from, up, down)
	}
	oldest := m.observed - m.c.HistoryMs
	for _, at := range slices.Sorted(maps.Keys(m.versions[key])) {
		v, end := m.versions[key][at], m.next(key, at)
		text := fmt.Sprintf("%s@%d", v, at)
		switch {
		case v == "":
		case end == statestore.ValidNow || end > max(from, oldest):
			if !slices.Contains(up, text) {
				m.Fatalf("history of %s from %d gave %q, which lacks %s", key, from, up, text)
			}
		case end <= from && slices.Contains(up, text):
			m.Fatalf("history of %s from %d gave %q, but %s ended at %d", key, from, up, text, end)
		}
	}
}

func (m *versionMachine) restart() {
	m.Helper()
	m.ok(m.s.Commit(int64(len(m.log) - 1)))
	m.ok(m.s.Close())
	lost := !m.b.Persistent() || m.rng.IntN(3) == 0
	if lost {
		m.h.Folder = m.TempDir()
	}
	m.open()
	m.observed = -1
	if !lost {
		m.revive()
		return
	}
	// One record at a time: a batch is restored as of the stream time at its end,
	// which can lose deletions that had expired by then, as in Java.
	for i := range m.log {
		m.ok(m.s.Restore(m.log[i : i+1]))
	}
	clear(m.versions)
	for _, c := range m.log {
		m.apply(string(c.Key), string(c.Value), c.Timestamp)
	}
}

// revive puts a record now: a store that was opened again does not know its
// stream time, and so would show more than the model.
func (m *versionMachine) revive() {
	m.Helper()
	m.put("clock", "tick", m.now)
}
