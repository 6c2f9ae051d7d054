package task

import (
	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/record"
)

// group chooses which of a task's partitions gives the next record: the one
// whose head has the smallest timestamp (Java: PartitionGroup). Equal
// timestamps follow the heap of Java's PriorityQueue.
type group struct {
	queues   []*queue
	index    map[TopicPartition]*queue
	nonEmpty *javaorder.PriorityQueue[*queue]
	buffered int
	// streamTime is the highest timestamp taken for processing, -1 before any.
	streamTime int64
	maxIdle    int64
	lags       map[TopicPartition]int64
	deadlines  map[TopicPartition]int64
}

func newGroup(maxIdle int64) *group {
	return &group{
		index: make(map[TopicPartition]*queue), lags: make(map[TopicPartition]int64),
		deadlines: make(map[TopicPartition]int64), streamTime: -1, maxIdle: maxIdle,
		nonEmpty: javaorder.NewPriorityQueue(func(a, b *queue) bool { return a.next.timestamp < b.next.timestamp }),
	}
}

func (g *group) add(q *queue) {
	g.queues = append(g.queues, q)
	g.index[q.tp] = q
}

// push adds fetched records to a partition's queue. The queue counts as
// non-empty even if loading its head failed.
func (g *group) push(q *queue, topic string, raws []record.Raw) error {
	before := q.len()
	err := q.push(topic, raws)
	if before == 0 && q.len() > 0 {
		g.nonEmpty.Offer(q)
	}
	g.buffered += q.len() - before
	return err
}

// next takes the record to process; nil if nothing is buffered. On an error
// the record was taken but its successor could not be loaded.
func (g *group) next() (*queue, *stamped, error) {
	q, ok := g.nonEmpty.Poll()
	if !ok {
		return nil, nil, nil
	}
	before := q.len()
	rec, err := q.poll()
	if err != nil {
		return q, nil, err
	}
	g.buffered -= before - q.len()
	if !q.empty() {
		g.nonEmpty.Offer(q)
	}
	g.streamTime = max(g.streamTime, rec.timestamp)
	return q, rec, nil
}

// ready reports whether the task may process under max.task.idle: with -1
// always; else an empty partition is waited for while the broker holds more
// records of it or its lag is unknown, and for the idle time when it holds
// none (KIP-695).
func (g *group) ready(now int64) bool {
	if g.maxIdle == -1 {
		return g.buffered > 0
	}
	queued := false
	for _, q := range g.queues {
		if !q.empty() {
			delete(g.deadlines, q.tp)
			queued = true
			continue
		}
		lag, known := g.lags[q.tp]
		if !known || lag > 0 {
			delete(g.deadlines, q.tp)
			return false
		}
		deadline, waiting := g.deadlines[q.tp]
		if !waiting {
			deadline = now + g.maxIdle
			g.deadlines[q.tp] = deadline
		}
		if now < deadline {
			return false
		}
	}
	return queued
}

// setPartitionTime takes over the time a partition had before this task began.
func (g *group) setPartitionTime(q *queue, time int64) {
	g.streamTime = max(g.streamTime, time)
	q.partitionTime = time
}

func (g *group) clear() {
	for _, q := range g.queues {
		q.clear()
	}
	g.nonEmpty.Clear()
	g.buffered = 0
	g.streamTime = -1
	clear(g.lags)
}
