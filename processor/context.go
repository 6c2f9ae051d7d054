package processor

import (
	"fmt"
	"time"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// Context is a processor's view of its task (Java: ProcessorContext). It may
// be kept between calls, but used only while the task calls the processor or
// one of its punctuators.
type Context[K, V any] struct {
	node *Node
	out  *Out[K, V]
}

// NewContext makes the context of a node that sends through out.
func NewContext[K, V any](n *Node, out *Out[K, V]) *Context[K, V] {
	return &Context[K, V]{node: n, out: out}
}

// Forward sends a record to every child. The error is one that the failing
// node's handler has decided to fail with; it fails the task even if the
// processor does not return it.
func (c *Context[K, V]) Forward(rec Record[K, V]) error {
	if err := c.check(rec.Timestamp); err != nil {
		return err
	}
	return c.out.Pass(c.sent(rec))
}

// ForwardTo sends a record to the child of that name only.
func (c *Context[K, V]) ForwardTo(child string, rec Record[K, V]) error {
	if err := c.check(rec.Timestamp); err != nil {
		return err
	}
	return c.out.PassTo(child, c.sent(rec))
}

func (c *Context[K, V]) check(timestamp int64) error {
	if timestamp < 0 {
		return &StreamsError{Msg: fmt.Sprintf("Malformed Record: node %s forwards the negative timestamp %d", c.node.name, timestamp)}
	}
	return nil
}

// sent gives a record made by hand the list of headers every record has.
func (c *Context[K, V]) sent(rec Record[K, V]) Record[K, V] {
	if rec.Headers == nil {
		rec.Headers = &record.Headers{}
	}
	return rec
}

// ApplicationID is the application's id.
func (c *Context[K, V]) ApplicationID() string { return c.node.host.ApplicationID() }

// TaskID is the task's id, as "0_1".
func (c *Context[K, V]) TaskID() string { return c.node.host.TaskID() }

// NodeName is the name of the processor's node.
func (c *Context[K, V]) NodeName() string { return c.node.name }

// Metadata is where the current record came from; false before the first
// record. In a punctuator the topic is empty, partition and offset are -1.
func (c *Context[K, V]) Metadata() (record.Context, bool) {
	rc := c.node.host.RecordContext()
	if rc == nil {
		return record.Context{}, false
	}
	return *rc, true
}

// StreamTime is the highest timestamp the task has taken for processing, in
// milliseconds; -1 before the first record.
func (c *Context[K, V]) StreamTime() int64 { return c.node.host.StreamTime() }

// SystemTime is the wall clock in milliseconds.
func (c *Context[K, V]) SystemTime() int64 { return c.node.host.SystemTime() }

// Commit asks for a commit after the current step.
func (c *Context[K, V]) Commit() { c.node.host.RequestCommit() }

// Store returns a store connected to the processor, or a global store, by name.
func (c *Context[K, V]) Store(name string) (statestore.Store, error) { return c.node.Store(name) }

// Every schedules f each interval of the chosen clock; the interval is rounded
// down to milliseconds and must be at least one. f gets the current stream time or
// wall-clock time in milliseconds, not the nominal one; after a jump it is
// called once.
func (c *Context[K, V]) Every(interval time.Duration, kind PunctuationKind, f func(now int64) error) (cancel func(), err error) {
	if interval < time.Millisecond {
		return nil, fmt.Errorf("node %s: the interval %v of a punctuator is shorter than a millisecond", c.node.name, interval)
	}
	return c.node.host.Schedule(c.node, Punctuation{Kind: kind, Interval: interval.Milliseconds()}, f), nil
}

// EveryFrom schedules f at start and then each interval after it (KIP-1146). A
// start in the past means the next slot of that grid.
func (c *Context[K, V]) EveryFrom(start time.Time, interval time.Duration, kind PunctuationKind, f func(now int64) error) (cancel func(), err error) {
	if interval < time.Millisecond {
		return nil, fmt.Errorf("node %s: the interval %v of a punctuator is shorter than a millisecond", c.node.name, interval)
	}
	return c.node.host.Schedule(c.node, Punctuation{Kind: kind, Interval: interval.Milliseconds(),
		Anchored: true, Start: start.UnixMilli()}, f), nil
}

// Store returns a store connected to the node, or a global store, by name. A
// global store can only be read, except by its own processor.
func (n *Node) Store(name string) (statestore.Store, error) {
	s, global, ok := n.host.Store(name)
	if ok && global {
		if v, guarded := s.(statestore.ReadOnlyView); guarded {
			return v.ReadOnly(), nil
		}
		return s, nil
	}
	for _, have := range n.stores {
		if ok && have == name {
			return s, nil
		}
	}
	return nil, &StreamsError{Msg: fmt.Sprintf("Processor %s has no access to StateStore %s as the store is not connected "+
		"to the processor: connect it with Topology.Connect or with.Stores", n.name, name)}
}
