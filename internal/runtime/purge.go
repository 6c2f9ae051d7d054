package runtime

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/millrace/millrace/internal/kafka"
)

// purger deletes the records of repartition topics that have been committed:
// nobody else reads them, and their retention has no limit.
type purger struct {
	admin    *kafka.Admin
	ctx      context.Context
	log      *slog.Logger
	interval time.Duration
	topics   map[string]bool // by real name

	wg   sync.WaitGroup
	busy chan struct{} // holds a token while no deletion is under way
	last time.Time
	due  map[kafka.TopicPartition]int64
}

func (p *Process) newPurger() *purger {
	u := &purger{admin: p.admin, ctx: p.hard, log: p.log, interval: p.cfg.PurgeInterval, topics: make(map[string]bool),
		busy: make(chan struct{}, 1), last: time.Now(), due: make(map[kafka.TopicPartition]int64)}
	u.busy <- struct{}{}
	for _, sub := range p.cfg.Topology.Subtopologies() {
		for _, in := range sub.RepartitionSourceTopics {
			u.topics[p.cfg.Topology.TopicName(p.cfg.Task.ApplicationID, in.Name)] = true
		}
	}
	return u
}

// note remembers what was committed and, when it is time, deletes up to there
// in the background. A deletion that does not succeed is repeated by the next.
func (u *purger) note(offsets map[kafka.TopicPartition]kafka.OffsetAndMeta) {
	for tp, o := range offsets {
		if u.topics[tp.Topic] {
			u.due[tp] = o.Offset
		}
	}
	if len(u.due) == 0 || time.Since(u.last) < u.interval {
		return
	}
	select {
	case <-u.busy:
	default:
		return
	}
	due := u.due
	u.due = make(map[kafka.TopicPartition]int64)
	u.last = time.Now()
	u.wg.Go(func() {
		if err := u.admin.DeleteRecords(u.ctx, due); err != nil {
			u.log.Info("repartition topics not purged this time", "err", err)
		}
		u.busy <- struct{}{}
	})
}

func (u *purger) wait() { u.wg.Wait() }
