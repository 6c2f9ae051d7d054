package runtime

import (
	"context"
	"errors"

	"github.com/millrace/millrace/internal/kafka"
)

// OnRevoked implements kafka.Listener: the affected tasks are committed with
// all others, then closed; only then may another member own them.
func (w *worker) OnRevoked(_ context.Context, revoked []kafka.TopicPartition) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.fenced = false
	w.setState(partitionsRevoked)
	w.log.Info("partitions revoked", "partitions", len(revoked))
	clean := w.fatal == nil
	if clean {
		if err := w.commit(); err != nil {
			clean = false
			if !errors.Is(err, errNotNow) {
				w.fail(err)
			}
			w.log.Warn("tasks are given up without a commit", "err", err)
		}
	}
	w.close(w.lose(revoked), clean)
}

// OnLost implements kafka.Listener: what was not committed is done again by
// the new owner.
func (w *worker) OnLost(_ context.Context, lost []kafka.TopicPartition) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.fenced = false
	w.setState(partitionsRevoked)
	w.log.Warn("partitions lost, the group went on without this member", "partitions", len(lost))
	w.close(w.lose(lost), false)
}

func (w *worker) close(tasks []*activeTask, clean bool) {
	for _, t := range tasks {
		if err := w.remove(t, clean); err != nil && clean {
			w.fail(err)
		}
	}
	w.tellOwned()
}

// OnAssigned implements kafka.Listener: tasks that are new are created and
// restored.
func (w *worker) OnAssigned(_ context.Context, a kafka.Assigned) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.fenced = false
	got, err := w.assignor.assigned(a)
	if err != nil {
		w.fail(err)
		return
	}
	if w.fatal != nil {
		return
	}
	w.rebalances++
	w.rejoinAt = got.rejoinAt
	w.setState(partitionsAssigned)
	w.log.Info("partitions assigned", "tasks", len(got.tasks), "partitions", len(a.All), "new", len(a.Added))
	for _, g := range got.tasks {
		var err error
		if t := w.find(g.id); t != nil {
			err = w.setInputs(t, g.inputs)
		} else {
			err = w.addTask(g.id, g.inputs)
		}
		if err != nil {
			w.fail(err)
			return
		}
	}
	w.tellOwned()
}
