package runtime

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/millrace/millrace/internal/assign"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// assignor is a worker's side of the group protocol: what it says of itself
// when it joins, and, if it is elected leader, who gets which tasks. It runs
// beside the worker, so it knows only what the worker has told it.
type assignor struct {
	p     *Process
	log   *slog.Logger
	index int

	mu     sync.Mutex
	owned  map[task.ID]int64 // offset sums
	unique int8
	// reason is why this member, as leader, could assign nothing.
	reason error
	// stopAll asks the leader to end all instances.
	stopAll bool
}

func newAssignor(p *Process, index int, log *slog.Logger) *assignor {
	return &assignor{p: p, index: index, log: log}
}

// Subscription implements kafka.Assignor. The unique byte differs each time,
// so that the broker takes a rejoin for a reason to rebalance.
func (a *assignor) Subscription() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unique++
	s := assign.Subscription{Version: assign.Version, Latest: assign.Version, Process: a.p.dir.process,
		Sums: a.owned, Unique: a.unique}
	if a.stopAll {
		s.Error = assign.ShutdownRequested
	}
	return s.Encode()
}

// tellOwned tells the assignor which tasks with changelogs the worker has.
func (w *worker) tellOwned() {
	owned := make(map[task.ID]int64)
	for _, t := range w.tasks {
		switch {
		case len(t.logs) == 0:
		case t.phase == running:
			owned[t.id] = assign.SumRunning
		default:
			owned[t.id] = assign.SumUnknown
		}
	}
	w.assignor.mu.Lock()
	defer w.assignor.mu.Unlock()
	w.assignor.owned = owned
}

// ErrShutdownRequested: an instance of the application asked all to end.
var ErrShutdownRequested = errors.New("an instance of the application asked all of them to end")

// assigned is what an assignment means for a worker.
type assigned struct {
	tasks    []assignedTask
	rejoinAt time.Time
}

type assignedTask struct {
	id     task.ID
	inputs []kafka.TopicPartition
}

// assigned reads the leader's decision.
func (a *assignor) assigned(got kafka.Assigned) (assigned, error) {
	var out assigned
	info, err := assign.DecodeAssignment(got.UserData)
	if err != nil {
		return out, err
	}
	if info.Error != assign.NoError {
		return out, a.refused(info.Error)
	}
	tasks, err := info.ActiveTasks(got.All)
	if err != nil {
		return out, err
	}
	for _, id := range slices.SortedFunc(maps.Keys(tasks), compareIDs) {
		out.tasks = append(out.tasks, assignedTask{id: id, inputs: tasks[id]})
	}
	if info.NextRebalance != assign.NoRebalance {
		out.rejoinAt = time.UnixMilli(info.NextRebalance)
	}
	return out, nil
}

// refused is why there is no assignment: this member knows if it leads the
// group, else it looks for itself.
func (a *assignor) refused(code int32) error {
	if code == assign.ShutdownRequested {
		return ErrShutdownRequested
	}
	a.mu.Lock()
	reason := a.reason
	a.mu.Unlock()
	if reason == nil && code == assign.MissingSourceTopics {
		reason = a.p.checkTopics(a.p.hard)
	}
	if reason == nil {
		reason = errLeaderRefused(code)
	}
	return reason
}

// askAllToStop sends the request with the next join and stays in the group
// until the leader has passed it on.
func (w *worker) askAllToStop(stop context.Context) {
	w.mu.Lock()
	if err := w.removeAll(false); err != nil {
		w.log.Warn("close tasks", "err", err)
	}
	w.tellOwned()
	w.mu.Unlock()
	w.assignor.mu.Lock()
	w.assignor.stopAll = true
	w.assignor.mu.Unlock()
	w.consumer.Rejoin()
	ctx, cancel := context.WithTimeout(stop, stopWait)
	defer cancel()
	for ctx.Err() == nil {
		step, end := context.WithTimeout(ctx, w.cfg.PollTimeout)
		w.consumer.Poll(step)
		end()
		w.mu.Lock()
		told := errors.Is(w.fatal, ErrShutdownRequested)
		w.mu.Unlock()
		w.consumer.AllowRebalance()
		if told {
			return
		}
	}
}

// stopWait bounds how long a worker waits for the leader to pass on that all
// are to end.
const stopWait = 30 * time.Second
