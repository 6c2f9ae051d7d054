package window

import (
	"encoding/binary"
	"fmt"
)

const (
	timeSize = 8
	seqSize  = 4
)

// AppendStoreKey appends the key of a window store and of its changelog (Java's
// WindowKeySchema): the bytes of the key, the start in eight bytes, the sequence
// number in four. seq is 0 for stores that keep one value per key and window.
func AppendStoreKey(dst, key []byte, start int64, seq int32) []byte {
	dst = append(dst, key...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(start))
	return binary.BigEndian.AppendUint32(dst, uint32(seq))
}

// ParseStoreKey takes apart what [AppendStoreKey] wrote. The key is part of
// data.
func ParseStoreKey(data []byte) (key []byte, start int64, seq int32, err error) {
	at := len(data) - timeSize - seqSize
	if at < 0 {
		return nil, 0, 0, shortKey("window store key", timeSize+seqSize, data)
	}
	start = int64(binary.BigEndian.Uint64(data[at:]))
	seq = int32(binary.BigEndian.Uint32(data[at+timeSize:]))
	return data[:at:at], start, seq, nil
}

// AppendTimeFirstKey appends the key of a store that is ordered by time (Java's
// TimeFirstWindowKeySchema), which also is the changelog key of the buffer of a
// stream-table join with grace: a zero byte, the time in eight bytes, the bytes
// of the key, the sequence number in four bytes.
func AppendTimeFirstKey(dst, key []byte, time int64, seq int32) []byte {
	dst = append(dst, 0)
	dst = binary.BigEndian.AppendUint64(dst, uint64(time))
	dst = append(dst, key...)
	return binary.BigEndian.AppendUint32(dst, uint32(seq))
}

// ParseTimeFirstKey takes apart what [AppendTimeFirstKey] wrote. The key is part
// of data.
func ParseTimeFirstKey(data []byte) (key []byte, time int64, seq int32, err error) {
	at := len(data) - seqSize
	if at < 1+timeSize {
		return nil, 0, 0, shortKey("time-first key", 1+timeSize+seqSize, data)
	}
	if data[0] != 0 {
		return nil, 0, 0, fmt.Errorf("parse time-first key: wanted 0 in front, got byte 0x%02x", data[0])
	}
	time = int64(binary.BigEndian.Uint64(data[1:]))
	seq = int32(binary.BigEndian.Uint32(data[at:]))
	return data[1+timeSize : at : at], time, seq, nil
}

// AppendSessionKey appends the key of a session store and of its changelog
// (Java's SessionKeySchema): the bytes of the key, then the end, then the start,
// eight bytes each.
func AppendSessionKey(dst, key []byte, start, end int64) []byte {
	return appendSession(append(dst, key...), start, end)
}

func appendSession(dst []byte, start, end int64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(end))
	return binary.BigEndian.AppendUint64(dst, uint64(start))
}

// ParseSessionKey takes apart what [AppendSessionKey] wrote. The key is part of
// data.
func ParseSessionKey(data []byte) (key []byte, span Span, err error) {
	at := len(data) - 2*timeSize
	if at < 0 {
		return nil, Span{}, shortKey("session key", 2*timeSize, data)
	}
	span.End = int64(binary.BigEndian.Uint64(data[at:]))
	span.Start = int64(binary.BigEndian.Uint64(data[at+timeSize:]))
	return data[:at:at], span, nil
}

func shortKey(what string, least int, data []byte) error {
	return fmt.Errorf("parse %s: wanted at least %d bytes, got %d", what, least, len(data))
}
