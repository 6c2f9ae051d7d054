package runtime

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// worker is one member of the group with its tasks (Java: StreamThread). Its
// goroutine polls, and between the end of a poll and [kafka.Consumer.AllowRebalance]
// drives the tasks; group callbacks change them at other times.
type worker struct {
	p     *Process
	cfg   *Config
	index int // from 1
	name  string
	log   *slog.Logger
	// hard ends when nothing may be waited for any more; the application's
	// own end only makes the worker drain.
	hard     context.Context
	env      *env
	consumer *kafka.Consumer
	producer *kafka.Producer
	letters  letterBox
	restorer *restorer
	assignor *assignor
	purge    *purger

	state   atomic.Int32 // workerState
	stats   atomic.Pointer[WorkerStats]
	written time.Time // of stats

	// mu keeps the loop and the group's callbacks apart; it guards all below.
	mu      sync.Mutex
	tasks   []*activeTask // by id
	byInput map[kafka.TopicPartition]*activeTask
	// fatal is the error the worker ends with.
	fatal error
	// fenced stops processing after a refused commit until the group has told
	// what the worker still owns.
	fenced bool
	// ended says that callbacks come too late.
	ended       bool
	fencedAt    time.Time
	committedAt time.Time
	// rejoinAt is when the assignment wants the member to join again; zero for
	// never.
	rejoinAt   time.Time
	busy       bool
	lags       lagProbe
	turnAt     time.Time
	dropped    int64 // of closed tasks
	processed  int64
	commits    int64
	rebalances int64
}

// workerState is what a worker is doing (Java: StreamThread.State).
type workerState int32

const (
	starting workerState = iota
	partitionsRevoked
	partitionsAssigned
	workerRunning
	stopping
	dead
)

func (s workerState) String() string {
	return [...]string{"STARTING", "PARTITIONS_REVOKED", "PARTITIONS_ASSIGNED", "RUNNING", "PENDING_SHUTDOWN", "DEAD"}[s]
}

func (w *worker) setState(s workerState) {
	old := workerState(w.state.Load())
	if old >= stopping && s < old || old == s {
		return
	}
	w.state.Store(int32(s))
	w.log.Debug("worker state changed", "from", old.String(), "to", s.String())
	w.p.workerChanged()
}

// newWorker connects a worker; it joins the group as soon as its consumer is
// made, so that nothing may be missing then.
func newWorker(p *Process, hard context.Context, index int) (_ *worker, err error) {
	name := changelog.StreamThread(p.clientID, index)
	w := &worker{p: p, cfg: p.cfg, index: index, name: name, hard: hard, log: p.log.With("worker", name),
		byInput: make(map[kafka.TopicPartition]*activeTask), committedAt: time.Now()}
	w.lags = lagProbe{admin: p.admin, asked: make(map[kafka.TopicPartition]int64)}
	w.purge = p.newPurger()
	w.assignor = newAssignor(p, index, w.log)
	defer func() {
		if err != nil {
			w.closeClients()
			if w.restorer != nil {
				w.restorer.fetcher.Close()
			}
		}
	}()
	if err := w.openProducer(); err != nil {
		return nil, err
	}
	w.env = &env{p: p, ctx: hard, log: w.log, producer: w.producer}
	if n := p.cacheShare(); n > 0 {
		w.env.cache = statestore.NewCache(n)
		w.env.cache.KeepRaw(handlersSeeRecords(&w.cfg.Task))
	}
	if err := w.openRestorer(); err != nil {
		return nil, err
	}
	// The callbacks may come before newWorker returns; they wait for this.
	w.mu.Lock()
	defer w.mu.Unlock()
	return w, w.openConsumer()
}

// handlersSeeRecords tells whether a failure while the cache is flushed is
// shown to a handler, who sees the source record of the update then.
func handlersSeeRecords(c *processor.Config) bool {
	return c.DeadLetterTopic != "" || c.OnProcessingError != nil || c.OnSerializationError != nil
}

func (w *worker) openConsumer() error {
	c := w.cfg.Consumer
	c.Config = w.p.client(changelog.ConsumerID(w.name))
	c.Group = w.cfg.Task.ApplicationID
	if w.cfg.InstanceID != "" {
		c.InstanceID = changelog.GroupInstanceID(w.cfg.InstanceID, w.index)
	}
	c.Topics, c.Pattern = w.p.subscription()
	c.Assignor, c.Listener = w.assignor, w
	c.Reset = w.cfg.resetOf
	var err error
	w.consumer, err = kafka.NewConsumer(w.hard, c)
	return err
}

func (w *worker) openRestorer() (err error) {
	updater := changelog.StateUpdater(w.p.clientID, w.index)
	w.restorer, err = newRestorer(w.hard, w.cfg, w.p.client(changelog.RestoreConsumerID(updater)), w.log,
		func(ctx context.Context, tps ...kafka.TopicPartition) (map[kafka.TopicPartition]kafka.OffsetAndMeta, error) {
			return w.p.admin.Committed(ctx, w.cfg.Task.ApplicationID, tps...)
		})
	return err
}

// run drives the worker until stop ends (a clean end), or until it fails; then
// it also says what shall follow.
func (w *worker) run(stop context.Context) (Action, error) {
	restoring, endRestore := context.WithCancel(w.hard)
	var wg sync.WaitGroup
	wg.Go(func() { w.restorer.run(restoring) })
	err := w.loop(stop)
	var action Action
	if err != nil {
		action, err = w.judge(stop, err)
	}
	if end := w.end(err == nil); err == nil {
		err = end
	}
	endRestore()
	wg.Wait()
	w.purge.wait()
	w.lags.wait()
	w.setState(dead)
	w.publish(true)
	return action, err
}

// judge decides what follows from the error the worker ends with.
func (w *worker) judge(stop context.Context, err error) (Action, error) {
	if lost := w.producer.Err(); lost != nil && kafka.Retriable(lost) && !w.letters.final.Load() {
		err = &CorruptedError{Err: err}
	}
	action := ShutdownClient
	if w.hard.Err() == nil {
		action = w.p.decide(err)
	}
	if action == ShutdownApplication {
		w.askAllToStop(stop)
	}
	return action, err
}

func (w *worker) loop(stop context.Context) error {
	for stop.Err() == nil {
		fetched := w.poll(stop)
		w.mu.Lock()
		err := w.turn(stop, fetched)
		w.mu.Unlock()
		w.consumer.AllowRebalance()
		if err != nil {
			return err
		}
	}
	return nil
}

// poll fetches, unless as much is buffered as may be: then it leaves the rest
// to the client, which stops fetching by itself.
func (w *worker) poll(stop context.Context) kafka.Fetches {
	w.mu.Lock()
	wait := w.cfg.PollTimeout
	full := w.busy && w.buffered() >= w.cfg.MaxBufferedBytes
	if w.busy {
		wait = time.Millisecond
	}
	w.mu.Unlock()
	if full {
		return kafka.Fetches{}
	}
	ctx, cancel := context.WithTimeout(stop, wait)
	defer cancel()
	return w.consumer.Poll(ctx)
}

func (w *worker) buffered() int {
	total := 0
	for _, t := range w.tasks {
		_, bytes := t.BufferedTotal()
		total += bytes
	}
	return total
}

// fail notes the first error that a callback met; the loop ends with it.
func (w *worker) fail(err error) {
	if w.fatal == nil {
		w.fatal = err
	}
}

func (w *worker) find(id task.ID) *activeTask {
	for _, t := range w.tasks {
		if t.id == id {
			return t
		}
	}
	return nil
}

// end commits if the worker ends cleanly, closes the tasks and leaves.
func (w *worker) end(clean bool) error {
	w.mu.Lock()
	w.setState(stopping)
	var err error
	if clean {
		if err = w.commit(); err != nil {
			w.log.Warn("last commit did not succeed, its records are processed again", "err", err)
			clean = false
		}
		if errors.Is(err, errNotNow) {
			err = nil
		}
	}
	if closed := w.removeAll(clean); err == nil && clean {
		err = closed
	}
	w.ended = true
	w.mu.Unlock()
	w.closeClients()
	return err
}

// leaveTimeout bounds the wait for the broker's answer to leaving.
const leaveTimeout = 5 * time.Second

func (w *worker) closeClients() {
	if w.consumer != nil {
		leave := kafka.LeaveGroup
		if w.cfg.RemainInGroup {
			leave = kafka.RemainInGroup
		}
		ctx, cancel := context.WithTimeout(w.hard, leaveTimeout)
		if err := w.consumer.Close(ctx, leave); err != nil {
			w.log.Warn("leave the group", "err", err)
		}
		cancel()
	}
	if w.producer != nil {
		w.producer.Close()
	}
}

// sleep waits; false if the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
