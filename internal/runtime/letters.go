package runtime

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// letterBox holds what follows from records that could not be delivered. The
// client tells it on a goroutine of its own, the worker empties it.
type letterBox struct {
	dropped atomic.Int64
	// final says that the handler decided to fail.
	final atomic.Bool

	mu      sync.Mutex
	letters []processor.Outgoing
}

// CorruptedError is a result that got lost on the way to the broker although
// trying again may help: the tasks go on from the last commit (Java:
// TaskCorruptedException).
type CorruptedError struct{ Err error }

// Error implements error.
func (e *CorruptedError) Error() string {
	return fmt.Sprintf("records were lost on the way to the broker, the tasks go on from the last commit: %v", e.Err)
}

// Unwrap returns what the client reported.
func (e *CorruptedError) Unwrap() error { return e.Err }

// Fatal keeps processing handlers from deciding about it.
func (e *CorruptedError) Fatal() bool { return true }

// openProducer makes the worker's producer.
func (w *worker) openProducer() (err error) {
	c := w.cfg.Producer
	c.Config = w.p.client(changelog.ProducerID(w.name))
	c.OnFailure = w.undelivered
	w.producer, err = kafka.NewProducer(c)
	return err
}

// undelivered asks the production exception handler about a record that the
// broker did not take; true drops it. Without a handler the decision is Java's
// default: fail, and go on from the last commit if the trouble may pass.
func (w *worker) undelivered(f kafka.Failure) bool {
	if w.hard.Err() != nil || errors.Is(f.Err, kafka.ErrClosed) || w.cfg.Task.OnProductionError == nil {
		return false
	}
	headers := record.NewHeaders(f.Headers...)
	where := processor.ErrorContext{Node: w.p.sinkOf(f.Topic), Topic: f.Topic, Partition: f.Partition, Offset: -1,
		Timestamp: f.Timestamp, Headers: headers}
	response := w.cfg.Task.OnProductionError(where, processor.Outgoing{Topic: f.Topic, Partition: f.Partition,
		Key: f.Key, Value: f.Value, Timestamp: f.Timestamp, Headers: headers, Node: where.Node}, f.Err)
	w.letters.mu.Lock()
	w.letters.letters = append(w.letters.letters, w.cfg.Task.Letters(response, where, f.Err)...)
	w.letters.mu.Unlock()
	if response.Decision != processor.Continue {
		if response.Decision == processor.Fail {
			w.letters.final.Store(true)
		}
		return false
	}
	w.letters.dropped.Add(1)
	w.log.Warn("record dropped: it could not be delivered", "topic", f.Topic, "partition", f.Partition, "err", f.Err)
	return true
}

// sendLetters sends the dead letters of records that were dropped.
func (w *worker) sendLetters() (sent bool, err error) {
	w.letters.mu.Lock()
	letters := w.letters.letters
	w.letters.letters = nil
	w.letters.mu.Unlock()
	for _, l := range letters {
		if err := w.env.Send(l); err != nil {
			return true, err
		}
	}
	return len(letters) > 0, nil
}
