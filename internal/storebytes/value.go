package storebytes

import (
	"encoding/binary"
	"fmt"

	"github.com/millrace/millrace/record"
)

// TimestampSize is the number of bytes a timestamp takes in front of a value.
const TimestampSize = 8

// AppendTimed appends a timestamped value, `i64 timestamp ‖ raw`, as local
// stores of tables hold it. The timestamp is in milliseconds; -1 marks a value
// that came from a store without timestamps. A null value has no timestamped
// form: it is a delete.
func AppendTimed(dst []byte, timestamp int64, raw []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(timestamp))
	return append(dst, raw...)
}

// SplitTimed undoes AppendTimed.
func SplitTimed(data []byte) (timestamp int64, raw []byte, err error) {
	timestamp, raw, err = readInt64(data)
	if err != nil {
		err = fmt.Errorf("timestamped value of %d bytes: %w", len(data), err)
	}
	return timestamp, raw, err
}

// AppendTimedWithHeaders appends a value of the header-aware key-value and
// window stores, `varint n ‖ header block of n bytes ‖ i64 timestamp ‖ raw`.
func AppendTimedWithHeaders(dst []byte, h *record.Headers, timestamp int64, raw []byte) []byte {
	dst = appendSizedHeaders(dst, h)
	return AppendTimed(dst, timestamp, raw)
}

// SplitTimedWithHeaders undoes AppendTimedWithHeaders. The header block is
// left unparsed, see ParseHeaders.
func SplitTimedWithHeaders(data []byte) (block []byte, timestamp int64, raw []byte, err error) {
	block, rest, err := SplitHeaders(data)
	if err != nil {
		return nil, 0, nil, err
	}
	timestamp, raw, err = SplitTimed(rest)
	return block, timestamp, raw, err
}

// AppendWithHeaders appends a value of the header-aware session store, which
// has no timestamp: `varint n ‖ header block of n bytes ‖ raw`.
func AppendWithHeaders(dst []byte, h *record.Headers, raw []byte) []byte {
	return append(appendSizedHeaders(dst, h), raw...)
}

// SplitHeaders splits off the header block that `varint n` announces; rest is
// the value of a session store, or timestamp and value of the other kinds.
func SplitHeaders(data []byte) (block, rest []byte, err error) {
	n, rest, err := readLength(data)
	if err != nil {
		return nil, nil, fmt.Errorf("header block of a value of %d bytes: %w", len(data), err)
	}
	return rest[:n:n], rest[n:], nil
}

func appendSizedHeaders(dst []byte, h *record.Headers) []byte {
	return AppendHeaders(AppendVarint(dst, HeadersSize(h)), h)
}
