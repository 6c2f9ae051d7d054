package memstore

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// OpenWindow keeps the windows sorted by start, then key (Java:
// InMemoryWindowStore).
func (backend) OpenWindow(h statestore.Host, _ string, c statestore.WindowConfig) (statestore.WindowBytes, error) {
	w := &windows{rows: newKeyValue(), host: h, retention: c.RetentionMs, duplicates: c.RetainDuplicates}
	w.observed.Store(-1)
	return w, nil
}

// OpenSession keeps the sessions sorted by end, then key, then start from the
// latest down (Java: InMemorySessionStore).
func (backend) OpenSession(h statestore.Host, _ string, c statestore.SessionConfig) (statestore.WindowBytes, error) {
	w := &windows{rows: newKeyValue(), host: h, retention: c.RetentionMs, sessions: true}
	w.observed.Store(-1)
	return w, nil
}

// windows is a window or session store on top of a sorted map. A row's key is
// its time, such that bytes sort as numbers do, and the key; for duplicates
// their number follows, for sessions the start, and the key is escaped so that
// it does not run into the start.
type windows struct {
	rows       *keyValue
	host       statestore.Host
	retention  int64
	sessions   bool
	duplicates bool
	seq        int32
	// observed is the stream time.
	observed atomic.Int64
	row      []byte
}

const timeSize = 8

func appendTime(dst []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(t)^(1<<63))
}

func timeOf(row []byte) int64 { return int64(binary.BigEndian.Uint64(row) ^ (1 << 63)) }

func (s *windows) time(w window.Span) int64 {
	if s.sessions {
		return w.End
	}
	return w.Start
}

// appendKey appends the part of a row between time and start: zero bytes are
// followed by 0xff, and two zero bytes end the key.
func (s *windows) appendKey(dst, key []byte) []byte {
	if !s.sessions {
		return append(dst, key...)
	}
	for _, b := range key {
		dst = append(dst, b)
		if b == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 0)
}

func (s *windows) appendRow(dst, key []byte, w window.Span, seq int32) []byte {
	dst = s.appendKey(appendTime(dst, s.time(w)), key)
	switch {
	case s.sessions:
		return appendTime(dst, ^w.Start)
	case s.duplicates:
		return binary.BigEndian.AppendUint32(dst, uint32(seq))
	}
	return dst
}

// parse gives the key, its window and its number; the key is made in dst if it
// was escaped.
func (s *windows) parse(dst, row []byte) (key []byte, w window.Span, seq int32) {
	t, rest := timeOf(row), row[timeSize:]
	if !s.sessions {
		w.Start = t
		if s.duplicates {
			at := len(rest) - 4
			return rest[:at], w, int32(binary.BigEndian.Uint32(rest[at:]))
		}
		return rest, w, 0
	}
	w.End, w.Start = t, ^timeOf(rest[len(rest)-timeSize:])
	for i := 0; rest[i] != 0 || rest[i+1] != 0; i++ {
		dst = append(dst, rest[i])
		if rest[i] == 0 {
			i++
		}
	}
	return dst, w, 0
}

func (s *windows) hidden(w window.Span) bool {
	return s.time(w) <= s.observed.Load()-s.retention
}

// Get appends the value of a row. Duplicates have their number in the key, so
// that none is found.
func (s *windows) Get(dst, key []byte, w window.Span) ([]byte, bool, error) {
	s.row = s.addressed(s.row[:0], key, w)
	if s.hidden(w) {
		return dst, false, nil
	}
	return s.rows.Get(dst, s.row)
}

// addressed is the key of a row as Java looks it up: without a number.
func (s *windows) addressed(dst, key []byte, w window.Span) []byte {
	if s.sessions {
		return s.appendRow(dst, key, w, 0)
	}
	return append(appendTime(dst, w.Start), key...)
}

func (s *windows) Peek(dst, key []byte, w window.Span) ([]byte, bool, error) {
	out, ok, err := s.rows.Peek(dst, s.addressed(nil, key, w))
	if ok && s.hidden(w) {
		return dst, false, err
	}
	return out, ok, err
}

// expire drops what the stream time has left behind.
func (s *windows) expire() error {
	oldest := max(0, s.observed.Load()-s.retention+1)
	return s.rows.DeleteRange(nil, appendTime(nil, oldest))
}

func (s *windows) Put(key []byte, w window.Span, value []byte) error {
	t := s.time(w)
	if t > s.observed.Load() {
		if err := s.expire(); err != nil {
			return err
		}
		s.observed.Store(t)
	}
	if s.hidden(w) {
		s.host.Dropped()
		return nil
	}
	if s.duplicates {
		if value == nil {
			return nil
		}
		s.seq = (s.seq + 1) & math.MaxInt32
	}
	s.row = s.appendRow(s.row[:0], key, w, s.seq)
	return s.rows.Put(s.row, value)
}

func (s *windows) Remove(key []byte, w window.Span) error {
	s.row = s.appendRow(s.row[:0], key, w, 0)
	return s.rows.Put(s.row, nil)
}

// Observe has nothing to do: records are restored as they are put.
func (s *windows) Observe([]byte) error { return nil }

func (s *windows) RestoreRow(storeKey, value []byte) error {
	if s.sessions {
		key, w, err := window.ParseSessionKey(storeKey)
		if err != nil {
			return err
		}
		return s.Put(key, w, value)
	}
	key, start, _, err := window.ParseStoreKey(storeKey)
	if err != nil {
		return err
	}
	return s.Put(key, window.Span{Start: start}, value)
}

func (s *windows) Commit(offset int64) error       { return s.rows.Commit(offset) }
func (s *windows) CommittedOffset() (int64, error) { return s.rows.CommittedOffset() }
func (s *windows) Close() error                    { return s.rows.Close() }

// Scan walks over the rows by time and, within each, over the keys asked for.
func (s *windows) Scan(q *statestore.WindowQuery) (statestore.Cursor, error) {
	seen := *q
	oldest := s.observed.Load() - s.retention + 1
	if s.sessions {
		oldest = max(0, oldest)
	}
	if q.Mode == statestore.QueryAll {
		seen.Earliest, seen.Latest = oldest, math.MaxInt64
	}
	seen.Earliest = max(seen.Earliest, oldest)
	c := &windowCursor{s: s, q: seen, last: seen.Latest}
	if s.sessions && q.Mode != statestore.QueryEnds {
		c.last = math.MaxInt64
	}
	s.rows.mu.RLock()
	defer s.rows.mu.RUnlock()
	if s.rows.closed {
		return nil, statestore.ErrClosed
	}
	if q.Reversed() || seen.Earliest > c.last {
		c.closed = true
		return c, nil
	}
	c.open()
	return c, nil
}

// windowCursor walks over a tree that nobody changes. It goes from the keys of
// one time to those of the next without passing the other keys.
type windowCursor struct {
	s       *windows
	q       statestore.WindowQuery
	last    int64
	walking *atomic.Int64
	it      btree.IterG[row]
	// lower and upper are the keys of rows between their time and what follows
	// the key; nil is open.
	lower, upper []byte
	seek         []byte
	name         []byte
	key          []byte
	row          row
	begun        bool
	closed       bool
}

// open is called with the map's lock held.
func (c *windowCursor) open() {
	m := c.s.rows
	m.walking.Add(1)
	m.open.Add(1)
	c.walking, c.it = m.walking, m.tree.Iter()
	if c.q.Lower != nil {
		c.lower = c.s.appendKey([]byte{}, c.q.Lower)
	}
	if c.q.Upper != nil {
		c.upper = c.s.appendKey([]byte{}, c.q.Upper)
		for range timeSize {
			c.upper = append(c.upper, 0xff)
		}
	}
}

func (c *windowCursor) Next() bool {
	if c.closed {
		return false
	}
	ok := c.start()
	for ok {
		c.row = c.it.Item()
		t, rest := timeOf(c.row.key()), c.row.key()[timeSize:]
		switch {
		case !c.q.Reverse && t > c.last || c.q.Reverse && t < c.q.Earliest:
			return false
		case c.lower != nil && bytes.Compare(rest, c.lower) < 0:
			ok = c.below(t)
		case c.upper != nil && bytes.Compare(rest, c.upper) > 0:
			ok = c.above(t)
		case c.take():
			return true
		default:
			ok = c.step()
		}
	}
	return false
}

// take makes the store key of a row that belongs to the query.
func (c *windowCursor) take() bool {
	key, w, seq := c.s.parse(c.name[:0], c.row.key())
	if c.s.sessions {
		c.name = key
	}
	if !c.q.Key(key) {
		return false
	}
	if !c.s.sessions {
		c.key = window.AppendStoreKey(c.key[:0], key, w.Start, seq)
		return true
	}
	if c.q.Mode != statestore.QueryEnds && w.Start > c.q.Latest {
		return false
	}
	c.key = window.AppendSessionKey(c.key[:0], key, w.Start, w.End)
	return true
}

func (c *windowCursor) step() bool {
	if c.q.Reverse {
		return c.it.Prev()
	}
	return c.it.Next()
}

// start goes to the first row, or on to the next one.
func (c *windowCursor) start() bool {
	if c.begun {
		return c.step()
	}
	c.begun = true
	if c.q.Reverse {
		return c.backTo(c.last, c.upper)
	}
	return c.onTo(c.q.Earliest, c.lower)
}

// below: the row lies below the keys of its time.
func (c *windowCursor) below(t int64) bool {
	if !c.q.Reverse {
		return c.onTo(t, c.lower)
	}
	return t != math.MinInt64 && c.backTo(t-1, c.upper)
}

// above: the row lies above the keys of its time.
func (c *windowCursor) above(t int64) bool {
	if c.q.Reverse {
		return c.backTo(t, c.upper)
	}
	return t != math.MaxInt64 && c.onTo(t+1, c.lower)
}

// onTo goes to the first row at or behind a time and key.
func (c *windowCursor) onTo(t int64, key []byte) bool {
	c.seek = append(appendTime(c.seek[:0], t), key...)
	return c.it.Seek(row{c.seek, len(c.seek)})
}

// backTo goes to the last row at or before a time and key; nil is the last key.
func (c *windowCursor) backTo(t int64, key []byte) bool {
	switch {
	case key != nil:
		c.seek = append(append(appendTime(c.seek[:0], t), key...), 0)
	case t == math.MaxInt64:
		return c.it.Last()
	default:
		c.seek = appendTime(c.seek[:0], t+1)
	}
	if c.it.Seek(row{c.seek, len(c.seek)}) {
		return c.it.Prev()
	}
	return c.it.Last()
}

func (c *windowCursor) Key() []byte   { return c.key }
func (c *windowCursor) Value() []byte { return c.row.value() }
func (c *windowCursor) Err() error    { return nil }

func (c *windowCursor) Close() error {
	if !c.closed {
		c.closed = true
		c.it.Release()
		c.walking.Add(-1)
		c.s.rows.open.Add(-1)
	}
	return nil
}

var _ statestore.WindowBackend = backend{}
