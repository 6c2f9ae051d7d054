package serde

import (
	"encoding/binary"
	"math"
)

// Float32 is Java's FloatSerde: the IEEE-754 bits, big-endian. The payload of
// a NaN is kept, as Java keeps it for floats.
func Float32() Serde[float32] { return float32Serde{} }

// Float64 is Java's DoubleSerde: the IEEE-754 bits, big-endian. Every NaN is
// written as 7ff8000000000000 (Double.doubleToLongBits); reading keeps the bits.
func Float64() Serde[float64] { return float64Serde{} }

const canonicalNaN = 0x7ff8000000000000

type float32Serde struct{}

func (float32Serde) Append(dst []byte, _ string, v float32) ([]byte, error) {
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(v)), nil
}

func (s float32Serde) Decode(_ string, data []byte) (float32, error) {
	if len(data) != 4 {
		return 0, &LengthError{Type: s.String(), Want: 4, Got: len(data)}
	}
	return math.Float32frombits(binary.BigEndian.Uint32(data)), nil
}

func (float32Serde) String() string { return "float32" }
func (float32Serde) fixedSize() int { return 4 }

type float64Serde struct{}

func (float64Serde) Append(dst []byte, _ string, v float64) ([]byte, error) {
	bits := math.Float64bits(v)
	if v != v {
		bits = canonicalNaN
	}
	return binary.BigEndian.AppendUint64(dst, bits), nil
}

func (s float64Serde) Decode(_ string, data []byte) (float64, error) {
	if len(data) != 8 {
		return 0, &LengthError{Type: s.String(), Want: 8, Got: len(data)}
	}
	return math.Float64frombits(binary.BigEndian.Uint64(data)), nil
}

func (float64Serde) String() string { return "float64" }
func (float64Serde) fixedSize() int { return 8 }
