package processor

// FNV1a returns the partitioner of goka's emitters and processors (that of the
// Sarama client with its FNV hash), for topics that goka programs read: keys go
// to [FNV1aPartition], and a null key is left to the producer. The keys are
// taken as their bytes, so the sink's key serde must write them as they are.
func FNV1a[K ~string | ~[]byte, V any]() Partitioner[K, V] {
	return func(_ string, rec Record[K, V], partitions int32) ([]int32, bool) {
		if rec.KeyNull {
			return nil, true
		}
		p := FNV1aPartition(rec.Key, partitions)
		if int(p) < len(only) {
			return only[p : p+1 : p+1], false
		}
		return []int32{p}, false
	}
}

// FNV1aPartition returns the partition, 0 to partitions-1, that goka gives a
// key: the 32-bit FNV-1a hash of its bytes as a signed number, the remainder of
// the division by the number of partitions, and that without its sign.
// partitions must be positive. It differs from Java's rule in the hash and in
// how the sign is dropped.
func FNV1aPartition[K ~string | ~[]byte](key K, partitions int32) int32 {
	h := uint32(2166136261)
	for i := range len(key) {
		h ^= uint32(key[i])
		h *= 16777619
	}
	p := int32(h) % partitions
	return max(p, -p)
}

// only holds the partition numbers, of which a partitioner returns one in a
// slice without allocating it.
var only = func() (numbers [1024]int32) {
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}()
