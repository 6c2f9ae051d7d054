package storetest

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// Windows runs random programs on window and session stores of a backend, next
// to a model that says which rows are seen. Which order scans over several keys
// have is the backend's own affair; here it must be the same forward and
// backward.
func Windows(t *testing.T, b statestore.Backend) {
	for _, sessions := range []bool{false, true} {
		for _, retention := range []int64{1000, 150_000} {
			t.Run(fmt.Sprintf("sessions %v retention %d", sessions, retention), func(t *testing.T) {
				for seed := range uint64(4) {
					m := newWindowMachine(t, b, sessions, retention, seed)
					for range 400 {
						m.step()
					}
					m.close()
				}
			})
		}
	}
}

// slot is a row's place: windows have no end.
type slot struct {
	key        string
	start, end int64
}

func (s slot) compare(o slot) int {
	if n := bytes.Compare([]byte(s.key), []byte(o.key)); n != 0 {
		return n
	}
	if s.end != o.end {
		return int(max(-1, min(1, s.end-o.end)))
	}
	return int(max(-1, min(1, s.start-o.start)))
}

// windowMachine is a store and its model.
type windowMachine struct {
	*testing.T
	b         statestore.Backend
	h         *Host
	rng       *rand.Rand
	sessions  bool
	retention int64
	interval  int64
	windows   statestore.Window[string, string]
	session   statestore.Session[string, string]
	// rows are those not dropped, whether they are seen or not; observed is the
	// stream time of the store, now that of the program.
	rows     map[slot]string
	observed int64
	now      int64
	drops    int
	// log is what a store restored from the changelog is told.
	log []statestore.Change
}

func newWindowMachine(t *testing.T, b statestore.Backend, sessions bool, retention int64, seed uint64) *windowMachine {
	m := &windowMachine{T: t, b: b, h: NewHost(t), rng: rand.New(rand.NewPCG(seed, 7)), sessions: sessions,
		retention: retention, interval: max(retention/2, 60_000), rows: map[slot]string{}, observed: -1}
	m.h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: 16 << 10})
	m.open()
	return m
}

func (m *windowMachine) ok(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *windowMachine) store() statestore.Store {
	if m.sessions {
		return m.session
	}
	return m.windows
}

func (m *windowMachine) open() {
	m.Helper()
	if m.sessions {
		m.session = statestore.NewSession("store", serde.String(), serde.String(),
			statestore.SessionConfig{RetentionMs: m.retention}, statestore.On(m.b)).New()
	} else {
		m.windows = statestore.NewWindow("store", serde.String(), serde.String(),
			statestore.WindowConfig{RetentionMs: m.retention, SizeMs: 10}, statestore.On(m.b)).New()
	}
	m.ok(m.store().Open(m.h))
}

func (m *windowMachine) close() { m.ok(m.store().Close()) }

func (m *windowMachine) time(s slot) int64 {
	if m.sessions {
		return s.end
	}
	return s.start
}

// expired tells whether a row is too old to be kept at the stream time.
func (m *windowMachine) expired(s slot) bool {
	if m.b.Persistent() {
		return m.time(s)/m.interval < (m.observed-m.retention)/m.interval
	}
	return m.time(s) <= m.observed-m.retention
}

func (m *windowMachine) seen(s slot) bool { return m.time(s) > m.observed-m.retention }

func (m *windowMachine) randomSlot() slot {
	s := slot{key: []string{"a", "b", "ab", "a\x7f", "zz"}[m.rng.IntN(5)]}
	s.start = max(0, m.now-m.rng.Int64N(2*m.retention))
	if m.rng.IntN(3) == 0 {
		s.start = m.now
	}
	if m.sessions {
		s.end = s.start + m.rng.Int64N(20)
	}
	return s
}

func (m *windowMachine) step() {
	if m.rng.IntN(100) == 0 {
		m.restart()
	}
	switch m.rng.IntN(14) {
	case 0, 1:
		m.now += m.rng.Int64N(m.retention / 2)
	case 2, 3, 4:
		m.look()
	case 5:
		m.put(m.randomSlot(), "")
	default:
		m.now += m.rng.Int64N(20)
		m.put(m.randomSlot(), fmt.Sprintf("v%d", m.rng.IntN(1000)))
	}
	if m.h.Drops != m.drops {
		m.Fatalf("dropped %d rows, want %d", m.h.Drops, m.drops)
	}
}

// put puts a value, or removes the row if there is none.
func (m *windowMachine) put(s slot, v string) {
	m.Helper()
	logged := len(m.h.Logged)
	w := window.Windowed[string]{Key: s.key, Start: s.start, End: s.end}
	switch {
	case m.sessions && v == "":
		m.ok(m.session.Remove(w))
	case m.sessions:
		m.ok(m.session.Put(w, v))
	case v == "":
		m.ok(m.windows.Remove(s.key, s.start))
	default:
		m.ok(m.windows.Put(s.key, v, s.start))
	}
	for _, l := range m.h.Logged[logged:] {
		c := statestore.Change{Key: []byte(l.Key), Value: []byte(l.Value), Offset: int64(len(m.log))}
		if l.Null {
			c.Value = nil
		}
		m.log = append(m.log, c)
	}
	if m.sessions && v == "" {
		m.removed(s)
		return
	}
	m.apply(s, v, true)
}

// removed is a session that was removed: in memory that is no put.
func (m *windowMachine) removed(s slot) {
	if m.b.Persistent() {
		m.observed = max(m.observed, m.time(s))
	}
	delete(m.rows, s)
}

func (m *windowMachine) apply(s slot, v string, count bool) {
	m.observed = max(m.observed, m.time(s))
	if m.expired(s) {
		if count {
			m.drops++
		}
		return
	}
	maps.DeleteFunc(m.rows, func(s slot, _ string) bool { return m.expired(s) })
	if v == "" {
		delete(m.rows, s)
	} else {
		m.rows[s] = v
	}
}

// restart closes and opens the store. What is in memory, or a directory that was
// deleted, comes back from the changelog.
func (m *windowMachine) restart() {
	m.Helper()
	offset := int64(len(m.log) - 1)
	m.ok(m.store().Commit(offset))
	m.close()
	lost := !m.b.Persistent() || m.rng.IntN(3) == 0
	if lost {
		m.h.Folder = m.TempDir()
	}
	m.open()
	m.observed = -1
	at, err := m.store().CommittedOffset()
	m.ok(err)
	if want := map[bool]int64{true: -1, false: offset}[lost]; at != want {
		m.Fatalf("committed offset %d, want %d", at, want)
	}
	if lost {
		m.restore()
	}
}

// restore replays the changelog in one batch: on disk it is the stream time at
// the end of the batch that decides what is too old.
func (m *windowMachine) restore() {
	m.Helper()
	m.ok(m.store().Restore(m.log))
	clear(m.rows)
	slots := make([]slot, len(m.log))
	for i, c := range m.log {
		slots[i] = m.parse(c.Key)
		if m.b.Persistent() {
			m.observed = max(m.observed, m.time(slots[i]))
		}
	}
	for i, c := range m.log {
		m.apply(slots[i], string(c.Value), !m.b.Persistent())
	}
}

func (m *windowMachine) parse(storeKey []byte) slot {
	m.Helper()
	if m.sessions {
		key, w, err := window.ParseSessionKey(storeKey)
		m.ok(err)
		return slot{string(key), w.Start, w.End}
	}
	key, start, _, err := window.ParseStoreKey(storeKey)
	m.ok(err)
	return slot{key: string(key), start: start}
}

func (m *windowMachine) list(entries statestore.WindowEntries[string, string]) []string {
	m.Helper()
	out := []string{}
	for e, err := range entries {
		m.ok(err)
		s := slot{key: e.Key.Key, start: e.Key.Start}
		if m.sessions {
			s.end = e.Key.End
		}
		out = append(out, fmt.Sprintf("%v=%s", s, e.Value))
	}
	return out
}

// want lists the rows that are seen and chosen, ordered by key and time.
func (m *windowMachine) want(in func(slot) bool) []string {
	out := []string{}
	for _, s := range slices.SortedFunc(maps.Keys(m.rows), slot.compare) {
		if m.seen(s) && in(s) {
			out = append(out, fmt.Sprintf("%v=%s", s, m.rows[s]))
		}
	}
	return out
}

// look reads in all ways.
func (m *windowMachine) look() {
	m.Helper()
	s := m.randomSlot()
	from := max(0, s.start-m.rng.Int64N(m.retention))
	to := s.start + m.rng.Int64N(m.retention)
	if m.sessions {
		m.lookSessions(s, from, to)
		return
	}
	v, ok, err := m.windows.Fetch(s.key, s.start)
	m.ok(err)
	m.same("Fetch", v, ok, s)
	reader := m.windows.(statestore.QueryableWindow[string, string]).Reader()
	v, ok, err = reader.Fetch(s.key, s.start)
	m.ok(err)
	m.same("Fetch of the reader", v, ok, s)
	between := func(o slot) bool { return o.start >= from && o.start <= to }
	m.ordered("FetchKey", m.windows.FetchKey(s.key, from, to), m.windows.FetchKeyBackward(s.key, from, to),
		func(o slot) bool { return o.key == s.key && between(o) })
	m.both("FetchAll", m.windows.FetchAll(from, to), m.windows.FetchAllBackward(from, to), between)
	m.both("All", m.windows.All(), m.windows.Backward(), func(slot) bool { return true })
	keys := statestore.Between("a", s.key)
	m.both("FetchKeys", m.windows.FetchKeys(keys, from, to), reader.FetchKeys(keys.Reverse(), from, to),
		func(o slot) bool { return o.key >= "a" && o.key <= s.key && between(o) })
}

func (m *windowMachine) lookSessions(s slot, from, to int64) {
	m.Helper()
	v, ok, err := m.session.FetchSession(s.key, s.start, s.end)
	m.ok(err)
	m.same("FetchSession", v, ok, s)
	reader := m.session.(statestore.QueryableSession[string, string]).Reader()
	between := func(o slot) bool { return o.end >= from && o.start <= to }
	one := func(o slot) bool { return o.key == s.key && between(o) }
	m.both("FindSessions", m.session.FindSessions(s.key, from, to), reader.FindSessionsBackward(s.key, from, to), one)
	m.both("FetchKey", m.session.FetchKey(s.key), m.session.FetchKeyBackward(s.key), func(o slot) bool { return o.key == s.key })
	keys := statestore.From(s.key)
	m.both("FindSessionsOf", m.session.FindSessionsOf(keys, from, math.MaxInt64), m.session.FindSessionsOf(keys.Reverse(), from, math.MaxInt64),
		func(o slot) bool { return o.key >= s.key && o.end >= from })
}

func (m *windowMachine) same(what, v string, ok bool, s slot) {
	m.Helper()
	want, has := m.rows[s]
	if has = has && m.seen(s); ok != has || ok && v != want {
		m.Fatalf("%s of %v gave %q, %v; want %q, %v at stream time %d", what, s, v, ok, want, has, m.observed)
	}
}

// ordered compares a scan with the model row by row.
func (m *windowMachine) ordered(what string, forward, backward statestore.WindowEntries[string, string], in func(slot) bool) {
	m.Helper()
	got := m.both(what, forward, backward, in)
	if want := m.want(in); !slices.Equal(got, want) {
		m.Fatalf("%s gave\n%q, want\n%q", what, got, want)
	}
}

// both compares the rows of a scan with the model, and its order with that of
// the backward one.
func (m *windowMachine) both(what string, forward, backward statestore.WindowEntries[string, string], in func(slot) bool) []string {
	m.Helper()
	got, back := m.list(forward), m.list(backward)
	slices.Reverse(back)
	if !slices.Equal(got, back) {
		m.Fatalf("%s gave\n%q, backward\n%q", what, got, back)
	}
	want, sorted := m.want(in), slices.Clone(got)
	slices.Sort(want)
	slices.Sort(sorted)
	if !slices.Equal(sorted, want) {
		m.Fatalf("%s gave\n%q, want\n%q in some order, at stream time %d", what, sorted, want, m.observed)
	}
	return got
}
