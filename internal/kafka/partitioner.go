package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/internal/murmur"
)

// partitioner takes the partition that the record names; where it names none
// ([ChoosePartition]) it hashes the key as Java's default partitioner does and
// spreads null keys, one partition per batch.
type partitioner struct{}

func (partitioner) ForTopic(topic string) kgo.TopicPartitioner {
	byKey := kgo.StickyKeyPartitioner(func(key []byte, n int) int {
		return int(murmur.Partition(key, int32(n)))
	})
	return &topicPartitioner{byKey.ForTopic(topic)}
}

type topicPartitioner struct{ byKey kgo.TopicPartitioner }

// RequiresConsistency says that a record must not go elsewhere when its
// partition is unavailable.
func (t *topicPartitioner) RequiresConsistency(r *kgo.Record) bool {
	return r.Partition >= 0 || t.byKey.RequiresConsistency(r)
}

func (t *topicPartitioner) Partition(r *kgo.Record, n int) int {
	if r.Partition >= 0 {
		return int(r.Partition)
	}
	return t.byKey.Partition(r, n)
}

// OnNewBatch moves null keys to another partition.
func (t *topicPartitioner) OnNewBatch() {
	if nb, ok := t.byKey.(kgo.TopicPartitionerOnNewBatch); ok {
		nb.OnNewBatch()
	}
}
