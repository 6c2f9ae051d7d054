package statestore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/millrace/millrace/window"
)

// ErrSegments is the error of a scan over a cached store on disk for a range of
// time that Java cannot divide into segments either: one that ends before it
// begins, or begins more than a segment before the time 0. Java throws an
// IllegalStateException.
var ErrSegments = errors.New("error iterating over segments: segment interval has changed")

// cacheScan walks over the rows of the cache that belong to a query, segment by
// segment where Java does (CacheIteratorWrapper and FilteredCacheIterator). It
// keeps the next row loaded.
type cacheScan struct {
	l       *cachedWindows
	q       WindowQuery
	indexed bool
	// whole is the one range of scans that are not divided.
	whole    KeyRange
	divided  bool
	cur, end int64
	// lower and upper bound the time of the first segment.
	lower, upper int64
	own          bool
	// list are cursors opened together. A scan that is open on one side of the
	// keys opens one segment after the other instead: each of its ranges begins
	// or ends with the cache.
	list []Cursor
	at   int
	lazy bool
	// late is the error after the last row.
	late error

	loaded bool
	key    []byte
	span   window.Span
	store  []byte
	value  []byte
	err    error
}

// plan decides what to walk over. Errors are those of Java's arithmetic.
func (l *cachedWindows) plan(q *WindowQuery) (*cacheScan, error) {
	c := &cacheScan{l: l, q: *q}
	c.whole.Reverse = q.Reverse
	window := l.layout.schema == windowSchema
	keyed := q.Mode == QueryKey || q.Mode == QueryKeys
	switch {
	case l.layout.order != KeyFirst:
		if q.Mode == QueryAll {
			c.q.Earliest, c.q.Latest = 0, maxTime
		}
		c.indexed = keyed && l.layout.order == TimeFirstIndexed
		return c, c.divide()
	case !keyed:
		return c, nil
	case l.persistent && (window || q.Mode == QueryKey):
		return c, c.divide()
	case q.Mode == QueryKey:
		return c, c.oneKey()
	}
	if q.Lower != nil {
		c.whole.Lower = append(appendID(nil, 0), l.layout.schema.lowerRange(q.Lower)...)
	}
	if q.Upper != nil {
		latest := q.Latest
		if !window {
			latest = maxTime
		}
		upper := l.layout.schema.upperRange(q.Upper, q.Latest)
		c.whole.Upper = append(append(appendID(nil, l.segment(latest)), upper...), 0)
	}
	return c, nil
}

const maxTime = 1<<63 - 1

// oneKey is the range of one key over an in-memory store.
func (c *cacheScan) oneKey() error {
	lower, upper, err := c.l.layout.schema.bounds(&c.q)
	if err != nil {
		return err
	}
	latest := c.q.Latest
	if c.l.layout.schema == sessionSchema {
		latest = maxTime
	}
	c.whole.Lower = append(appendID(nil, c.l.segment(max(0, c.q.Earliest))), lower...)
	c.whole.Upper = append(append(appendID(nil, c.l.segment(latest)), upper...), 0)
	return nil
}

// divide finds the segments to walk over and checks the first one.
func (c *cacheScan) divide() error {
	c.divided = true
	observed := c.l.observed.Load()
	last := observed
	if c.l.layout.schema == windowSchema {
		last = min(c.q.Latest, observed)
	}
	if c.q.Reverse {
		c.cur, c.end = c.l.segment(last), c.l.segment(c.q.Earliest)
		c.lower, c.upper = c.begin(), min(c.q.Latest, observed)
	} else {
		c.cur, c.end = c.l.segment(c.q.Earliest), c.l.segment(last)
		c.lower, c.upper = c.q.Earliest, c.lastTime()
	}
	if c.l.segment(c.lower) != c.l.segment(c.upper) {
		return ErrSegments
	}
	if c.q.Reverse && c.end < 0 {
		// Walking on to before the time 0 fails.
		c.late, c.end = ErrSegments, 0
	}
	_, _, err := c.segmentRange()
	return err
}

func (c *cacheScan) begin() int64 { return c.cur * c.l.interval }

func (c *cacheScan) lastTime() int64 {
	t := c.begin() + c.l.interval - 1
	if c.l.layout.schema == windowSchema {
		return min(c.q.Latest, t)
	}
	return t
}

// segmentRange is the range of the current segment, inclusive; nil is open to
// the end of the cache.
func (c *cacheScan) segmentRange() (lower, upper []byte, err error) {
	l, q := c.l, c.q
	q.Earliest = c.lower
	id := appendID(nil, c.cur)
	single := q.Lower != nil && bytes.Equal(q.Lower, q.Upper) && q.Mode != QueryTimes && q.Mode != QueryAll
	if l.layout.schema == sessionSchema {
		w := window.Span{Start: min(q.Latest, c.upper), End: c.upper}
		if w.Start < 0 {
			return nil, nil, fmt.Errorf("%w: session from %d", window.ErrBounds, w.Start)
		}
		first := max(0, c.lower)
		lower = window.AppendSessionKey(appendID(nil, l.segment(first)), q.Lower, 0, first)
		return lower, window.AppendSessionKey(appendID(nil, l.segment(w.End)), q.Lower, w.Start, w.End), nil
	}
	if single {
		q.Mode, q.Latest = QueryKey, c.upper
	}
	lower, upper, _, err = l.layout.bounds(&q)
	if err != nil {
		return nil, nil, err
	}
	if lower != nil {
		if single && l.layout.order == KeyFirst {
			id = appendID(id[:0], l.segment(max(0, c.lower)))
		}
		lower = append(bytes.Clone(id), lower...)
	}
	if upper != nil {
		upper = append(appendID(nil, c.cur), upper...)
	}
	return lower, upper, nil
}

// next goes on to the next segment; false after the last one.
func (c *cacheScan) next() bool {
	if c.q.Reverse {
		c.cur--
	} else {
		c.cur++
	}
	c.lower, c.upper = c.begin(), c.lastTime()
	return c.inside()
}

func (c *cacheScan) inside() bool {
	if c.q.Reverse {
		return c.cur >= c.end
	}
	return c.cur <= c.end
}

// open makes the cursors; the cache's lock must be held.
func (c *cacheScan) open(l *cachedWindows, own bool) {
	c.own = own
	if !c.divided {
		c.list = []Cursor{l.named.cursor(c.whole, own)}
		return
	}
	for first := true; first || c.inside(); first = false {
		lower, upper, err := c.segmentRange()
		if err != nil {
			c.err = err
			return
		}
		if lower == nil || upper == nil {
			c.lazy = true
			return
		}
		c.list = append(c.list, l.named.cursor(KeyRange{Lower: lower, Upper: append(upper, 0), Reverse: c.q.Reverse}, own))
		if !c.skip() {
			return
		}
	}
}

// few is a number of segments that are not worth looking for empty ones.
const few = 8

// skip goes on to the next segment, leaving out those without rows; false if
// there is none.
func (c *cacheScan) skip() bool {
	if !c.next() {
		return false
	}
	if n := c.end - c.cur; n <= few && n >= -few {
		return true
	}
	r := KeyRange{Lower: appendID(nil, c.cur), Upper: appendID(nil, c.end+1)}
	if c.q.Reverse {
		r = KeyRange{Lower: appendID(nil, c.end), Upper: appendID(nil, c.cur+1), Reverse: true}
	}
	row, found := c.l.named.table.First(r)
	if found {
		id, _ := parseSegment(row)
		c.cur = id ^ (-1 << 63)
		c.lower, c.upper = c.begin(), c.lastTime()
	}
	return found
}

// load sees to it that the next row is loaded, if there is one.
func (c *cacheScan) load() bool {
	for !c.loaded && c.err == nil {
		if c.at == len(c.list) {
			if !c.lazy {
				c.err = c.late
				return false
			}
			c.openNext()
			continue
		}
		cursor := c.list[c.at]
		if !cursor.Next() {
			if c.err = cursor.Err(); c.err == nil {
				c.at++
			}
			continue
		}
		c.take(cursor)
	}
	return c.loaded
}

// openNext opens the next range of a lazy scan.
func (c *cacheScan) openNext() {
	if c.at > 0 && !c.next() {
		c.lazy = false
		return
	}
	lower, upper, err := c.segmentRange()
	if err != nil {
		c.err = err
		return
	}
	if upper != nil {
		upper = append(upper, 0)
	}
	r := KeyRange{Lower: lower, Upper: upper, Reverse: c.q.Reverse}
	c.l.named.table.Mu.RLock()
	c.list = append(c.list, c.l.named.cursor(r, c.own))
	c.l.named.table.Mu.RUnlock()
}

// take loads a row if it belongs to the query.
func (c *cacheScan) take(cursor Cursor) {
	layout := c.l.layout
	key, w, seq, err := layout.parseRow(cursor.Key()[segmentSize:])
	if err != nil {
		c.err = err
		return
	}
	if c.past(w) {
		c.at, c.lazy = len(c.list), false
		return
	}
	// Java reads, and so uses, the base row before it looks whether the row
	// belongs to the query.
	c.value = cursor.Value()
	if c.indexed && !c.base(key, w) {
		return
	}
	filtered := layout.order != KeyFirst || c.q.Mode != QueryAll
	if filtered && !layout.schema.matches(&c.q, key, w) {
		return
	}
	c.store = layout.schema.append(c.store[:0], key, w, seq)
	c.key, c.span = c.store[:len(key)], w
	c.loaded = true
}

// past tells that a time-ordered scan has come to its end. The row that shows
// it was read, and so used, but none behind it is.
func (c *cacheScan) past(w window.Span) bool {
	if c.l.layout.order == KeyFirst || c.indexed {
		return false
	}
	return !c.q.Reverse && w.Start > c.q.Latest || c.q.Reverse && w.Start < c.q.Earliest
}

// base takes the value of an index row from its base row.
func (c *cacheScan) base(key []byte, w window.Span) bool {
	row := c.l.appendKey(nil, key, w)
	if c.own {
		v, ok := c.l.named.get(row)
		c.value = v
		return ok
	}
	v, ok, deleted := c.l.named.peek([]byte{}, row)
	c.value = v
	if deleted {
		c.value = nil
	}
	return ok || deleted
}

func (c *cacheScan) close() error {
	var err error
	for _, one := range c.list {
		if closeErr := one.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}

// mergedWindows is the merge of cache and store (Java:
// AbstractMergedSortedCacheStoreIterator).
type mergedWindows struct {
	cached *cacheScan
	below  Cursor
	l      *cachedWindows
	// byTime: only the starts of windows are compared, since there is one key.
	byTime, indexed, reverse bool

	loaded   bool
	key      []byte
	span     window.Span
	done     bool
	err      error
	outKey   []byte
	outValue []byte
	pending  bool
}

func (m *mergedWindows) loadBelow() bool {
	if m.pending {
		m.pending, m.loaded = false, false
	}
	if m.loaded || m.done || m.err != nil {
		return m.loaded
	}
	if !m.below.Next() {
		m.done, m.err = true, m.below.Err()
		return false
	}
	key, w, _, err := m.l.layout.schema.parse(m.below.Key())
	if err != nil {
		m.err = err
		return false
	}
	m.key, m.span, m.loaded = key, w, true
	return true
}

// compare orders the cached row and that of the store as Java compares their
// bytes.
func (m *mergedWindows) compare() int {
	schema, c := m.l.layout.schema, m.cached
	a, b := schema.time(c.span), schema.time(m.span)
	if m.byTime {
		return cmp.Compare(a, b)
	}
	if n := cmp.Compare(m.l.segment(a), m.l.segment(b)); n != 0 {
		return n
	}
	if m.l.layout.order == KeyFirst || m.indexed {
		return bytes.Compare(c.store, m.below.Key())
	}
	if a != b {
		return cmp.Compare(a, b)
	}
	return bytes.Compare(c.key, m.key)
}

// settle gets rid of cached deletes in front, and reports whether a row is
// left. Walking backward Java does not mind the direction.
func (m *mergedWindows) settle() bool {
	for m.cached.load() && m.cached.value == nil {
		if !m.loadBelow() {
			m.cached.loaded = false
			continue
		}
		n := m.compare()
		if n > 0 {
			return true
		}
		if n == 0 {
			m.loaded = false
		}
		m.cached.loaded = false
	}
	cached := m.cached.load()
	below := m.loadBelow()
	if m.err == nil {
		m.err = m.cached.err
	}
	return m.err == nil && (cached || below)
}

func (m *mergedWindows) Next() bool {
	if m.err != nil || !m.settle() {
		return false
	}
	cached, below := m.cached.load(), m.loadBelow()
	if m.err != nil {
		return false
	}
	if cached && below {
		n := m.compare()
		if m.reverse {
			n = -n
		}
		switch {
		case n > 0:
			cached = false
		case n == 0:
			m.loaded = false
		}
	}
	if !cached {
		m.outKey, m.outValue = m.below.Key(), m.below.Value()
		m.pending = true
		return true
	}
	m.cached.loaded = false
	m.outKey, m.outValue = m.cached.store, m.cached.value
	return true
}

func (m *mergedWindows) Key() []byte   { return m.outKey }
func (m *mergedWindows) Value() []byte { return m.outValue }
func (m *mergedWindows) Err() error    { return m.err }

func (m *mergedWindows) Close() error {
	err := m.cached.close()
	if belowErr := m.below.Close(); err == nil {
		err = belowErr
	}
	return err
}
