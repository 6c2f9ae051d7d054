package statestore

import (
	"encoding/binary"
	"math"
)

// unknown stands for the end of a version whose successor was not found yet.
const unknown int64 = math.MinInt64

// place puts a version where it belongs: as the latest, into the row of a
// segment, or between rows (Java: doPut).
func (s *versionedBytes) place(key, value []byte, t, streamTime int64) (validTo int64, err error) {
	if err := s.segs.expire(streamTime); err != nil {
		return 0, err
	}
	next, done, err := s.placeLatest(key, value, t, streamTime)
	if err == nil && !done {
		next, done, err = s.placeInside(key, value, t, streamTime, next)
	}
	if err == nil && !done {
		next, err = s.placeBetween(key, value, t, streamTime, next)
	}
	if err != nil {
		return 0, err
	}
	if next == unknown {
		return ValidNow, nil
	}
	return next, nil
}

func (s *versionedBytes) get(dst, key []byte, id int64) ([]byte, bool, error) {
	s.key = segmentKey(s.key[:0], id, key)
	return s.segs.kv.Get(dst, s.key)
}

// change reads the row of a segment, lets it be changed and writes it back. A
// missing row is handed over as nil.
func (s *versionedBytes) change(key []byte, id int64, f func(r *versionRow) (*versionRow, error)) error {
	data, ok, err := s.get(s.row[:0], key, id)
	s.row = data
	if err != nil {
		return err
	}
	var row *versionRow
	if ok {
		r, err := parseVersions(data)
		if err != nil {
			return err
		}
		row = &r
	}
	row, err = f(row)
	if err != nil || row == nil {
		return err
	}
	return s.write(key, id, row)
}

func (s *versionedBytes) write(key []byte, id int64, r *versionRow) error {
	s.out = r.append(s.out[:0])
	s.key = segmentKey(s.key[:0], id, key)
	return s.segs.kv.Put(s.key, s.out)
}

// setLatest writes or deletes the latest version.
func (s *versionedBytes) setLatest(key, value []byte, t int64) error {
	s.key = latestKey(s.key[:0], key)
	if value == nil {
		return s.segs.kv.Put(s.key, nil)
	}
	s.out = append(binary.BigEndian.AppendUint64(s.out[:0], uint64(t)), value...)
	return s.segs.kv.Put(s.key, s.out)
}

// append puts a version that ended into a segment, behind all of its row.
func (s *versionedBytes) append(key []byte, id, from, to int64, value []byte) error {
	return s.change(key, id, func(r *versionRow) (*versionRow, error) {
		if r == nil {
			fresh := newVersions(value, from, to)
			return &fresh, nil
		}
		r.insertAsLatest(from, to, value)
		return r, nil
	})
}

// placeLatest replaces the latest version by a later one. The old one moves to
// the segment of the time at which it ends, if that is still live.
func (s *versionedBytes) placeLatest(key, value []byte, t, streamTime int64) (next int64, done bool, err error) {
	s.key = latestKey(s.key[:0], key)
	var ok bool
	s.latest, ok, err = s.segs.kv.Get(s.latest[:0], s.key)
	if err != nil || !ok {
		return unknown, false, err
	}
	from, old, err := splitLatest(s.latest)
	if err != nil {
		return unknown, false, err
	}
	if t < from {
		return from, false, nil
	}
	if t > from {
		id := s.segs.id(t)
		live, err := s.segs.live(id, streamTime)
		if err == nil && live {
			err = s.append(key, id, from, t, old)
		}
		if err != nil {
			return unknown, false, err
		}
	}
	return unknown, true, s.setLatest(key, value, t)
}

// placeInside looks for the row whose versions surround the time, from the
// newest segment down.
func (s *versionedBytes) placeInside(key, value []byte, t, streamTime, next int64) (end int64, done bool, err error) {
	for _, id := range s.segs.between(t, math.MaxInt64, true) {
		data, ok, err := s.get(s.row[:0], key, id)
		s.row = data
		if err != nil {
			return 0, false, err
		}
		if !ok {
			continue
		}
		rowNext, rowMin, err := versionBounds(data)
		switch {
		case err != nil:
			return 0, false, err
		case rowNext <= t:
			return next, false, nil
		case rowMin <= t:
			end, err := s.placeInRow(key, value, t, streamTime, id, data)
			return end, true, err
		case rowMin < streamTime-s.history:
			// The version would end before the history retention.
			return NotPut, true, nil
		}
		next = rowMin
	}
	return next, false, nil
}

// placeInRow puts a version between those of a row. The version it cuts short
// moves to the segment of its new end, if that is another one.
func (s *versionedBytes) placeInRow(key, value []byte, t, streamTime, id int64, data []byte) (validTo int64, err error) {
	r, err := parseVersions(data)
	if err != nil {
		return 0, err
	}
	i, validTo := r.find(t)
	found := r.versions[i]
	own := s.segs.id(t)
	switch {
	case found.from == t:
		r.update(i, version{t, value})
	case own == id:
		r.insert(i, version{t, value})
	default:
		older := append([]byte(nil), found.value...)
		if found.value == nil {
			older = nil
		} else if older == nil {
			older = []byte{}
		}
		r.update(i, version{t, value})
		if err := s.write(key, id, &r); err != nil {
			return 0, err
		}
		live, err := s.segs.live(own, streamTime)
		if err == nil && live {
			err = s.append(key, own, found.from, t, older)
		}
		return validTo, err
	}
	return validTo, s.write(key, id, &r)
}

// placeBetween puts a version that no row surrounds: before all rows later than
// it, or as the latest if there is nothing later.
func (s *versionedBytes) placeBetween(key, value []byte, t, streamTime, next int64) (int64, error) {
	if next == unknown {
		if value != nil {
			return next, s.setLatest(key, value, t)
		}
		return s.placeTombstone(key, t, streamTime)
	}
	id := s.segs.id(next)
	live, err := s.segs.live(id, streamTime)
	if err != nil {
		return 0, err
	}
	if !live {
		return NotPut, nil
	}
	return next, s.change(key, id, func(r *versionRow) (*versionRow, error) {
		switch {
		case r == nil:
			fresh := newVersions(value, t, next)
			return &fresh, nil
		case r.next <= t:
			r.insertAsLatest(t, next, value)
		default:
			r.insertAsEarliest(t, value)
		}
		return r, nil
	})
}

// placeTombstone notes the deletion of a key without a latest version.
func (s *versionedBytes) placeTombstone(key []byte, t, streamTime int64) (int64, error) {
	id := s.segs.id(t)
	live, err := s.segs.live(id, streamTime)
	if err != nil {
		return 0, err
	}
	if !live {
		return NotPut, nil
	}
	return unknown, s.change(key, id, func(r *versionRow) (*versionRow, error) {
		switch {
		case r == nil:
			fresh := newVersions(nil, t, t)
			return &fresh, nil
		case r.next == t:
			return nil, nil
		}
		r.insertAsLatest(r.next, t, nil)
		return r, nil
	})
}
