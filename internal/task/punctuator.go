package task

import (
	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/processor"
)

// schedule is one registered punctuator; due is its next time in milliseconds.
type schedule struct {
	node      *processor.Node
	due       int64
	interval  int64
	call      func(now int64) error
	cancelled bool
}

// advance moves the schedule to its next slot after now; slots that were
// missed are skipped, so a jump fires once.
func (s *schedule) advance(now int64) {
	next := s.due + s.interval
	if now >= next {
		next = s.due + ((now-s.due)/s.interval+1)*s.interval
	}
	s.due = next
}

// punctuators are the schedules of one clock in order of their due time
// (Java: PunctuationQueue).
type punctuators struct {
	queue *javaorder.PriorityQueue[*schedule]
}

func newPunctuators() punctuators {
	return punctuators{queue: javaorder.NewPriorityQueue(func(a, b *schedule) bool { return a.due < b.due })}
}

func (p punctuators) add(s *schedule) (cancel func()) {
	p.queue.Offer(s)
	return func() { s.cancelled = true }
}

// run fires everything due at now. A schedule cancelled by its own call is not
// put back.
func (p punctuators) run(now int64, fire func(*schedule, int64) error) (did bool, err error) {
	for {
		s, ok := p.queue.Peek()
		if !ok || s.due > now {
			return did, nil
		}
		p.queue.Poll()
		if s.cancelled {
			continue
		}
		if err := fire(s, now); err != nil {
			return true, err
		}
		if !s.cancelled {
			s.advance(now)
			p.queue.Offer(s)
		}
		did = true
	}
}

// Schedule implements processor.Host. Without an anchor a stream-time
// punctuator is due as soon as there is stream time, a wall-clock one after
// its interval; with one, the grid begins at the anchor and a past anchor
// means its next slot.
func (c *core) Schedule(n *processor.Node, p processor.Punctuation, f func(now int64) error) (cancel func()) {
	s := &schedule{node: n, interval: p.Interval, call: f}
	now := c.now
	if p.Kind == processor.StreamTime {
		now = c.StreamTime()
	}
	switch {
	case p.Anchored:
		s.due = p.Start
		if s.due < now {
			s.advance(now)
		}
	case p.Kind == processor.WallClock:
		s.due = now + p.Interval
	}
	if p.Kind == processor.WallClock {
		return c.wallClock.add(s)
	}
	return c.byStreamTime.add(s)
}
