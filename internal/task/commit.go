package task

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// CommitNeeded reports whether something happened since the last commit.
func (a *Active) CommitNeeded() bool { return a.commitNeeded || a.metadataChanged }

// CommitRequested reports whether a processor asked for a commit.
func (a *Active) CommitRequested() bool { return a.commitRequested }

// Flush empties the record cache downstream and into changelogs, before the
// producer is flushed and the offsets are committed. Updates that flushing
// causes in other stores are flushed too: stores are in the order of the nodes,
// and there is a second round for what nodes write to stores above them (Java
// has it in postCommit, where it comes too late for the offsets).
func (a *Active) Flush() error {
	if !a.CommitNeeded() {
		return nil
	}
	return a.flushStores()
}

// flushRounds is Java's number: a node that updates its own table each time it
// hears of it would never come to an end.
const flushRounds = 2

func (c *core) flushStores() error {
	saved := c.current
	if saved == nil {
		c.scratch = record.Context{Partition: -1, Offset: -1, Headers: &record.Headers{}}
		c.current = &c.scratch
	}
	defer c.endStep()
	for range flushRounds {
		for _, s := range c.stores {
			if err := s.Flush(); err != nil {
				return c.flushFailed(s.Name(), err)
			}
			if c.failed != nil {
				return c.failed
			}
		}
	}
	c.current = saved
	return nil
}

// flushFailed gives an error of a flush its class: what the framework itself
// ran into stays that, what a node failed with becomes a [FlushError].
func (c *core) flushFailed(store string, err error) error {
	text := fmt.Sprintf("task %s: flush store %s", c.id, store)
	var failed *processor.FailedError
	var streams *processor.StreamsError
	if !errors.As(err, &failed) && (errors.As(err, &streams) || errors.Is(err, processor.ErrTypeMismatch)) {
		return &processor.StreamsError{Msg: text, Err: err}
	}
	return &FlushError{Msg: text, Err: err}
}

// FlushError is what processing failed with when a store's cache was flushed
// downstream (Java: ProcessorStateException).
type FlushError struct {
	Msg string
	Err error
}

// Error implements error.
func (e *FlushError) Error() string { return e.Msg + ": " + e.Err.Error() }

// Unwrap returns the error of the node.
func (e *FlushError) Unwrap() error { return e.Err }

// Offsets are what may be committed now: for each partition that progressed
// (each input, if a node changed its state in the metadata) the offset of the
// next unprocessed record, or else the consumer's position.
func (a *Active) Offsets() map[TopicPartition]OffsetAndMeta {
	offsets := make(map[TopicPartition]OffsetAndMeta)
	if !a.CommitNeeded() {
		return offsets
	}
	for _, q := range a.group.queues {
		if !a.metadataChanged && !a.consumed[q.tp] {
			continue
		}
		at := q.position
		if q.state != headNone {
			at = Position{Offset: q.next.raw.Offset, LeaderEpoch: q.next.raw.LeaderEpoch}
		}
		if at.Offset < 0 {
			continue
		}
		meta := changelog.OffsetMetadata{PartitionTime: q.partitionTime, Processor: a.metadata}
		offsets[q.tp] = OffsetAndMeta{Offset: at.Offset, LeaderEpoch: at.LeaderEpoch, Metadata: meta.Encode()}
	}
	return offsets
}

// Committed is told that the offsets were committed. The stores make durable
// what they hold, together with the changelog offsets it reflects; offset
// gives them by store name, -1 where nothing is known. With a nil offset the
// stores keep what they hold as it is, as the test driver wants.
func (a *Active) Committed(offset func(store string) int64) error {
	for _, s := range a.stores {
		if offset == nil {
			break
		}
		if err := s.Commit(offset(s.Name())); err != nil {
			return fmt.Errorf("task %s: commit store %s: %w", a.id, s.Name(), err)
		}
	}
	a.commitNeeded, a.commitRequested, a.metadataChanged = false, false, false
	return nil
}

// Close closes nodes and stores. Before a clean close everything must have
// been committed; otherwise what was not is lost, as after a crash.
func (a *Active) Close(clean bool) error {
	if clean && a.started && a.CommitNeeded() {
		return fmt.Errorf("task %s: closed cleanly with updates that were not committed", a.id)
	}
	a.group.clear()
	return a.close()
}

func (c *core) close() error {
	var first error
	for _, n := range c.graph.Nodes[:c.nodes] {
		if err := n.Unit().Close(); err != nil && first == nil {
			first = fmt.Errorf("task %s: close node %s: %w", c.id, n.Name(), err)
		}
	}
	c.nodes = 0
	for _, s := range c.stores[:c.opened] {
		if err := s.Close(); err != nil && first == nil {
			first = fmt.Errorf("task %s: close store %s: %w", c.id, s.Name(), err)
		}
	}
	c.opened = 0
	return first
}

// StreamTimeOf is the highest timestamp taken from a partition, -1 before any.
func (a *Active) StreamTimeOf(tp TopicPartition) int64 {
	if q, ok := a.group.index[tp]; ok {
		return q.partitionTime
	}
	return -1
}

// SetLag tells how many records of a partition the broker holds beyond the
// position, for max.task.idle; unknown is false before the first fetch.
func (a *Active) SetLag(tp TopicPartition, lag int64, known bool) {
	if known {
		a.group.lags[tp] = lag
	} else {
		delete(a.group.lags, tp)
	}
}

// Inputs are the partitions the task reads.
func (a *Active) Inputs() []TopicPartition {
	tps := make([]TopicPartition, len(a.group.queues))
	for i, q := range a.group.queues {
		tps[i] = q.tp
	}
	return tps
}

// Buffered is the number of records of a partition that wait in its queue.
func (a *Active) Buffered(tp TopicPartition) int {
	if q, ok := a.group.index[tp]; ok {
		return q.len()
	}
	return 0
}

// BufferedTotal is the number of records that wait, and their bytes.
func (a *Active) BufferedTotal() (records, bytes int) {
	for _, q := range a.group.queues {
		bytes += q.bytes
	}
	return a.group.buffered, bytes
}

// DroppedTotal counts the records dropped so far (metric dropped-records-total).
func (c *core) DroppedTotal() int64 { return c.dropped }

// Processed counts the records processed so far.
func (a *Active) Processed() int64 { return a.steps }
