package with

import "github.com/millrace/millrace/internal/dsl"

// PartitionerOption is the option made by [Partitioner].
type PartitionerOption struct{ set func(*dsl.Options) }

// ForSink implements [Sink].
func (o PartitionerOption) ForSink(to *dsl.Options) { o.set(to) }

// ForRepartition implements [Repartition].
func (o PartitionerOption) ForRepartition(to *dsl.Options) { o.set(to) }

// ForForeignJoin implements [ForeignJoin].
func (o PartitionerOption) ForForeignJoin(to *dsl.Options) { o.set(to) }

// Partitioner chooses the partitions of outgoing records: a
// processor.Partitioner of the operator's key and value types. Without it the
// hash of the key decides, or of the inner key of a window.
//
// For a foreign-key join it is a processor.Partitioner of the left table's keys
// and struct{}, whose records have no value: it chooses the one partition that
// an answer goes to, as the left table's topic is partitioned. See also
// [OtherPartitioner].
func Partitioner(p any) PartitionerOption {
	return PartitionerOption{func(to *dsl.Options) { to.Partitioner = p }}
}

// RepartitionOption is an option of Repartition only.
type RepartitionOption struct{ set func(*dsl.Options) }

// ForRepartition implements [Repartition].
func (o RepartitionOption) ForRepartition(to *dsl.Options) { o.set(to) }

// Partitions sets the number of partitions of the repartition topic; without
// it, it follows from the topics above (Java: withNumberOfPartitions). n is at
// least 1.
func Partitions(n int32) RepartitionOption {
	return RepartitionOption{func(to *dsl.Options) { to.Partitions = &n }}
}

// SinkOption is an option of To and ToFunc only.
type SinkOption struct{ set func(*dsl.Options) }

// ForSink implements [Sink].
func (o SinkOption) ForSink(to *dsl.Options) { o.set(to) }

// TopicText is what stands for the computed topic of ToFunc in descriptions of
// the topology, by default the function's name.
func TopicText(text string) SinkOption {
	return SinkOption{func(to *dsl.Options) { to.TopicText = text }}
}
