package statestore

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/millrace/millrace/statestore/internal/scan"
	"github.com/millrace/millrace/window"
)

// segmented keeps the rows of a window or session store in segments of a
// key-value store (Java: AbstractRocksDBSegmentedBytesStore and
// AbstractRocksDBTimeOrderedSegmentedBytesStore). Which rows are seen and in
// which order they come follows from Java's keys, so rows lie under the same
// ones, see rowLayout.
type segmented struct {
	rowLayout
	segs      *segments
	host      Host
	retention int64
	// duplicates and seq number the values of a store that keeps them all. The
	// number is not stored: it begins anew when the store is opened.
	duplicates bool
	seq        atomic.Int32
	// observed is the stream time of the store; not stored either.
	observed atomic.Int64
	row      []byte
}

func openSegmented(h Host, from Backend, name string, k Kind, c rowConfig) (*segmented, error) {
	layout := rowLayout{c.schema, c.order}
	kv, err := from.OpenKeyValue(h, name, layout.kind(k))
	if err != nil {
		return nil, err
	}
	s := &segmented{rowLayout: layout, host: h, retention: c.retention, duplicates: c.duplicates}
	s.observed.Store(noTimestamp)
	s.segs, err = openSegments(kv, c.retention, c.interval, func(key []byte) (int64, error) {
		_, w, _, err := layout.parseRow(key)
		return layout.schema.time(w), err
	})
	if err != nil {
		_ = kv.Close() // the first error is the one to tell
		return nil, err
	}
	return s, nil
}

func (s *segmented) observe(t int64) int64 {
	if o := s.observed.Load(); o >= t {
		return o
	}
	s.observed.Store(t)
	return t
}

// earliest is the first time that is seen. The time-ordered window stores show
// one millisecond more than all others.
func (s *segmented) earliest() int64 {
	t := s.observed.Load() - s.retention
	if s.schema == windowSchema && s.order != KeyFirst {
		return t
	}
	return t + 1
}

// address is the key of a row in the store below; false if it is not seen.
func (s *segmented) address(dst, key []byte, w window.Span, seq int32) ([]byte, bool) {
	t := s.schema.time(w)
	id := s.segs.id(t)
	if t < s.earliest() || !s.segs.has(id) {
		return dst, false
	}
	return s.appendRow(appendSegment(dst, id), key, w, seq), true
}

func (s *segmented) Get(dst, key []byte, w window.Span) ([]byte, bool, error) {
	row, ok := s.address(s.row[:0], key, w, s.seq.Load())
	if s.row = row; !ok {
		return dst, false, nil
	}
	return s.segs.kv.Get(dst, row)
}

func (s *segmented) Peek(dst, key []byte, w window.Span) ([]byte, bool, error) {
	row, ok := s.address(nil, key, w, s.seq.Load())
	if !ok {
		row = nil // the store below knows whether it is closed
	}
	return s.segs.kv.Peek(dst, row)
}

func (s *segmented) Put(key []byte, w window.Span, value []byte) error {
	if s.duplicates {
		if value == nil {
			return nil
		}
		s.seq.Store((s.seq.Load() + 1) & math.MaxInt32)
	}
	t := s.schema.time(w)
	id := s.segs.id(t)
	live, err := s.segs.live(id, s.observe(t))
	if err != nil {
		return err
	}
	if !live {
		s.host.Dropped()
		return nil
	}
	return s.set(id, key, w, s.seq.Load(), value)
}

// set writes a row and its index.
func (s *segmented) set(id int64, key []byte, w window.Span, seq int32, value []byte) error {
	if s.order == TimeFirstIndexed {
		index := appendSegment(s.row[:0], id)
		index = s.schema.append(append(index, indexPrefix), key, w, seq)
		s.row = index
		entry := []byte{}
		if value == nil {
			entry = nil
		}
		if err := s.segs.kv.Put(index, entry); err != nil {
			return err
		}
	}
	s.row = s.appendRow(appendSegment(s.row[:0], id), key, w, seq)
	return s.segs.kv.Put(s.row, value)
}

func (s *segmented) Remove(key []byte, w window.Span) error {
	t := s.schema.time(w)
	s.observe(t)
	id := s.segs.id(t)
	if !s.segs.has(id) {
		return nil
	}
	return s.set(id, key, w, s.seq.Load(), nil)
}

func (s *segmented) Observe(storeKey []byte) error {
	_, w, _, err := s.schema.parse(storeKey)
	if err == nil {
		s.observe(s.schema.time(w))
	}
	return err
}

func (s *segmented) RestoreRow(storeKey, value []byte) error {
	key, w, seq, err := s.schema.parse(storeKey)
	if err != nil {
		return err
	}
	id := s.segs.id(s.schema.time(w))
	live, err := s.segs.live(id, s.observed.Load())
	if err != nil || !live {
		return err
	}
	return s.set(id, key, w, seq, value)
}

// Scan follows Java in what it takes from where; QueryEnds does not mind the
// retention.
func (s *segmented) Scan(q *WindowQuery) (Cursor, error) {
	if q.Mode == QueryEnds && s.order == KeyFirst {
		return nil, ErrUnsupported
	}
	if q.Reversed() {
		return s.nothing()
	}
	seen := *q
	if q.Mode == QueryAll {
		seen.Earliest, seen.Latest = 0, math.MaxInt64
	}
	if q.Mode != QueryEnds {
		seen.Earliest = max(seen.Earliest, s.earliest())
	}
	if s.schema == windowSchema && seen.Latest < seen.Earliest {
		return s.nothing()
	}
	var ids []int64
	switch {
	case q.Mode == QueryAll && s.order != KeyFirst:
		ids = s.segs.all(q.Reverse)
	case s.schema == sessionSchema && q.Mode != QueryEnds:
		ids = s.segs.between(seen.Earliest, math.MaxInt64, q.Reverse)
	default:
		ids = s.segs.between(seen.Earliest, seen.Latest, q.Reverse)
	}
	lower, upper, indexed, err := s.bounds(&seen)
	if err != nil {
		return nil, err
	}
	c, err := s.segs.scan(ids, lower, upper, q.Reverse)
	if err != nil {
		return nil, err
	}
	return &segmentedCursor{Cursor: c, s: s, q: seen, indexed: indexed}, nil
}

// nothing is an empty scan, or the error of a closed store.
func (s *segmented) nothing() (Cursor, error) {
	c, err := s.segs.kv.Scan(KeyRange{Lower: intervalKey, Upper: intervalKey})
	if err != nil {
		return nil, err
	}
	return scan.Empty{}, c.Close()
}

// Commit makes everything durable.
func (s *segmented) Commit(offset int64) error { return s.segs.kv.Commit(offset) }

// CommittedOffset is the changelog offset that lies with the data.
func (s *segmented) CommittedOffset() (int64, error) { return s.segs.kv.CommittedOffset() }

// Uncommitted tells whether the store holds updates later than its offset.
func (s *segmented) Uncommitted() (bool, error) {
	if u, ok := s.segs.kv.(Uncommitted); ok {
		return u.Uncommitted()
	}
	return false, nil
}

// Close releases the store.
func (s *segmented) Close() error { return s.segs.kv.Close() }

// segmentedCursor gives rows their store keys and leaves out those that do not
// belong to the query. From an index it goes to the rows themselves.
type segmentedCursor struct {
	Cursor
	s       *segmented
	q       WindowQuery
	indexed bool
	key     []byte
	row     []byte
	value   []byte
	err     error
}

func (c *segmentedCursor) Next() bool {
	for c.err == nil && c.Cursor.Next() {
		id, row := parseSegment(c.Cursor.Key())
		key, w, seq, err := c.s.parseRow(row)
		if err != nil {
			c.err = fmt.Errorf("row of segment %d: %w", id, err)
			return false
		}
		if !c.s.schema.matches(&c.q, key, w) {
			continue
		}
		c.key = c.s.schema.append(c.key[:0], key, w, seq)
		if !c.indexed {
			c.value = c.Cursor.Value()
			return true
		}
		if c.fetch(id, key, w, seq) {
			return true
		}
	}
	return false
}

// fetch reads the row of an index entry.
func (c *segmentedCursor) fetch(id int64, key []byte, w window.Span, seq int32) (ok bool) {
	c.row = c.s.appendRow(appendSegment(c.row[:0], id), key, w, seq)
	if c.value == nil {
		c.value = []byte{}
	}
	c.value, ok, c.err = c.s.segs.kv.Peek(c.value[:0], c.row)
	return ok && c.err == nil
}

func (c *segmentedCursor) Key() []byte   { return c.key }
func (c *segmentedCursor) Value() []byte { return c.value }

func (c *segmentedCursor) Err() error {
	if c.err != nil {
		return c.err
	}
	return c.Cursor.Err()
}

// rowLayout is how rows lie within a segment. KeyFirst rows have the store key.
// Time-ordered ones have a zero byte, the time (start; or end and start), the
// key and the sequence number; their index entries a one byte and the store
// key, without a value.
type rowLayout struct {
	schema rowSchema
	order  TimeOrder
}

const (
	rowPrefix   = 0
	indexPrefix = 1
)

// kind is kept with the data: rows of one layout cannot be read as another's.
func (l rowLayout) kind(k Kind) Kind {
	switch l.order {
	case TimeFirst:
		return k + "/timeFirst"
	case TimeFirstIndexed:
		return k + "/timeFirstIndexed"
	}
	return k
}

func (l rowLayout) appendRow(dst, key []byte, w window.Span, seq int32) []byte {
	switch {
	case l.order == KeyFirst:
		return l.schema.append(dst, key, w, seq)
	case l.schema == windowSchema:
		return window.AppendTimeFirstKey(dst, key, w.Start, seq)
	}
	dst = binary.BigEndian.AppendUint64(append(dst, rowPrefix), uint64(w.End))
	return append(binary.BigEndian.AppendUint64(dst, uint64(w.Start)), key...)
}

// sessionPrefix is the length of what lies in front of the key of a time-ordered
// session.
const sessionPrefix = 1 + 8 + 8

// parseRow takes apart a row or index entry without its segment.
func (l rowLayout) parseRow(row []byte) (key []byte, w window.Span, seq int32, err error) {
	switch {
	case l.order == KeyFirst:
		return l.schema.parse(row)
	case len(row) > 0 && row[0] == indexPrefix:
		return l.schema.parse(row[1:])
	case l.schema == windowSchema:
		key, w.Start, seq, err = window.ParseTimeFirstKey(row)
		return key, w, seq, err
	case len(row) < sessionPrefix:
		return nil, w, 0, fmt.Errorf("key of %d bytes is no time-ordered session", len(row))
	}
	w.End = int64(binary.BigEndian.Uint64(row[1:]))
	w.Start = int64(binary.BigEndian.Uint64(row[9:]))
	return row[sessionPrefix:], w, 0, nil
}
