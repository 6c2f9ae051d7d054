package statestore

import (
	"sync/atomic"
	"unicode/utf16"

	"github.com/millrace/millrace/record"
)

// Cache is the record cache of one worker (Java: ThreadCache): it holds the
// last update of each key and lets it out, to the changelog and downstream,
// at a commit or when the cache is full. Since this decides which updates
// others see, its accounting, its order of eviction and its order of flushing
// are Java's to the byte.
//
// The budget is shared by the stores of the worker's tasks. An update that
// exceeds it evicts from its own store's part, least recently used first, until
// the whole fits; evicting an update that was not yet let out lets out all of
// that part first.
//
// A cache belongs to its worker's goroutine; Size and the reading side of
// stores may be used from others.
type Cache struct {
	max int64
	// held is the sum of the parts. counted is what Java takes for it: there an
	// operation counts when it is over, so that an eviction still counts its row
	// while the row's listeners fill other parts; and what a listener does to the
	// very part it is told of counts twice. The budget is for what is counted.
	held    int64
	counted atomic.Int64
	named   []*Named
	topics  []string
	topicID map[string]int32
	keepRaw bool
	// step holds the headers of the updates of the current step.
	step  []stepHeaders
	lists record.Lists
}

// stepHeaders are the headers of a record that updated a row. While its step
// lasts, nodes may add to them; Java's cache refers to the list and shows that.
type stepHeaders struct {
	named *Named
	row   int32
	held  record.Held
}

// NewCache returns a cache with a budget in bytes. The same formula as Java's
// is counted: 45 bytes for a row, its key and value, and the topic and headers
// of its last update.
func NewCache(maxBytes int64) *Cache {
	return &Cache{max: maxBytes, topics: []string{""}, topicID: map[string]int32{"": 0}}
}

// KeepRaw makes the cache keep the source key and value of each update, which
// dead-letter records need when a flush fails. It is off by default: it costs
// memory that is not counted. It does not change what is held already.
func (c *Cache) KeepRaw(keep bool) { c.keepRaw = keep }

// EndStep tells the cache that the record or the punctuation at hand has been
// processed: headers stay as they are from here on.
func (c *Cache) EndStep() {
	for i := range c.step {
		c.step[i].named.settle(int32(i), &c.step[i])
	}
	clear(c.step)
	c.step = c.step[:0]
}

// full tells whether a row must go.
func (c *Cache) full() bool { return c.counted.Load() > c.max }

// mostAstray is how far the count may go astray beyond the size of the budget.
// In Java there is no end to it, and so none to the memory.
const mostAstray = 1 << 20

// count takes note of an operation that has ended.
func (c *Cache) count(by int64) {
	if astray := c.counted.Add(by) - c.held; max(astray, -astray)-mostAstray > c.max {
		c.counted.Store(c.held)
	}
}

// Size is the number of bytes held, as Java counts them.
func (c *Cache) Size() int64 { return c.counted.Load() }

// Max is the budget in bytes.
func (c *Cache) Max() int64 { return c.max }

// Resize changes the budget. A smaller one evicts in turns from every store.
func (c *Cache) Resize(maxBytes int64) error {
	c.max = maxBytes
	for c.full() {
		evicted := false
		for _, n := range c.named {
			if !c.full() {
				return nil
			}
			if n.rows == 0 {
				continue
			}
			evicted = true
			if err := n.shrink(); err != nil {
				return err
			}
		}
		if !evicted {
			return nil
		}
	}
	return nil
}

// Named returns the part of a task's store, which is made when it is new.
func (c *Cache) Named(taskID, store string) *Named {
	name := taskID + "-" + store
	for _, n := range c.named {
		if n.name == name {
			return n
		}
	}
	n := newNamed(c, name)
	c.named = append(c.named, n)
	return n
}

// All are the parts in the order they were made.
func (c *Cache) All() []*Named { return c.named }

// topic gives a topic a number, so that rows hold no strings.
func (c *Cache) topic(name string) int32 {
	if id, ok := c.topicID[name]; ok {
		return id
	}
	id := int32(len(c.topics))
	c.topics = append(c.topics, name)
	c.topicID[name] = id
	return id
}

// The sizes of a cached row as NamedCache.LRUNode and LRUCacheEntry count them.
const (
	nodeSize    = 3 * 8
	dirtySize   = 1
	contextSize = 8 + 8 + 4
	rowSize     = nodeSize + dirtySize + contextSize
)

func accounted(key, value []byte, topic string, h *record.Headers) int64 {
	n := int64(rowSize + len(key) + len(value) + javaLen(topic))
	for _, e := range h.All() {
		n += int64(javaLen(e.Key) + len(e.Value))
	}
	return n
}

// javaLen is the length of a string in UTF-16 units.
func javaLen(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return len(utf16.Encode([]rune(s)))
		}
	}
	return len(s)
}
