package runtime

import (
	"context"
	"errors"
	"time"

	"github.com/millrace/millrace/processor"
)

const (
	// stepsPerTask is how many records of a task are processed before the next
	// task has its turn.
	stepsPerTask = 500
	// stepsPerClock is how many records share one reading of the clock.
	stepsPerClock = 8
)

// drive processes what is buffered, task by task in turn, punctuates, and
// commits when it is time, until nothing is left or the turn is over.
func (w *worker) drive(stop context.Context) error {
	w.busy = false
	for {
		did := false
		for _, t := range w.tasks {
			if t.phase != running {
				continue
			}
			stepped, err := t.drive(stop)
			if err != nil {
				return err
			}
			did = did || stepped
		}
		now := time.Now()
		if w.commitDue(now) {
			if err := w.commit(); err != nil && !errors.Is(err, errNotNow) {
				return err
			}
			if w.fenced {
				return nil
			}
		}
		if !did || stop.Err() != nil {
			return nil
		}
		if now.Sub(w.turnAt) >= turnTime {
			w.busy = true
			return nil
		}
	}
}

// drive processes some records of one task and fires its punctuators. Those of
// stream time are looked at after every record.
func (t *activeTask) drive(stop context.Context) (did bool, err error) {
	now := time.Now().UnixMilli()
	for i := range stepsPerTask {
		if i%stepsPerClock == stepsPerClock-1 {
			if now = time.Now().UnixMilli(); stop.Err() != nil {
				break
			}
		}
		stepped, err := t.Step(now)
		if err != nil {
			return did, err
		}
		if !stepped {
			break
		}
		did = true
		if _, err := t.Punctuate(processor.StreamTime, now); err != nil {
			return did, err
		}
	}
	_, err = t.Punctuate(processor.WallClock, time.Now().UnixMilli())
	return did, err
}
