package ops

import (
	"math"
	"sync"

	"github.com/millrace/millrace/processor"
)

// joinClock is what the two sides of a join know together within a task (Java:
// KStreamImplJoin.TimeTracker). Nothing of it outlives the task.
type joinClock struct {
	// streamTime is the highest timestamp of either side; every record advances
	// it, also one that is dropped.
	streamTime int64
	// minTime is the timestamp of the earliest unmatched row, as far as known:
	// after a scan it is that of the last row looked at.
	minTime int64
	// nextEmit is the wall-clock time of the next scan for closed windows.
	nextEmit int64
}

// joinClocks gives the sides of a join the clock of their task.
type joinClocks struct {
	mu    sync.Mutex
	clock map[processor.Host]*joinClock // guarded by mu
}

func (c *joinClocks) of(task processor.Host) *joinClock {
	c.mu.Lock()
	defer c.mu.Unlock()
	clock := c.clock[task]
	if clock == nil {
		clock = &joinClock{streamTime: -1, minTime: math.MaxInt64}
		if c.clock == nil {
			c.clock = map[processor.Host]*joinClock{}
		}
		c.clock[task] = clock
	}
	return clock
}

// drop forgets a task; its units keep the clock they have.
func (c *joinClocks) drop(task processor.Host) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.clock, task)
}
