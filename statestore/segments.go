package statestore

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/millrace/millrace/statestore/internal/scan"
)

// segments divides the rows of a byte store by time, so that old rows go all at
// once (Java: AbstractSegments). Each row has the id of its segment in front of
// its key; other rows of the store begin with a byte below firstSegment.
//
// Ids are times divided by the interval. The store keeps the interval it was
// written with; when it is opened with another one, its rows are moved.
type segments struct {
	kv        SegmentBytes
	interval  int64
	retention int64
	// ids are those with rows, ascending. The slice is replaced, never changed,
	// since readers on other goroutines use it.
	ids atomic.Pointer[[]int64]
}

const (
	// segmentSize is the length of an id in front of a row.
	segmentSize = 8
	// firstSegment is the first byte of the smallest id that is not negative.
	firstSegment = 0x80
)

var intervalKey = []byte("\x00interval")

// appendSegment appends an id so that ids sort as numbers do.
func appendSegment(dst []byte, id int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(id)^(1<<63))
}

func parseSegment(row []byte) (id int64, key []byte) {
	return int64(binary.BigEndian.Uint64(row) ^ (1 << 63)), row[segmentSize:]
}

// openSegments finds the segments of a store. timeOf gives the time of a row
// from its key without the segment; it is needed to move rows.
func openSegments(kv KeyValueBytes, retention, interval int64, timeOf func(key []byte) (int64, error)) (*segments, error) {
	sb, ok := kv.(SegmentBytes)
	if _, evicts := kv.(Evicting); !ok || evicts {
		return nil, fmt.Errorf("the backend's %T cannot hold segments: %w", kv, ErrUnsupported)
	}
	s := &segments{kv: sb, interval: interval, retention: retention}
	s.setIDs(nil)
	data, ok, err := kv.Get(nil, intervalKey)
	if err != nil {
		return nil, err
	}
	if !ok || len(data) != 8 || int64(binary.BigEndian.Uint64(data)) != interval {
		if err := s.move(timeOf); err != nil {
			return nil, err
		}
		if err := kv.Put(intervalKey, binary.BigEndian.AppendUint64(nil, uint64(interval))); err != nil {
			return nil, err
		}
	}
	return s, s.discover()
}

// discover lists the segments that have rows.
func (s *segments) discover() error {
	var ids []int64
	at := KeyRange{Lower: []byte{firstSegment}}
	for {
		c, err := s.kv.Scan(at)
		if err != nil {
			return err
		}
		found := c.Next()
		if found {
			id, _ := parseSegment(c.Key())
			ids = append(ids, id)
			at.Lower = appendSegment(nil, id+1)
		}
		err = c.Err()
		if closeErr := c.Close(); err == nil {
			err = closeErr
		}
		if err != nil || !found {
			s.setIDs(ids)
			return err
		}
	}
}

// move puts each row into the segment it belongs to with the current interval.
func (s *segments) move(timeOf func(key []byte) (int64, error)) error {
	type row struct{ key, value []byte }
	var rows []row
	c, err := s.kv.Scan(KeyRange{Lower: []byte{firstSegment}})
	if err != nil {
		return err
	}
	defer c.Close()
	for c.Next() {
		_, key := parseSegment(c.Key())
		t, err := timeOf(key)
		if err != nil {
			return err
		}
		rows = append(rows, row{append(appendSegment(nil, s.id(t)), key...), append([]byte{}, c.Value()...)})
	}
	if err := c.Err(); err != nil || len(rows) == 0 {
		return err
	}
	if err := s.kv.DeleteRange([]byte{firstSegment}, nil); err != nil {
		return err
	}
	for _, r := range rows {
		if err := s.kv.Put(r.key, r.value); err != nil {
			return err
		}
	}
	return nil
}

// id is the segment of a time. Go divides as Java does: toward zero.
func (s *segments) id(time int64) int64 { return time / s.interval }

// live tells whether a segment still takes rows at a stream time, and if so
// adds it and drops those that have expired (Java: getOrCreateSegmentIfLive).
func (s *segments) live(id, streamTime int64) (bool, error) {
	if id < s.id(streamTime-s.retention) {
		return false, nil
	}
	ids := *s.ids.Load()
	if n := len(ids); n == 0 || ids[n-1] < id {
		s.kv.FreshFrom(appendSegment(nil, id))
	}
	if at, ok := slices.BinarySearch(ids, id); !ok {
		s.setIDs(slices.Insert(slices.Clone(ids), at, id))
	}
	return true, s.expire(streamTime)
}

func (s *segments) setIDs(ids []int64) { s.ids.Store(&ids) }

// expire drops the segments that have expired at a stream time (Java:
// cleanupExpiredSegments).
func (s *segments) expire(streamTime int64) error {
	ids, oldest := *s.ids.Load(), s.id(streamTime-s.retention)
	if len(ids) == 0 || ids[0] >= oldest {
		return nil
	}
	at, _ := slices.BinarySearch(ids, oldest)
	s.setIDs(slices.Clone(ids[at:]))
	return s.kv.DeleteRange([]byte{firstSegment}, appendSegment(nil, oldest))
}

// has tells whether a segment has rows.
func (s *segments) has(id int64) bool {
	_, ok := slices.BinarySearch(*s.ids.Load(), id)
	return ok
}

// between are the segments of a range of times, in the order of a walk.
func (s *segments) between(from, to int64, reverse bool) []int64 {
	ids := *s.ids.Load()
	lo, _ := slices.BinarySearch(ids, s.id(from))
	hi, ok := slices.BinarySearch(ids, s.id(to))
	if ok {
		hi++
	}
	if lo >= hi {
		return nil
	}
	ids = ids[lo:hi]
	if reverse {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
	}
	return ids
}

// all are all segments, in the order of a walk.
func (s *segments) all(reverse bool) []int64 {
	ids := *s.ids.Load()
	if reverse {
		ids = slices.Clone(ids)
		slices.Reverse(ids)
	}
	return ids
}

// segmentCursor walks over one range of keys in several segments, one after the
// other. Its keys have the segment in front. All cursors below are made at
// once, so that it sees one state of the store.
type segmentCursor struct {
	list []Cursor
	at   int
	err  error
}

// scan walks over the rows from lower to upper, both without a segment and
// inclusive, in each of the segments. Nil ends are open.
func (s *segments) scan(ids []int64, lower, upper []byte, reverse bool) (Cursor, error) {
	c := &segmentCursor{}
	for _, id := range ids {
		r := KeyRange{Lower: append(appendSegment(nil, id), lower...), Reverse: reverse}
		if upper == nil && id < math.MaxInt64 {
			r.Upper = appendSegment(nil, id+1)
		} else if upper == nil {
			r.Upper = nil
		} else {
			r.Upper = append(append(appendSegment(nil, id), upper...), 0)
		}
		if r.Empty() {
			continue
		}
		one, err := s.kv.Scan(r)
		if err != nil {
			_ = c.Close() // the first error is the one to tell
			return nil, err
		}
		c.list = append(c.list, one)
	}
	if len(c.list) == 0 {
		return scan.Empty{}, nil
	}
	return c, nil
}

// Next moves to the next row, in the next segment if need be.
func (c *segmentCursor) Next() bool {
	for c.at < len(c.list) && c.err == nil {
		if c.list[c.at].Next() {
			return true
		}
		c.err = c.list[c.at].Err()
		if c.err == nil {
			c.at++
		}
	}
	return false
}

// Key is the key of the row with its segment.
func (c *segmentCursor) Key() []byte { return c.list[c.at].Key() }

// Value is the value of the row.
func (c *segmentCursor) Value() []byte { return c.list[c.at].Value() }

// Err is the error that ended the walk early.
func (c *segmentCursor) Err() error { return c.err }

// Close releases the cursors of all segments.
func (c *segmentCursor) Close() error {
	var err error
	for _, one := range c.list {
		if closeErr := one.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}
