package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/statestore"
)

// restorer brings the stores of a worker's new tasks up to the end of their
// changelogs, on a goroutine of its own, while the worker's other tasks go on
// (Java: DefaultStateUpdater). A task belongs to it from add until it is
// returned by take or remove has returned.
type restorer struct {
	cfg       *Config
	admin     *kafka.Admin
	fetcher   *kafka.Fetcher
	log       *slog.Logger
	committed func(context.Context, ...kafka.TopicPartition) (map[kafka.TopicPartition]kafka.OffsetAndMeta, error)

	mu       sync.Mutex
	commands []command
	// interrupt ends what the goroutine waits for, so that it sees commands.
	interrupt context.CancelFunc
	done      []restored
	stopped   bool

	// The rest belongs to the goroutine.
	tasks   []*restore // in the order in which they came
	changes []statestore.Change
	spoken  time.Time
}

// command adds a task, or removes it and then closes gone.
type command struct {
	task *activeTask
	gone chan struct{}
}

// restored is a task that left the restorer by itself.
type restored struct {
	task *activeTask
	// committed offsets of the inputs.
	committed map[kafka.TopicPartition]kafka.OffsetAndMeta
	records   int64
	took      time.Duration
	// corrupt says that the state must be wiped; err that restoring failed.
	corrupt, err error
}

// restore is a task on its way.
type restore struct {
	task      *activeTask
	began     time.Time
	planned   bool
	committed map[kafka.TopicPartition]kafka.OffsetAndMeta
	logs      []*logRestore
	records   int64
}

// logRestore is one changelog partition on its way into the stores, as a rule
// one, that are restored from it.
type logRestore struct {
	tp         kafka.TopicPartition
	stores     []statestore.Store
	logs       []*storeLog
	start, end int64
	records    int64
	finished   bool
}

func newRestorer(ctx context.Context, cfg *Config, client kafka.Config, log *slog.Logger,
	committed func(context.Context, ...kafka.TopicPartition) (map[kafka.TopicPartition]kafka.OffsetAndMeta, error)) (*restorer, error) {
	fetcher, err := kafka.NewFetcher(ctx, kafka.FetcherConfig{Config: client})
	if err != nil {
		return nil, err
	}
	return &restorer{cfg: cfg, admin: fetcher.Admin(), fetcher: fetcher, log: log, committed: committed,
		interrupt: func() {}, spoken: time.Now()}, nil
}

// add hands over a task.
func (r *restorer) add(t *activeTask) { r.send(command{task: t}) }

// remove takes a task back. It returns when the restorer does not touch it any
// more, which does not wait for the network.
func (r *restorer) remove(t *activeTask) {
	c := command{task: t, gone: make(chan struct{})}
	if r.send(c) {
		<-c.gone
	}
}

func (r *restorer) send(c command) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	r.commands = append(r.commands, c)
	r.interrupt()
	return true
}

// take returns the tasks that are done.
func (r *restorer) take() []restored {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := r.done
	r.done = nil
	return done
}

// run works until the context ends.
func (r *restorer) run(ctx context.Context) {
	defer r.fetcher.Close()
	defer r.stop()
	for ctx.Err() == nil {
		step, cancel := context.WithCancel(ctx)
		commands := r.await(cancel)
		for _, c := range commands {
			r.obey(c)
		}
		if len(commands) == 0 {
			r.advance(step)
		}
		cancel()
	}
}

// await takes the commands that have come; without any it arms the interrupt.
func (r *restorer) await(cancel context.CancelFunc) []command {
	r.mu.Lock()
	defer r.mu.Unlock()
	commands := r.commands
	r.commands = nil
	if len(commands) == 0 {
		r.interrupt = cancel
	}
	return commands
}

// stop answers what came too late.
func (r *restorer) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	for _, c := range r.commands {
		if c.gone != nil {
			close(c.gone)
		}
	}
	r.commands = nil
}

func (r *restorer) obey(c command) {
	if c.gone == nil {
		r.tasks = append(r.tasks, &restore{task: c.task, began: time.Now()})
		return
	}
	for _, t := range r.tasks {
		if t.task == c.task {
			r.drop(t)
			r.tell(t, RestoreSuspended)
			break
		}
	}
	r.mu.Lock()
	r.done = slices.DeleteFunc(r.done, func(d restored) bool { return d.task == c.task })
	r.mu.Unlock()
	close(c.gone)
}

// drop forgets a task.
func (r *restorer) drop(t *restore) {
	for _, l := range t.logs {
		if !l.finished {
			r.fetcher.Remove(l.tp)
		}
	}
	r.tasks = slices.DeleteFunc(r.tasks, func(o *restore) bool { return o == t })
}

// finish hands a task back to the worker.
func (r *restorer) finish(t *restore, corrupt, err error) {
	r.drop(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, restored{task: t.task, committed: t.committed, records: t.records,
		took: time.Since(t.began), corrupt: corrupt, err: err})
}

// advance plans new tasks or reads on; it ends early when interrupted.
func (r *restorer) advance(ctx context.Context) {
	if fresh := r.unplanned(); len(fresh) > 0 {
		if err := r.plan(ctx, fresh); err != nil && ctx.Err() == nil {
			r.planFailed(ctx, fresh, err)
		}
		return
	}
	if r.fetcher.Len() == 0 {
		<-ctx.Done()
		return
	}
	batches, err := r.fetcher.Poll(ctx)
	if err != nil {
		for _, t := range slices.Clone(r.tasks) {
			r.finish(t, nil, fmt.Errorf("restore task %s: %w", t.task.id, err))
		}
		return
	}
	for i := range batches {
		r.applyBatch(&batches[i])
	}
	r.progress()
}

// applyBatch gives one batch to its stores.
func (r *restorer) applyBatch(b *kafka.Batch) {
	t, l := r.find(b.TopicPartition)
	if l == nil {
		return
	}
	if b.Err != nil {
		err := fmt.Errorf("restore store %s of task %s from %s: %w", l.logs[0].store, t.task.id, b.TopicPartition, b.Err)
		if errors.Is(b.Err, kafka.ErrOutOfRange) {
			r.finish(t, err, nil)
		} else {
			r.finish(t, nil, err)
		}
		return
	}
	r.changes = r.changes[:0]
	for i := range b.Records {
		rec := &b.Records[i]
		if rec.Offset >= l.end {
			break
		}
		if rec.Key == nil {
			continue // no store can hold it, and Java skips it too
		}
		r.changes = append(r.changes, statestore.Change{Key: rec.Key, Value: rec.Value, Timestamp: rec.Timestamp,
			Offset: rec.Offset, Headers: rec.Headers})
	}
	if len(r.changes) > 0 {
		for _, s := range l.stores {
			if err := s.Restore(r.changes); err != nil {
				r.finish(t, nil, fmt.Errorf("restore store %s of task %s from %s: %w", s.Name(), t.task.id, b.TopicPartition, err))
				return
			}
		}
	}
	r.move(t, l, min(b.Next, l.end), int64(len(r.changes)))
}

// move notes the position reached and ends what is complete.
func (r *restorer) move(t *restore, l *logRestore, next, records int64) {
	l.records += records
	t.records += records
	for _, s := range l.logs {
		s.offset = max(s.offset, next-1)
	}
	if records > 0 {
		r.event(t, l, RestoreBatch, next, records)
	}
	if next >= l.end {
		r.end(t, l)
	}
}

// end finishes one changelog, and with the last one the task.
func (r *restorer) end(t *restore, l *logRestore) {
	l.finished = true
	r.fetcher.Remove(l.tp)
	r.event(t, l, RestoreEnded, l.end, l.records)
	for _, o := range t.logs {
		if !o.finished {
			return
		}
	}
	r.finish(t, nil, nil)
}

func (r *restorer) find(tp kafka.TopicPartition) (*restore, *logRestore) {
	for _, t := range r.tasks {
		for _, l := range t.logs {
			if l.tp == tp && !l.finished {
				return t, l
			}
		}
	}
	return nil, nil
}

func (r *restorer) tell(t *restore, phase RestorePhase) {
	for _, l := range t.logs {
		if at, ok := r.fetcher.Position(l.tp); ok && !l.finished {
			r.event(t, l, phase, at, l.records)
		}
	}
}

func (r *restorer) event(t *restore, l *logRestore, phase RestorePhase, offset, records int64) {
	if r.cfg.OnRestore == nil {
		return
	}
	for _, s := range l.logs {
		r.cfg.OnRestore(RestoreEvent{Phase: phase, Task: t.task.id.String(), Store: s.store, Topic: l.tp.Topic,
			Partition: l.tp.Partition, Start: l.start, End: l.end, Offset: offset, Records: records})
	}
}

// progressEvery is how often a running restore is logged.
const progressEvery = 10 * time.Second

func (r *restorer) progress() {
	if time.Since(r.spoken) < progressEvery {
		return
	}
	r.spoken = time.Now()
	for _, t := range r.tasks {
		var done, all int64
		for _, l := range t.logs {
			at := l.end
			if p, ok := r.fetcher.Position(l.tp); ok && !l.finished {
				at = p
			}
			done += at - l.start
			all += l.end - l.start
		}
		if all == 0 || done == 0 {
			continue
		}
		spent := time.Since(t.began)
		left := time.Duration(float64(spent) * float64(all-done) / float64(done))
		r.log.Info("restoring", "task", t.task.id.String(), "records", t.records, "percent", 100*done/all,
			"remaining", all-done, "eta", left.Round(time.Second).String())
	}
}
