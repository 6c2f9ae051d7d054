package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/statestore"
)

// unplanned are the tasks whose offsets have not been asked for.
func (r *restorer) unplanned() []*restore {
	var fresh []*restore
	for _, t := range r.tasks {
		if !t.planned {
			fresh = append(fresh, t)
		}
	}
	return fresh
}

// plan finds out from where to where each store of the tasks is restored, and
// what was committed for their inputs. The end is that of now: what the tasks
// themselves write later is not read back.
func (r *restorer) plan(ctx context.Context, fresh []*restore) error {
	var inputs, logs []kafka.TopicPartition
	for _, t := range fresh {
		inputs = append(inputs, t.task.inputs...)
		for _, l := range t.task.logs {
			logs = append(logs, l.log)
		}
	}
	committed, err := r.committed(ctx, inputs...)
	if err != nil {
		return err
	}
	starts, err := r.admin.ListOffsets(ctx, kafka.Earliest, logs...)
	if err != nil {
		return fmt.Errorf("find the start of changelogs: %w", err)
	}
	ends, err := r.admin.ListOffsets(ctx, kafka.Latest, logs...)
	if err != nil {
		return fmt.Errorf("find the end of changelogs: %w", err)
	}
	for _, t := range fresh {
		t.planned = true
		t.committed = make(map[kafka.TopicPartition]kafka.OffsetAndMeta, len(t.task.inputs))
		for _, tp := range t.task.inputs {
			if o, ok := committed[tp]; ok {
				t.committed[tp] = o
			}
		}
		r.begin(t, starts, ends)
	}
	return nil
}

// begin plans the changelogs of one task and starts to read them.
func (r *restorer) begin(t *restore, starts, ends map[kafka.TopicPartition]int64) {
	stores := make(map[string]statestore.Store)
	for _, s := range t.task.Stores() {
		stores[s.Name()] = s
	}
	for i := range t.task.logs {
		s := &t.task.logs[i]
		next, corrupt, err := r.position(stores[s.store], s.log, starts[s.log], ends[s.log])
		if corrupt != nil || err != nil {
			r.finish(t, corrupt, err)
			return
		}
		s.offset = next - 1
		end := ends[s.log]
		if s.source {
			// What was not committed will be read again as input.
			end = min(end, max(t.committed[s.log].Offset, 0))
		}
		t.add(s, stores[s.store], next, end)
	}
	if len(t.logs) == 0 {
		r.finish(t, nil, nil)
		return
	}
	for _, l := range t.logs {
		r.event(t, l, RestoreStarted, l.start, 0)
		r.fetcher.Add(l.tp, l.start)
	}
	for _, l := range t.logs {
		if l.start >= l.end {
			r.end(t, l)
		}
	}
}

// position is the first offset that a store lacks. The state is corrupt if
// the changelog does not hold that offset: it was deleted, or the topic was
// made anew.
func (r *restorer) position(s statestore.Store, tp kafka.TopicPartition, start, end int64) (next int64, corrupt, err error) {
	last, err := s.CommittedOffset()
	if err != nil {
		return 0, nil, fmt.Errorf("read the changelog offset of store %s: %w", s.Name(), err)
	}
	if last < 0 {
		return start, nil, nil
	}
	if next = last + 1; next < start || next > end {
		return 0, fmt.Errorf("store %s reflects %s up to offset %d, but the topic holds offsets %d to %d", s.Name(), tp, last, start, end-1), nil
	}
	return next, nil, nil
}

// add plans one store. Stores with the same changelog are restored together
// from where the first of them lacks something: reading records again does
// not change the outcome.
func (t *restore) add(s *storeLog, store statestore.Store, start, end int64) {
	for _, l := range t.logs {
		if l.tp == s.log {
			l.stores = append(l.stores, store)
			l.logs = append(l.logs, s)
			l.start = min(l.start, start)
			return
		}
	}
	t.logs = append(t.logs, &logRestore{tp: s.log, stores: []statestore.Store{store}, logs: []*storeLog{s}, start: start, end: end})
}

// planRetry is the pause after offsets could not be found out.
const planRetry = 500 * time.Millisecond

// planFailed tries again later, unless that would not help.
func (r *restorer) planFailed(ctx context.Context, fresh []*restore, err error) {
	if !kafka.Retriable(err) {
		for _, t := range fresh {
			r.finish(t, nil, fmt.Errorf("restore task %s: %w", t.task.id, err))
		}
		return
	}
	r.log.Warn("restore is waiting for the broker", "err", err)
	timer := time.NewTimer(planRetry)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
