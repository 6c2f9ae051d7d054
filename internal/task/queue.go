package task

import (
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// queue holds the buffered records of one input partition as bytes. Only its
// head is decoded (Java: RecordQueue).
//
// Taking a record loads its successor before the taken one is processed, so an
// undecodable successor fails the task first; the two places of processor.Head
// follow from that.
type queue struct {
	tp        TopicPartition
	source    string
	extractor processor.TimestampExtractor
	describe  bool // the extractor looks at key and value
	head      processor.Head
	loader    loader

	batches []batch
	size    int // records not yet loaded
	bytes   int // of all records not yet taken

	state   headState
	next    stamped
	taken   stamped
	lists   record.Lists
	message processor.Message
	// partitionTime is the highest timestamp taken so far, -1 before any.
	partitionTime int64
	// position is the offset after the last fetched record, as the consumer
	// has it; -1 before any fetch.
	position Position
}

// Position is where a consumer reads next.
type Position struct {
	Offset      int64
	LeaderEpoch int32
}

// batch is records of one topic as they were fetched. A queue of a pattern
// source may hold batches of several topics in the test driver.
type batch struct {
	topic string
	raws  []record.Raw
}

type headState int

const (
	headNone headState = iota
	headLoaded
	// headSkipped is a last record that was dropped: it only moves the offset.
	headSkipped
)

// stamped is a record with the timestamp the extractor gave it.
type stamped struct {
	raw       record.Raw
	topic     string
	timestamp int64
	headers   *record.Headers
	skipped   bool
}

// loader decides about records that cannot be loaded; it is the task.
type loader interface {
	// undecodable asks the deserialization handler; nil skips the record.
	undecodable(q *queue, topic string, raw *record.Raw, headers *record.Headers, err error) error
	// negative counts a record that was dropped for its timestamp.
	negative(q *queue, topic string, raw *record.Raw, timestamp int64)
}

func (q *queue) len() int {
	if q.state == headNone {
		return q.size
	}
	return q.size + 1
}

func (q *queue) empty() bool { return q.size == 0 && q.state == headNone }

// push adds records, which the queue keeps, and loads the head if there is none.
func (q *queue) push(topic string, raws []record.Raw) error {
	if len(raws) > 0 {
		q.batches = append(q.batches, batch{topic: topic, raws: raws})
		q.size += len(raws)
		for i := range raws {
			q.bytes += raws[i].Size(topic)
		}
	}
	return q.load()
}

// poll takes the head and loads the next one.
func (q *queue) poll() (*stamped, error) {
	q.lists.Done(q.taken.headers)
	q.taken = q.next
	q.taken.skipped = q.state == headSkipped
	if q.state == headLoaded {
		q.head.Take()
	}
	q.state = headNone
	q.bytes -= q.taken.raw.Size(q.taken.topic)
	q.partitionTime = max(q.partitionTime, q.taken.timestamp)
	return &q.taken, q.load()
}

// load decodes records until one may be the head. If all are dropped the last
// of them becomes a head that only moves the offset (KAFKA-6502).
func (q *queue) load() error {
	dropped := false
	for q.state == headNone && q.size > 0 {
		topic, raw := q.pop()
		if dropped {
			q.bytes -= q.next.raw.Size(q.next.topic)
			q.lists.Done(q.next.headers)
		}
		q.next = stamped{raw: raw, topic: topic, timestamp: -1, headers: q.lists.Of(raw.Headers)}
		ok, err := q.loadNext()
		if err != nil {
			return err
		}
		if ok {
			q.state = headLoaded
			return nil
		}
		dropped = true
	}
	if dropped {
		q.state = headSkipped
	}
	return nil
}

// loadNext decodes and stamps q.next; false means that it is dropped.
func (q *queue) loadNext() (bool, error) {
	n := &q.next
	if err := q.head.Load(n.topic, &n.raw, n.headers); err != nil {
		return false, q.loader.undecodable(q, n.topic, &n.raw, n.headers, err)
	}
	q.message = processor.Message{Topic: n.topic, Partition: q.tp.Partition, Offset: n.raw.Offset,
		Timestamp: n.raw.Timestamp, Headers: n.headers}
	if q.describe {
		q.head.Describe(&q.message)
	}
	ts, err := q.extractor.Extract(&q.message, q.partitionTime)
	if err != nil {
		return false, &processor.StreamsError{Msg: "timestamp extractor of source " + q.source + ", " + q.tp.String(), Err: err}
	}
	if ts < 0 {
		q.loader.negative(q, n.topic, &n.raw, ts)
		return false, nil
	}
	n.timestamp = ts
	return true, nil
}

func (q *queue) pop() (string, record.Raw) {
	b := &q.batches[0]
	topic, raw := b.topic, b.raws[0]
	b.raws[0] = record.Raw{}
	b.raws = b.raws[1:]
	q.size--
	if len(b.raws) == 0 {
		q.batches[0] = batch{}
		q.batches = q.batches[1:]
		if len(q.batches) == 0 {
			q.batches = nil
		}
	}
	return topic, raw
}

func (q *queue) clear() {
	q.batches, q.size, q.bytes = nil, 0, 0
	q.state = headNone
	q.partitionTime = -1
}
