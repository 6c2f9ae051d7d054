package serde

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

const uuidTextLen = 36

// UUID is Java's UUIDSerde: the 36 characters of the canonical lower-case text,
// not the 16 bytes. Reading accepts what [ParseUUID] accepts.
func UUID() Serde[[16]byte] { return uuidSerde[[16]byte]{} }

// UUIDOf is [UUID] for a named type over [16]byte, such as the UUID types of
// other modules.
func UUIDOf[T ~[16]byte]() Serde[T] { return uuidSerde[T]{} }

type uuidSerde[T ~[16]byte] struct{}

func (uuidSerde[T]) Append(dst []byte, _ string, v T) ([]byte, error) {
	return appendUUID(dst, v), nil
}

func (uuidSerde[T]) Decode(_ string, data []byte) (T, error) {
	if id, ok := parseCanonical(data); ok {
		return T(id), nil
	}
	id, err := ParseUUID(string(data))
	if err != nil {
		return T{}, fmt.Errorf("decode uuid: %w", err)
	}
	return T(id), nil
}

func (uuidSerde[T]) String() string { return "uuid" }
func (uuidSerde[T]) fixedSize() int { return uuidTextLen }

// FormatUUID returns the canonical lower-case text, as Java's UUID.toString.
func FormatUUID(id [16]byte) string { return string(appendUUID(nil, id)) }

func appendUUID(dst []byte, id [16]byte) []byte {
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, hexDigits[b>>4], hexDigits[b&15])
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// ParseUUID reads a UUID as leniently as Java's UUID.fromString: five groups of
// hexadecimal digits in either case; a short group is padded with zeros, of a
// long one the low digits count, and a group may begin with a plus sign. The
// text has at most 36 characters. Unlike Java it knows ASCII digits only.
func ParseUUID(text string) ([16]byte, error) {
	if id, ok := parseCanonical([]byte(text)); ok {
		return id, nil
	}
	var id [16]byte
	groups := strings.Split(text, "-")
	if len(text) > uuidTextLen || len(groups) != 5 {
		return id, fmt.Errorf("%q is not a uuid", text)
	}
	at := 0
	for i, size := range [5]int{4, 2, 2, 2, 6} {
		n, err := strconv.ParseInt(groups[i], 16, 64)
		if err != nil {
			return [16]byte{}, fmt.Errorf("%q is not a uuid: group %d: %w", text, i+1, err)
		}
		for k := at + size - 1; k >= at; k-- {
			id[k] = byte(n)
			n >>= 8
		}
		at += size
	}
	return id, nil
}

// parseCanonical reads the 36-character form, which is nearly all there is,
// without allocating.
func parseCanonical(text []byte) (id [16]byte, ok bool) {
	if len(text) != uuidTextLen || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	at := 0
	for _, span := range [5][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, 36}} {
		n, err := hex.Decode(id[at:], text[span[0]:span[1]])
		if err != nil {
			return [16]byte{}, false
		}
		at += n
	}
	return id, true
}
