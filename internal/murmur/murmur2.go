// Package murmur holds the two hash functions whose results Kafka makes
// visible: MurmurHash2, which chooses the partition of a key, and MurmurHash3
// with 128 bits, which a foreign-key join sends along to recognise the row it
// asked about. It knows bytes only, neither records nor topics.
package murmur

import "encoding/binary"

const (
	seed2  = 0x9747b28c
	mix2   = 0x5bd1e995
	shift2 = 24
)

// Murmur2 is MurmurHash2 with Kafka's seed (Java's Utils.murmur2, as an
// unsigned number).
func Murmur2(key []byte) uint32 {
	h := seed2 ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := binary.LittleEndian.Uint32(key) * mix2
		k ^= k >> shift2
		h = h*mix2 ^ k*mix2
	}
	switch len(key) {
	case 3:
		h ^= uint32(key[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(key[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(key[0])) * mix2
	}
	h ^= h >> 13
	h *= mix2
	return h ^ h>>15
}

// Partition returns the partition, 0 to n-1, that Java's default partitioner
// (BuiltInPartitioner.partitionForKey) gives a key that is not null. n is the
// number of partitions and must be positive. The sign bit of the hash is masked
// out, as in Java, not negated.
func Partition(key []byte, n int32) int32 {
	return int32(Murmur2(key)&0x7fffffff) % n
}
