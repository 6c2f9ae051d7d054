package runtime

import (
	"time"

	"github.com/millrace/millrace/internal/task"
)

// WorkerStats is what one worker was doing when it last published it. It is
// not changed afterwards.
type WorkerStats struct {
	Name, State string
	Tasks       []TaskStats
	// Processed and Dropped count the records since the start, also those of
	// tasks that moved away.
	Processed, Dropped int64
	// Commits and Rebalances since the start.
	Commits, Rebalances int64
	// LastTurn is when the poll loop last went round.
	LastTurn time.Time
}

// TaskStats is one task of a worker.
type TaskStats struct {
	ID, State          string
	Processed, Dropped int64
	// Buffered are records that were fetched but not yet processed.
	Buffered, BufferedBytes int
	Inputs                  []InputStats
}

// InputStats is one input partition of a task.
type InputStats struct {
	Topic     string
	Partition int32
	// Position of the consumer, -1 if unknown.
	Position int64
	// StreamTime is the highest timestamp taken from it, -1 before any.
	StreamTime int64
	Buffered   int
}

// statsEvery is how often a worker publishes its numbers.
const statsEvery = 200 * time.Millisecond

// publish makes the numbers readable for others; the record path counts only
// in fields of its own.
func (w *worker) publish(now bool) {
	at := time.Now()
	if !now && at.Sub(w.written) < statsEvery {
		return
	}
	w.written = at
	s := &WorkerStats{Name: w.name, State: workerState(w.state.Load()).String(), Processed: w.processed,
		Dropped: w.dropped + w.letters.dropped.Load(), Commits: w.commits, Rebalances: w.rebalances, LastTurn: w.turnAt}
	for _, t := range w.tasks {
		ts := TaskStats{ID: t.id.String(), State: t.phase.String(), Processed: t.Processed(), Dropped: t.DroppedTotal()}
		ts.Buffered, ts.BufferedBytes = t.BufferedTotal()
		for _, tp := range t.inputs {
			ts.Inputs = append(ts.Inputs, InputStats{Topic: tp.Topic, Partition: tp.Partition, Position: t.position(tp),
				StreamTime: t.StreamTimeOf(task.TopicPartition(tp)), Buffered: t.Buffered(task.TopicPartition(tp))})
		}
		s.Tasks = append(s.Tasks, ts)
		s.Processed += ts.Processed
		s.Dropped += ts.Dropped
	}
	w.stats.Store(s)
}
