package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// turnTime bounds how long tasks are driven before the group may rebalance and
// new records are fetched.
const turnTime = 100 * time.Millisecond

// turn is what happens between two polls.
func (w *worker) turn(stop context.Context, fetched kafka.Fetches) error {
	w.turnAt = time.Now()
	if err := w.take(fetched); err != nil {
		return err
	}
	for _, r := range w.restorer.take() {
		if err := w.takeRestored(r); err != nil {
			return err
		}
	}
	if w.fatal != nil {
		return w.fatal
	}
	w.rejoin()
	if w.fenced {
		w.busy = false
		return nil
	}
	if err := w.drive(stop); err != nil {
		return err
	}
	if _, err := w.sendLetters(); err != nil {
		return err
	}
	if err := w.producer.Err(); err != nil {
		return err
	}
	w.balanceBuffers()
	w.checkRunning()
	w.publish(false)
	return nil
}

// take puts fetched records into the queues of their tasks.
func (w *worker) take(f kafka.Fetches) error {
	if f.Err != nil {
		if errors.Is(f.Err, kafka.ErrNotAuthorized) || errors.Is(f.Err, kafka.ErrClosed) {
			return f.Err
		}
		w.log.Warn("group membership disturbed", "err", f.Err)
	}
	for i := range f.Batches {
		if err := w.route(&f.Batches[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) route(b *kafka.Batch) error {
	if b.Err != nil {
		if kafka.Retriable(b.Err) {
			w.log.Warn("partition cannot be read now", "partition", b.TopicPartition.String(), "err", b.Err)
			return nil
		}
		return fmt.Errorf("read %s: %w", b.TopicPartition, b.Err)
	}
	t := w.byInput[b.TopicPartition]
	if t == nil {
		return nil // of a task that is gone
	}
	if b.Reset {
		w.log.Warn("position out of range, reset", "partition", b.TopicPartition.String(), "offset", b.Next)
		t.positions[b.TopicPartition] = b.Next
	}
	t.skipKnown(b)
	tp := task.TopicPartition(b.TopicPartition)
	if b.Next >= 0 {
		t.positions[b.TopicPartition] = b.Next
		if b.HighWatermark >= 0 {
			t.SetLag(tp, b.HighWatermark-b.Next, true)
		}
	}
	return t.Enqueue(tp, b.Topic, b.Records, task.Position{Offset: b.Next, LeaderEpoch: b.Epoch})
}

// skipKnown drops records that the task has already got. The client goes back
// to the committed offset of a topic that came to exist while it was assigned.
func (t *activeTask) skipKnown(b *kafka.Batch) {
	n := 0
	for at := t.position(b.TopicPartition); n < len(b.Records) && b.Records[n].Offset < at; n++ {
	}
	b.Records = b.Records[n:]
	b.Next = max(b.Next, t.position(b.TopicPartition))
}

func (w *worker) takeRestored(r restored) error {
	switch {
	case r.err != nil:
		return r.err
	case r.corrupt != nil:
		return w.wipeAndRestart(r.task, r.corrupt)
	}
	return w.start(r)
}

// rejoin joins again when the assignment asked for it, and when the group does
// not say by itself what became of a fenced member.
func (w *worker) rejoin() {
	if !w.rejoinAt.IsZero() && !w.turnAt.Before(w.rejoinAt) {
		w.rejoinAt = time.Time{}
		w.log.Info("rejoining the group, as the assignment asked for")
		w.consumer.Rejoin()
	}
	if w.fenced && w.turnAt.Sub(w.fencedAt) > fencedRejoin {
		w.fencedAt = w.turnAt
		w.consumer.Rejoin()
	}
}

// fencedRejoin is how long a fenced member waits for the client to notice.
const fencedRejoin = 10 * time.Second

// checkRunning goes to RUNNING once every task is restored.
func (w *worker) checkRunning() {
	if workerState(w.state.Load()) != partitionsAssigned {
		return
	}
	for _, t := range w.tasks {
		if t.phase == restoring {
			return
		}
	}
	w.setState(workerRunning)
}
