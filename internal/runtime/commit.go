package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/millrace/millrace/internal/kafka"
)

// commitDue reports whether the interval has passed or a processor asked.
func (w *worker) commitDue(now time.Time) bool {
	if now.Sub(w.committedAt) >= w.cfg.CommitInterval {
		return true
	}
	for _, t := range w.tasks {
		if t.phase == running && t.CommitRequested() {
			return true
		}
	}
	return false
}

// commit makes durable what all tasks have done: results and changelogs first,
// then the offsets, then the stores. A crash in between repeats work but loses
// none (at-least-once). While the group is rebalancing the broker may refuse;
// then all stays as it is and the next commit includes it.
func (w *worker) commit() error {
	w.committedAt = time.Now()
	var due []*activeTask
	for _, t := range w.tasks {
		if t.phase == running && t.CommitNeeded() {
			due = append(due, t)
		}
	}
	if len(due) == 0 {
		return w.producer.Err()
	}
	offsets := make(map[kafka.TopicPartition]kafka.OffsetAndMeta)
	for _, t := range due {
		if err := t.Flush(); err != nil {
			return err
		}
		for tp, o := range t.Offsets() {
			offsets[kafka.TopicPartition(tp)] = kafka.OffsetAndMeta(o)
		}
	}
	if err := w.flushProducer(); err != nil {
		return err
	}
	if err := w.commitOffsets(offsets); err != nil {
		return err
	}
	for _, t := range due {
		if err := w.committed(t, offsets); err != nil {
			return err
		}
	}
	w.purge.note(offsets)
	w.commits++
	return nil
}

// flushProducer waits until everything sent has arrived, dead letters of lost
// records included.
func (w *worker) flushProducer() error {
	for {
		if err := w.producer.Flush(w.hard); err != nil {
			return err
		}
		if sent, err := w.sendLetters(); !sent || err != nil {
			return err
		}
	}
}

// errNotNow is a commit that the group refuses while it rebalances.
var errNotNow = errors.New("commit postponed")

// commitRetry is the pause between tries of a commit the broker could not take.
const commitRetry = 100 * time.Millisecond

func (w *worker) commitOffsets(offsets map[kafka.TopicPartition]kafka.OffsetAndMeta) error {
	giveUp := time.Now().Add(w.cfg.TaskTimeout)
	for {
		err := w.consumer.CommitOffsets(w.hard, offsets)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, kafka.ErrRebalancing):
			w.log.Info("commit postponed, the group is rebalancing")
			return fmt.Errorf("%w: %w", errNotNow, err)
		case errors.Is(err, kafka.ErrMigrated):
			w.fenced, w.fencedAt = true, time.Now()
			w.log.Warn("commit refused, waiting for the group's decision", "err", err)
			return fmt.Errorf("%w: %w", errNotNow, err)
		case !kafka.Retriable(err) || time.Now().After(giveUp) || w.hard.Err() != nil:
			return err
		}
		w.log.Warn("commit is tried again", "err", err)
		if !sleep(w.hard, commitRetry) {
			return err
		}
	}
}

// committed tells a task, with the changelog offsets its stores reflect now.
func (w *worker) committed(t *activeTask, offsets map[kafka.TopicPartition]kafka.OffsetAndMeta) error {
	for i := range t.logs {
		l := &t.logs[i]
		if l.source {
			if o, ok := offsets[l.log]; ok {
				l.offset = max(l.offset, o.Offset-1)
			}
		} else if at, ok := w.producer.Acked(l.log); ok {
			l.offset = max(l.offset, at)
		}
	}
	return t.Committed(func(store string) int64 {
		for i := range t.logs {
			if t.logs[i].store == store {
				return t.logs[i].offset
			}
		}
		return -1
	})
}
