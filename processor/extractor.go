package processor

import (
	"fmt"
	"time"

	"github.com/millrace/millrace/record"
)

// Message is an input record as a timestamp extractor sees it. Key and Value
// are nil for null.
type Message struct {
	Topic      string
	Partition  int32
	Offset     int64
	Key, Value any
	// Timestamp is the one the broker holds, in milliseconds; may be -1.
	Timestamp int64
	Headers   *record.Headers
}

// TimestampExtractor finds the event time of an input record in milliseconds.
// A negative result drops the record with a warning and a count; an error
// fails the task. partitionTime is the highest timestamp already processed
// from the record's partition, -1 before the first.
type TimestampExtractor interface {
	Extract(m *Message, partitionTime int64) (int64, error)
}

// TimestampFunc is a function as a [TimestampExtractor].
type TimestampFunc func(m *Message, partitionTime int64) (int64, error)

// Extract implements [TimestampExtractor].
func (f TimestampFunc) Extract(m *Message, partitionTime int64) (int64, error) {
	return f(m, partitionTime)
}

type embedded struct {
	invalid func(m *Message, partitionTime int64) (int64, error)
}

func (e embedded) Extract(m *Message, partitionTime int64) (int64, error) {
	if m.Timestamp < 0 {
		return e.invalid(m, partitionTime)
	}
	return m.Timestamp, nil
}

// EmbeddedTimestamp reports whether the extractor takes a valid timestamp of
// the record as it is, so that a source need not show it key and value.
func EmbeddedTimestamp(x TimestampExtractor) bool {
	_, ok := x.(embedded)
	return ok
}

// FailOnInvalidTimestamp takes the record's own timestamp and fails on a
// negative one. It is the default.
var FailOnInvalidTimestamp TimestampExtractor = embedded{failOnInvalid}

// LogAndSkipOnInvalidTimestamp takes the record's own timestamp and drops a
// record with a negative one.
var LogAndSkipOnInvalidTimestamp TimestampExtractor = embedded{func(m *Message, _ int64) (int64, error) {
	return m.Timestamp, nil
}}

// UsePartitionTimeOnInvalidTimestamp takes the partition time for a record with
// a negative timestamp, and fails while that is unknown.
var UsePartitionTimeOnInvalidTimestamp TimestampExtractor = embedded{usePartitionTime}

// WallclockTimestamp ignores the record and takes the system time.
var WallclockTimestamp TimestampExtractor = TimestampFunc(func(*Message, int64) (int64, error) {
	return time.Now().UnixMilli(), nil
})

func failOnInvalid(m *Message, _ int64) (int64, error) {
	return 0, &StreamsError{Msg: fmt.Sprintf("record %s-%d@%d has the negative timestamp %d, "+
		"perhaps because a producer older than Kafka 0.10 wrote it: choose another timestamp extractor with with.Timestamps to process it",
		m.Topic, m.Partition, m.Offset, m.Timestamp)}
}

func usePartitionTime(m *Message, partitionTime int64) (int64, error) {
	if partitionTime < 0 {
		return 0, &StreamsError{Msg: fmt.Sprintf("record %s-%d@%d has the negative timestamp %d and its partition has no time yet",
			m.Topic, m.Partition, m.Offset, m.Timestamp)}
	}
	return partitionTime, nil
}
