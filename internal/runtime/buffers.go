package runtime

import (
	"sync"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// balanceBuffers keeps joined inputs in step. A task may have to wait for
// records of one input while others fill its queues. As long as the worker has
// something to do it stops polling when it holds too much. When it has nothing
// to do and holds too much all the same, the inputs that are far ahead are
// paused, so that the missing one can be fetched; they are resumed when their
// queue has drained to Java's limit (buffered.records.per.partition).
// Pausing earlier would fetch everything twice, as the client throws away what
// it holds of a paused partition.
func (w *worker) balanceBuffers() {
	full := !w.busy && w.buffered() >= w.cfg.MaxBufferedBytes
	limit := w.cfg.Task.BufferedRecords
	var starving []kafka.TopicPartition
	for _, t := range w.tasks {
		if t.phase != running || len(t.inputs) == 1 {
			continue
		}
		waits := false
		for _, tp := range t.inputs {
			n := t.Buffered(task.TopicPartition(tp))
			switch {
			case t.paused[tp] && n <= limit:
				delete(t.paused, tp)
				w.consumer.Resume(tp)
			case full && n > limit && !t.paused[tp]:
				t.paused[tp] = true
				w.consumer.Pause(tp)
			}
			waits = waits || n > 0
		}
		if waits && w.cfg.Task.MaxTaskIdle >= 0 {
			starving = append(starving, t.starved()...)
		}
	}
	w.lags.learn(w)
	if len(starving) > 0 {
		w.lags.ask(w, starving)
	}
}

// starved are the inputs without buffered records.
func (t *activeTask) starved() []kafka.TopicPartition {
	var tps []kafka.TopicPartition
	for _, tp := range t.inputs {
		if t.Buffered(task.TopicPartition(tp)) == 0 {
			tps = append(tps, tp)
		}
	}
	return tps
}

// lagProbe finds out whether an input without buffered records is at its end.
// The client tells the lag only with records, so an input that never brings
// any would be waited for forever (Java's consumer knows it from empty
// answers). One question is under way at a time.
type lagProbe struct {
	admin *kafka.Admin
	wg    sync.WaitGroup
	asked map[kafka.TopicPartition]int64 // under way, with the position then
	next  time.Time                      // not before

	mu     sync.Mutex
	ended  bool // the answer is there
	bounds map[kafka.TopicPartition][2]int64
}

// probePause is the time between two questions.
const probePause = 100 * time.Millisecond

func (p *lagProbe) ask(w *worker, tps []kafka.TopicPartition) {
	if len(p.asked) > 0 || time.Now().Before(p.next) {
		return
	}
	for _, tp := range tps {
		p.asked[tp] = w.byInput[tp].position(tp)
	}
	ctx := w.hard
	p.wg.Go(func() {
		bounds := make(map[kafka.TopicPartition][2]int64)
		starts, err := p.admin.ListOffsets(ctx, kafka.Earliest, tps...)
		if err == nil {
			var ends map[kafka.TopicPartition]int64
			if ends, err = p.admin.ListOffsets(ctx, kafka.Latest, tps...); err == nil {
				for _, tp := range tps {
					bounds[tp] = [2]int64{starts[tp], ends[tp]}
				}
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended, p.bounds = true, bounds
	})
}

// learn takes the answer. An input without a position has not been read since
// the group began: nothing is missing if its log is empty, or if it is read
// from its end.
func (p *lagProbe) learn(w *worker) {
	p.mu.Lock()
	ended, bounds := p.ended, p.bounds
	p.ended, p.bounds = false, nil
	p.mu.Unlock()
	if !ended {
		return
	}
	p.next = time.Now().Add(probePause)
	for tp, before := range p.asked {
		delete(p.asked, tp)
		t := w.byInput[tp]
		b, known := bounds[tp]
		if t == nil || !known || t.position(tp) != before || t.Buffered(task.TopicPartition(tp)) > 0 {
			continue // records came in the meantime
		}
		position := max(before, b[0])
		if before < 0 && w.cfg.resetOf(tp.Topic).Kind == kafka.ResetLatest {
			position = b[1]
		}
		t.SetLag(task.TopicPartition(tp), max(b[1]-position, 0), true)
	}
}

// position is where the consumer is in an input, -1 if unknown.
func (t *activeTask) position(tp kafka.TopicPartition) int64 {
	if at, ok := t.positions[tp]; ok {
		return at
	}
	return -1
}

func (p *lagProbe) wait() { p.wg.Wait() }
