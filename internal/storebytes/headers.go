package storebytes

import (
	"fmt"

	"github.com/millrace/millrace/record"
)

// AppendHeaders appends the header block of KIP-1271: nothing at all without
// headers, else `varint count ‖ (varint keyLen ‖ key ‖ varint valueLen ‖
// value)*`, with valueLen -1 for a null value. The block does not say its own
// length; AppendTimedWithHeaders puts it in front.
func AppendHeaders(dst []byte, h *record.Headers) []byte {
	if h.Len() == 0 {
		return dst
	}
	dst = AppendVarint(dst, h.Len())
	for _, e := range h.All() {
		dst = AppendVarint(dst, len(e.Key))
		dst = append(dst, e.Key...)
		if e.Value == nil {
			dst = AppendVarint(dst, -1)
			continue
		}
		dst = AppendVarint(dst, len(e.Value))
		dst = append(dst, e.Value...)
	}
	return dst
}

// HeadersSize returns the number of bytes AppendHeaders appends.
func HeadersSize(h *record.Headers) int {
	if h.Len() == 0 {
		return 0
	}
	size := varintSize(h.Len())
	for _, e := range h.All() {
		size += varintSize(len(e.Key)) + len(e.Key)
		if e.Value == nil {
			size++
		} else {
			size += varintSize(len(e.Value)) + len(e.Value)
		}
	}
	return size
}

// varintSize is the size of the zig-zag varint of n, which is not negative.
func varintSize(n int) int {
	size := 1
	for v := uint64(n) << 1; v >= 0x80; v >>= 7 {
		size++
	}
	return size
}

// ParseHeaders reads a whole header block; an empty one gives no headers. Keys
// and values are copied.
func ParseHeaders(block []byte) (*record.Headers, error) {
	h := record.NewHeaders()
	if len(block) == 0 {
		return h, nil
	}
	count, rest, err := ReadVarint(block)
	if err != nil {
		return nil, fmt.Errorf("header count: %w", err)
	}
	for i := range count {
		var key, value []byte
		if key, value, rest, err = readHeader(rest); err != nil {
			return nil, fmt.Errorf("header %d of %d: %w", i, count, err)
		}
		h.Add(string(key), value)
	}
	return h, nil
}

// readHeader reads one header; value is a copy, nil for null.
func readHeader(data []byte) (key, value, rest []byte, err error) {
	n, rest, err := readLength(data)
	if err != nil {
		return nil, nil, nil, err
	}
	key, rest = rest[:n], rest[n:]
	n, rest, err = ReadVarint(rest)
	if err != nil || n == -1 {
		return key, nil, rest, err
	}
	if n < 0 || n > len(rest) {
		return nil, nil, nil, errTruncated
	}
	return key, append([]byte{}, rest[:n]...), rest[n:], nil
}
