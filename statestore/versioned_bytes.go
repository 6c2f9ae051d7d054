package statestore

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
)

// versionedBytes keeps versions of values in a key-value store (Java:
// RocksDBVersionedStore). The latest version of a key lies on its own, as `i64
// from ‖ value`; a deleted one does not. The others lie in the segment of the
// time at which they ended, in one row for each key and segment, see
// versionRow. What is returned for puts in the past, and what is found at all,
// follows from this layout.
type versionedBytes struct {
	segs    *segments
	host    Host
	history int64
	// observed is the stream time: the largest time put, not stored.
	observed    atomic.Int64
	key, row    []byte
	out, latest []byte
}

// latestPrefix is in front of the key of a latest version.
const latestPrefix = 1

func openVersioned(h Host, from Backend, name string, c VersionedConfig) (*versionedBytes, error) {
	kv, err := from.OpenKeyValue(h, name, KindVersioned)
	if err != nil {
		return nil, err
	}
	s := &versionedBytes{host: h, history: c.HistoryMs}
	s.observed.Store(noTimestamp)
	s.segs, err = openSegments(kv, c.HistoryMs, c.interval(), s.cannotMove)
	if err != nil {
		_ = kv.Close() // the first error is the one to tell
		return nil, err
	}
	return s, nil
}

// cannotMove: rows of versions would have to be taken apart.
func (s *versionedBytes) cannotMove([]byte) (int64, error) {
	return 0, fmt.Errorf("the segment interval of a versioned store was changed; delete its directory and it is restored from its changelog")
}

// read is how the task, or another goroutine, looks at the store below.
type read func(dst, key []byte) ([]byte, bool, error)

func latestKey(dst, key []byte) []byte { return append(append(dst, latestPrefix), key...) }

func segmentKey(dst []byte, id int64, key []byte) []byte {
	return append(appendSegment(dst, id), key...)
}

func splitLatest(data []byte) (from int64, value []byte, err error) {
	if len(data) < 8 {
		return 0, nil, fmt.Errorf("latest version of %d bytes", len(data))
	}
	return int64(binary.BigEndian.Uint64(data)), data[8:], nil
}

// readLatest appends the latest version of a key to dst.
func readLatest(dst, scratch, key []byte, get read) (out []byte, from int64, ok bool, err error) {
	at := len(dst)
	out, ok, err = get(dst, latestKey(scratch, key))
	if err != nil || !ok {
		return dst, 0, false, err
	}
	from, value, err := splitLatest(out[at:])
	if err != nil {
		return dst, 0, false, err
	}
	return append(out[:at], value...), from, true, nil
}

// getAsOf appends the value that held at a time to dst.
func (s *versionedBytes) getAsOf(dst, key []byte, t int64, get read) (out []byte, from, to int64, ok bool, err error) {
	out, from, ok, err = readLatest(dst, nil, key, get)
	if err != nil || ok && from <= t {
		return out, from, ValidNow, ok, err
	}
	if t < s.observed.Load()-s.history {
		return dst, 0, 0, false, nil
	}
	for _, id := range s.segs.between(t, math.MaxInt64, true) {
		data, ok, err := get(nil, segmentKey(nil, id, key))
		if err != nil {
			return dst, 0, 0, false, err
		}
		if !ok {
			continue
		}
		r, err := parseVersions(data)
		if err != nil || r.next <= t {
			return dst, 0, 0, false, err
		}
		if r.min > t {
			continue
		}
		i, to := r.find(t)
		v := r.versions[i]
		return append(dst, v.value...), v.from, to, v.value != nil, nil
	}
	return dst, 0, 0, false, nil
}

// held is a version with its end.
type held struct {
	version
	to int64
}

// history lists the versions that held between two times, oldest first. As in
// Java only the segments up to the last time are looked at, and the latest
// version is not asked whether it ended.
func (s *versionedBytes) listHistory(key []byte, from, to int64, get read) ([]held, error) {
	var list []held
	if to >= s.observed.Load()-s.history {
		for _, id := range s.segs.between(math.MinInt64, to, false) {
			data, ok, err := get(nil, segmentKey(nil, id, key))
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			r, err := parseVersions(data)
			if err != nil {
				return nil, err
			}
			list = r.appendHeld(list, from, to)
		}
	}
	value, latest, ok, err := readLatest([]byte{}, nil, key, get)
	if err == nil && ok && latest <= to {
		list = append(list, held{version{latest, value}, ValidNow})
	}
	return list, err
}

func (r *versionRow) appendHeld(list []held, from, to int64) []held {
	at, end := len(list), r.next
	for _, v := range r.versions {
		if v.value != nil && v.from <= to && end > from {
			list = append(list, held{v, end})
		}
		end = v.from
	}
	slices.Reverse(list[at:])
	return list
}

// expired tells whether a record is too old to be put.
func (s *versionedBytes) expired(t int64) bool { return t < s.observed.Load()-s.history }

func (s *versionedBytes) observe(t int64) {
	if t > s.observed.Load() {
		s.observed.Store(t)
	}
}

// put makes a value hold from a time on; nil deletes.
func (s *versionedBytes) put(key, value []byte, t int64) (validTo int64, err error) {
	if s.expired(t) {
		s.host.Dropped()
		return NotPut, nil
	}
	s.observe(t)
	return s.place(key, value, t, s.observed.Load())
}

// restore puts changelog records as they were put first, but drops segments as
// of the end of the batch.
func (s *versionedBytes) restore(batch []Change) error {
	end := s.observed.Load()
	for i := range batch {
		end = max(end, batch[i].Timestamp)
	}
	for i := range batch {
		c := &batch[i]
		if c.Key == nil || s.expired(c.Timestamp) {
			continue
		}
		s.observe(c.Timestamp)
		if _, err := s.place(c.Key, c.Value, c.Timestamp, end); err != nil {
			return err
		}
	}
	return nil
}
