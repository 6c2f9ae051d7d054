package serde

import (
	"encoding/binary"
	"fmt"
)

// fixedSize marks the serdes whose entries a list stores without lengths. It
// is Java's closed set of classes (ListSerializer.FIXED_LENGTH_SERIALIZERS): a
// serde of the user's is never in it, whatever the length of its output.
type fixedSize interface{ fixedSize() int }

// Int16 is Java's ShortSerde: two bytes, big-endian.
func Int16() Serde[int16] { return int16Serde{} }

// Int32 is Java's IntegerSerde: four bytes, big-endian.
func Int32() Serde[int32] { return int32Serde{} }

// Int64 is Java's LongSerde: eight bytes, big-endian.
func Int64() Serde[int64] { return int64Serde{} }

// Int writes a Go int as Java's Long (eight bytes, big-endian), not as its
// Integer: a Go int may hold more than four bytes do. Where int has 32 bits,
// reading a larger number is an error.
func Int() Serde[int] { return intSerde{} }

// Bool is Java's BooleanSerde: one byte, 1 or 0. Any other byte is an error.
func Bool() Serde[bool] { return boolSerde{} }

type int16Serde struct{}

func (int16Serde) Append(dst []byte, _ string, v int16) ([]byte, error) {
	return binary.BigEndian.AppendUint16(dst, uint16(v)), nil
}

func (s int16Serde) Decode(_ string, data []byte) (int16, error) {
	if len(data) != 2 {
		return 0, &LengthError{Type: s.String(), Want: 2, Got: len(data)}
	}
	return int16(binary.BigEndian.Uint16(data)), nil
}

func (int16Serde) String() string { return "int16" }
func (int16Serde) fixedSize() int { return 2 }

type int32Serde struct{}

func (int32Serde) Append(dst []byte, _ string, v int32) ([]byte, error) {
	return binary.BigEndian.AppendUint32(dst, uint32(v)), nil
}

func (s int32Serde) Decode(_ string, data []byte) (int32, error) {
	if len(data) != 4 {
		return 0, &LengthError{Type: s.String(), Want: 4, Got: len(data)}
	}
	return int32(binary.BigEndian.Uint32(data)), nil
}

func (int32Serde) String() string { return "int32" }
func (int32Serde) fixedSize() int { return 4 }

type int64Serde struct{}

func (int64Serde) Append(dst []byte, _ string, v int64) ([]byte, error) {
	return binary.BigEndian.AppendUint64(dst, uint64(v)), nil
}

func (s int64Serde) Decode(_ string, data []byte) (int64, error) {
	if len(data) != 8 {
		return 0, &LengthError{Type: s.String(), Want: 8, Got: len(data)}
	}
	return int64(binary.BigEndian.Uint64(data)), nil
}

func (int64Serde) String() string { return "int64" }
func (int64Serde) fixedSize() int { return 8 }

type intSerde struct{}

func (intSerde) Append(dst []byte, _ string, v int) ([]byte, error) {
	return binary.BigEndian.AppendUint64(dst, uint64(int64(v))), nil
}

func (s intSerde) Decode(_ string, data []byte) (int, error) {
	if len(data) != 8 {
		return 0, &LengthError{Type: s.String(), Want: 8, Got: len(data)}
	}
	n := int64(binary.BigEndian.Uint64(data))
	if int64(int(n)) != n {
		return 0, fmt.Errorf("decode int: %d does not fit an int of this platform", n)
	}
	return int(n), nil
}

func (intSerde) String() string { return "int" }
func (intSerde) fixedSize() int { return 8 }

type boolSerde struct{}

func (boolSerde) Append(dst []byte, _ string, v bool) ([]byte, error) {
	if v {
		return append(dst, 1), nil
	}
	return append(dst, 0), nil
}

func (s boolSerde) Decode(_ string, data []byte) (bool, error) {
	if len(data) != 1 {
		return false, &LengthError{Type: s.String(), Want: 1, Got: len(data)}
	}
	if data[0] > 1 {
		return false, fmt.Errorf("decode bool: wanted 0 or 1, got byte 0x%02x", data[0])
	}
	return data[0] == 1, nil
}

func (boolSerde) String() string { return "bool" }
