package storebytes

import (
	"encoding/binary"
	"errors"
	"math"
)

// AppendVarint appends Kafka's zig-zag varint of a 32-bit number.
func AppendVarint(dst []byte, v int) []byte { return binary.AppendVarint(dst, int64(v)) }

// ReadVarint reads a zig-zag varint and returns it with the bytes behind it.
func ReadVarint(data []byte) (v int, rest []byte, err error) {
	n, size := binary.Varint(data)
	if size <= 0 || n < math.MinInt32 || n > math.MaxInt32 {
		return 0, nil, errors.New("malformed varint")
	}
	return int(n), data[size:], nil
}

// readLength reads a varint length that must fit into what follows it.
func readLength(data []byte) (n int, rest []byte, err error) {
	n, rest, err = ReadVarint(data)
	if err == nil && (n < 0 || n > len(rest)) {
		err = errTruncated
	}
	return n, rest, err
}

var errTruncated = errors.New("truncated")

func readInt32(data []byte) (int32, []byte, error) {
	if len(data) < 4 {
		return 0, nil, errTruncated
	}
	return int32(binary.BigEndian.Uint32(data)), data[4:], nil
}

func readInt64(data []byte) (int64, []byte, error) {
	if len(data) < 8 {
		return 0, nil, errTruncated
	}
	return int64(binary.BigEndian.Uint64(data)), data[8:], nil
}

// AppendBlob appends `i32 length ‖ bytes`; a nil b is length -1.
func AppendBlob(dst, b []byte) []byte {
	if b == nil {
		return binary.BigEndian.AppendUint32(dst, math.MaxUint32)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(b)))
	return append(dst, b...)
}

// ReadBlob reads what AppendBlob wrote; b is nil for length -1, and an empty
// slice that is not nil for length 0.
func ReadBlob(data []byte) (b, rest []byte, err error) {
	n, rest, err := readInt32(data)
	if err != nil || n == -1 {
		return nil, rest, err
	}
	if n < 0 || int(n) > len(rest) {
		return nil, nil, errTruncated
	}
	return rest[:n:n], rest[n:], nil
}
