package statestore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/millrace/millrace/window"
)

// bounds are the first and last key, both inclusive and without a segment, that
// Java's stores look at for a query whose Earliest was raised to the retention
// already (the KeySchema classes). All rows that match lie between them, with
// the exceptions Java has: a negative time in front sorts behind all others.
// indexed says that they are those of the index.
func (l rowLayout) bounds(q *WindowQuery) (lower, upper []byte, indexed bool, err error) {
	keyed := q.Mode == QueryKey || q.Mode == QueryKeys
	switch {
	case l.order == KeyFirst:
		lower, upper, err = l.schema.bounds(q)
	case keyed && l.order == TimeFirstIndexed:
		indexed = true
		lower, upper, err = l.indexBounds(q)
	case l.schema == sessionSchema:
		lower, upper = sessionEndBounds(q)
	case q.Mode == QueryKey:
		lower = window.AppendTimeFirstKey(nil, q.Lower, max(0, q.Earliest), 0)
		upper = window.AppendTimeFirstKey(nil, q.Upper, q.Latest, math.MaxInt32)
	default:
		lower, upper = timeFirstBounds(q)
	}
	return lower, upper, indexed, err
}

// bounds of rows that lie under their store keys.
func (s rowSchema) bounds(q *WindowQuery) (lower, upper []byte, err error) {
	switch {
	case q.Mode == QueryTimes || q.Mode == QueryAll || q.Mode == QueryEnds:
		return nil, nil, nil
	case q.Mode == QueryKey && s == windowSchema:
		return window.AppendStoreKey(nil, q.Lower, max(0, q.Earliest), 0),
			window.AppendStoreKey(nil, q.Upper, q.Latest, math.MaxInt32), nil
	case q.Mode == QueryKey:
		if q.Latest < 0 {
			return nil, nil, fmt.Errorf("%w: latest start %d", window.ErrBounds, q.Latest)
		}
		return window.AppendSessionKey(nil, q.Lower, 0, max(0, q.Earliest)),
			window.AppendSessionKey(nil, q.Upper, q.Latest, math.MaxInt64), nil
	}
	if q.Lower != nil {
		lower = s.lowerRange(q.Lower)
	}
	if q.Upper != nil {
		upper = s.upperRange(q.Upper, q.Latest)
	}
	return lower, upper, nil
}

func (s rowSchema) lowerRange(key []byte) []byte { return s.append(nil, key, window.Span{}, 0) }

// upperRange is above every row of a key up to this one with a start up to the
// latest one.
func (s rowSchema) upperRange(key []byte, latest int64) []byte {
	suffix := s.append(nil, nil, window.Span{Start: latest, End: math.MaxInt64}, math.MaxInt32)
	if suffix[0] == 0 {
		return append(bytes.Clone(key), suffix...)
	}
	// A row of a shorter key may be larger than the whole key with this suffix:
	// the suffix goes behind the bytes that are not below its first one.
	n := 0
	for n < len(key) && (n < 1 || key[n] >= suffix[0]) {
		n++
	}
	return append(bytes.Clone(key[:n]), suffix...)
}

func (l rowLayout) indexBounds(q *WindowQuery) (lower, upper []byte, err error) {
	if lower, upper, err = l.schema.bounds(q); err != nil {
		return nil, nil, err
	}
	lower = append([]byte{indexPrefix}, lower...)
	if upper == nil {
		return lower, []byte{indexPrefix + 1}, nil
	}
	return lower, append([]byte{indexPrefix}, upper...), nil
}

// timeFirstBounds are those of time-ordered windows of several keys.
func timeFirstBounds(q *WindowQuery) (lower, upper []byte) {
	lower = binary.BigEndian.AppendUint64([]byte{rowPrefix}, uint64(q.Earliest))
	lower = append(lower, q.Lower...)
	if q.Upper == nil {
		return lower, []byte{rowPrefix + 1}
	}
	upper = binary.BigEndian.AppendUint64([]byte{rowPrefix}, uint64(q.Latest))
	upper = append(upper, bytes.Repeat([]byte{0xff}, len(q.Upper))...)
	return lower, binary.BigEndian.AppendUint32(upper, math.MaxInt32)
}

// sessionEndBounds are those of time-ordered sessions by their end.
func sessionEndBounds(q *WindowQuery) (lower, upper []byte) {
	lower = binary.BigEndian.AppendUint64([]byte{rowPrefix}, uint64(max(0, q.Earliest)))
	lower = binary.BigEndian.AppendUint64(lower, 0)
	if q.Latest == math.MaxInt64 {
		return lower, []byte{rowPrefix + 1}
	}
	upper = binary.BigEndian.AppendUint64([]byte{rowPrefix}, uint64(max(0, q.Latest+1)))
	return lower, binary.BigEndian.AppendUint64(upper, 0)
}
