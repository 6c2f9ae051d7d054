package statestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// versionRow holds the versions of a key that ended within one segment (Java:
// RocksDBVersionedStoreSegmentValueFormatter): `i64 next ‖ i64 min ‖ versions ‖
// values`. Versions are `i64 from ‖ i32 size`, newest first, size -1 for a
// deleted time; values come oldest first. A version holds until the next newer
// one, the newest until next. There is no count: the version that begins at min
// is the last.
//
// A row is degenerate if next is min: it says only that the key was deleted
// at that time.
type versionRow struct {
	next, min  int64
	degenerate bool
	versions   []version
}

// version is one of a row; a nil value is a deleted time.
type version struct {
	from  int64
	value []byte
}

const (
	rowHead     = 8 + 8
	versionHead = 8 + 4
)

var errVersionRow = errors.New("malformed row of versions")

// next and min of a row that is not read whole.
func versionBounds(data []byte) (next, min int64, err error) {
	if len(data) < rowHead+versionHead {
		return 0, 0, fmt.Errorf("%w: %d bytes", errVersionRow, len(data))
	}
	return int64(binary.BigEndian.Uint64(data)), int64(binary.BigEndian.Uint64(data[8:])), nil
}

// parseVersions reads a row. Values are parts of data.
func parseVersions(data []byte) (r versionRow, err error) {
	if r.next, r.min, err = versionBounds(data); err != nil {
		return r, err
	}
	r.degenerate = r.next == r.min
	end := len(data)
	for at := rowHead; ; at += versionHead {
		if at+versionHead > end {
			return versionRow{}, fmt.Errorf("%w: %d bytes without a version at %d", errVersionRow, len(data), r.min)
		}
		v := version{from: int64(binary.BigEndian.Uint64(data[at:]))}
		if n := int(int32(binary.BigEndian.Uint32(data[at+8:]))); n >= 0 {
			if at+versionHead > end-n {
				return versionRow{}, fmt.Errorf("%w: a value of %d bytes in %d", errVersionRow, n, len(data))
			}
			v.value = data[end-n : end : end]
			end -= n
		}
		r.versions = append(r.versions, v)
		if v.from == r.min {
			return r, nil
		}
	}
}

// newVersions is a row of one version, which holds from from to to.
func newVersions(value []byte, from, to int64) versionRow {
	return versionRow{next: to, min: from, degenerate: to == from, versions: []version{{from, value}}}
}

func (r *versionRow) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.next))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.min))
	for _, v := range r.versions {
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.from))
		size := int32(-1)
		if v.value != nil {
			size = int32(len(v.value))
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(size))
	}
	for _, v := range slices.Backward(r.versions) {
		dst = append(dst, v.value...)
	}
	return dst
}

// find returns the version that holds at a time, which lies in the row, and
// until when it does.
func (r *versionRow) find(t int64) (index int, to int64) {
	to = r.next
	for i, v := range r.versions {
		if v.from <= t || i == len(r.versions)-1 {
			return i, to
		}
		to = v.from
	}
	return 0, to
}

func (r *versionRow) insert(index int, v version) {
	r.versions = slices.Insert(r.versions, index, v)
	r.min = r.versions[len(r.versions)-1].from
}

// update replaces a version.
func (r *versionRow) update(index int, v version) {
	r.versions[index] = v
	r.min = r.versions[len(r.versions)-1].from
}

// insertAsLatest adds a version that holds from from to to, behind all others.
// A gap before it becomes a deleted time. Versions that should not be there,
// for a crash between two writes, make way.
func (r *versionRow) insertAsLatest(from, to int64, value []byte) {
	if from < r.next {
		r.truncate(from)
	}
	switch {
	case r.next == from && r.degenerate:
		*r = newVersions(value, from, to)
	case r.next == from:
		r.insert(0, version{from, value})
	default:
		if r.degenerate {
			*r = newVersions(nil, r.next, from)
		} else {
			r.insert(0, version{r.next, nil})
		}
		r.insert(0, version{from, value})
	}
	r.next = to
}

// insertAsEarliest adds a version in front of all others, which holds until the
// first of them.
func (r *versionRow) insertAsEarliest(from int64, value []byte) {
	if r.degenerate {
		*r = newVersions(value, from, r.next)
		return
	}
	r.insert(len(r.versions), version{from, value})
}

// truncate drops what lies at or behind a time.
func (r *versionRow) truncate(t int64) {
	if t <= r.min {
		*r = newVersions(nil, t, t)
		return
	}
	drop, _ := r.find(t)
	if r.versions[drop].from == t {
		drop++
	}
	r.versions, r.next = r.versions[drop:], t
}
