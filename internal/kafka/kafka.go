// Package kafka is the narrow seam to the Kafka client library franz-go: the
// group consumer, the producer, the admin calls and the reader that restores
// state. It owns how requests are made, retried and named when they fail, and
// it alone imports kgo, kadm and kmsg; none of their types shows in its API.
//
// It refuses to know tasks, stores and topologies: it moves bytes, offsets and
// opaque user data. What a group's leader decides is asked of an [Assignor],
// what happens to partitions is told to a [Listener].
package kafka

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/millrace/millrace/record"
)

// TopicPartition names one partition of a topic.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String returns Java's form, topic-partition.
func (tp TopicPartition) String() string { return fmt.Sprintf("%s-%d", tp.Topic, tp.Partition) }

// Compare orders by topic, then by partition number.
func (tp TopicPartition) Compare(o TopicPartition) int {
	if c := cmp.Compare(tp.Topic, o.Topic); c != 0 {
		return c
	}
	return cmp.Compare(tp.Partition, o.Partition)
}

// Batch is what one fetch brought for one partition.
type Batch struct {
	TopicPartition
	// Records in offset order, without control records; may be empty when
	// only transaction markers or removed records were passed.
	// They share memory with the fetched batch and must not be written to.
	Records []record.Raw
	// Next is the position after this batch: one past the last offset seen,
	// transaction markers included, as the Java consumer counts.
	Next int64
	// Epoch is the leader epoch at Next, -1 if unknown.
	Epoch int32
	// HighWatermark, LastStable and LogStart describe the partition at the
	// time of the fetch; -1 if unknown.
	HighWatermark, LastStable, LogStart int64
	// Reset says that the position jumped to Next because the old one was
	// out of range; the batch then has no records.
	Reset bool
	// Err is set when the partition could not be read; see [Retriable].
	Err error
}

// OffsetAndMeta is a committed offset: the offset of the next record to
// process and the metadata string stored with it.
type OffsetAndMeta struct {
	Offset int64
	// LeaderEpoch of the last processed record, -1 if unknown.
	LeaderEpoch int32
	Metadata    string
}

// flatten turns kgo's map of partitions into a sorted list.
func flatten(m map[string][]int32) []TopicPartition {
	var out []TopicPartition
	for topic, ps := range m {
		for _, p := range ps {
			out = append(out, TopicPartition{topic, p})
		}
	}
	slices.SortFunc(out, TopicPartition.Compare)
	return out
}

// nest is the inverse of flatten.
func nest(tps []TopicPartition) map[string][]int32 {
	m := make(map[string][]int32)
	for _, tp := range tps {
		m[tp.Topic] = append(m[tp.Topic], tp.Partition)
	}
	return m
}
