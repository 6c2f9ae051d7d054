package murmur

import (
	"encoding/binary"
	"math/bits"
)

// Seed3 is the seed with which Kafka Streams hashes the left value of a
// foreign-key join.
const Seed3 = 104729

const (
	c1 = 0x87c37b91114253d5
	c2 = 0x4cf5ad432745937f
)

// Murmur3x64_128 is MurmurHash3, the variant of 128 bits for 64-bit machines,
// as two halves in the order in which they are written.
func Murmur3x64_128(data []byte, seed uint32) (h1, h2 uint64) {
	h1, h2 = uint64(seed), uint64(seed)
	size := uint64(len(data))
	for ; len(data) >= 16; data = data[16:] {
		h1 ^= scramble1(binary.LittleEndian.Uint64(data))
		h1 = bits.RotateLeft64(h1, 27) + h2
		h1 = h1*5 + 0x52dce729
		h2 ^= scramble2(binary.LittleEndian.Uint64(data[8:]))
		h2 = bits.RotateLeft64(h2, 31) + h1
		h2 = h2*5 + 0x38495ab5
	}
	// A tail behaves like a block filled up with zeros, which scramble to zero.
	var tail [16]byte
	copy(tail[:], data)
	h1 ^= scramble1(binary.LittleEndian.Uint64(tail[:]))
	h2 ^= scramble2(binary.LittleEndian.Uint64(tail[8:]))

	h1 ^= size
	h2 ^= size
	h1 += h2
	h2 += h1
	h1, h2 = finish(h1), finish(h2)
	h1 += h2
	h2 += h1
	return h1, h2
}

func scramble1(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }

func scramble2(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }

func finish(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
