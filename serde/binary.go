package serde

import (
	"errors"
)

// Bytes passes bytes through, as Java's ByteArraySerde, BytesSerde and
// ByteBufferSerde do. Reading copies. An empty value is not null; a nil slice
// is null, and appending it gives [ErrNull].
func Bytes() Serde[[]byte] { return bytesSerde{} }

type bytesSerde struct{}

func (bytesSerde) Append(dst []byte, _ string, v []byte) ([]byte, error) {
	if v == nil {
		return dst, ErrNull
	}
	return append(dst, v...), nil
}

func (bytesSerde) Decode(_ string, data []byte) ([]byte, error) {
	v := make([]byte, len(data))
	copy(v, data)
	return v, nil
}

func (bytesSerde) String() string { return "bytes" }

// None is the type of a key or value that is always null; nil is its value.
type None = *struct{}

// Void is Java's VoidSerde: everything is written as null, and anything but
// null is an error to read.
func Void() Serde[None] { return voidSerde{} }

type voidSerde struct{}

var errVoid = errors.New("decode void: wanted null, got bytes")

func (voidSerde) Append(dst []byte, _ string, _ None) ([]byte, error) { return dst, ErrNull }

func (voidSerde) Decode(string, []byte) (None, error) { return nil, errVoid }

func (voidSerde) String() string { return "void" }
