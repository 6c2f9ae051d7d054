package millrace

import (
	"time"

	"github.com/millrace/millrace/internal/runtime"
)

// Stats is a picture of an application that is at most a fraction of a second
// old. It is the caller's to keep.
type Stats struct {
	State   State
	Workers []WorkerStats
}

// WorkerStats is one worker. Its counts begin with the worker and go on over
// the tasks that moved away.
type WorkerStats struct {
	Name, State string
	Tasks       []TaskStats
	// Processed and Dropped are numbers of records.
	Processed, Dropped  int64
	Commits, Rebalances int64
	// LastTurn is when the poll loop last went round.
	LastTurn time.Time
}

// TaskStats is one task of a worker. Its counts begin with the task.
type TaskStats struct {
	// ID is "0_1" for partition 1 of sub-topology 0; State is RESTORING or
	// RUNNING.
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
	// StreamTime is the highest timestamp taken from it in milliseconds, -1
	// before any.
	StreamTime int64
	Buffered   int
}

// Stats returns the latest numbers.
func (a *App) Stats() Stats {
	s := Stats{State: a.State()}
	for _, w := range a.process.Stats() {
		s.Workers = append(s.Workers, workerStats(w))
	}
	return s
}

func workerStats(w runtime.WorkerStats) WorkerStats {
	out := WorkerStats{Name: w.Name, State: w.State, Processed: w.Processed, Dropped: w.Dropped,
		Commits: w.Commits, Rebalances: w.Rebalances, LastTurn: w.LastTurn}
	for _, t := range w.Tasks {
		ts := TaskStats{ID: t.ID, State: t.State, Processed: t.Processed, Dropped: t.Dropped,
			Buffered: t.Buffered, BufferedBytes: t.BufferedBytes}
		for _, in := range t.Inputs {
			ts.Inputs = append(ts.Inputs, InputStats(in))
		}
		out.Tasks = append(out.Tasks, ts)
	}
	return out
}

// Processed is the number of records processed by all workers.
func (s Stats) Processed() int64 {
	var n int64
	for _, w := range s.Workers {
		n += w.Processed
	}
	return n
}

// Dropped is the number of records dropped by all workers, be it by an error
// handler or because an operator has no use for them (Java's
// dropped-records-total).
func (s Stats) Dropped() int64 {
	var n int64
	for _, w := range s.Workers {
		n += w.Dropped
	}
	return n
}
