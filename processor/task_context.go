package processor

import (
	"context"
	"time"

	"github.com/millrace/millrace/record"
)

// MetadataOf tells a function that was handed a task's context where the record
// at hand came from. It is valid during the call; false for other contexts and
// before the first record.
func MetadataOf(ctx context.Context) (record.Context, bool) {
	rc, _ := ctx.Value(metadataKey{}).(*record.Context)
	if rc == nil {
		return record.Context{}, false
	}
	return *rc, true
}

type metadataKey struct{}

// TaskContext is the context that functions of the node are called with. It is
// made once, when the node is readied. A host that has a Context method lends
// it its deadline and cancellation; without one it is never cancelled.
func TaskContext(n *Node) context.Context {
	c := &taskContext{host: n.host}
	if h, ok := n.host.(interface{ Context() context.Context }); ok {
		c.parent = h.Context()
	}
	return c
}

type taskContext struct {
	parent context.Context // nil if the host has none
	host   Host
}

// Deadline implements context.Context.
func (c *taskContext) Deadline() (t time.Time, ok bool) {
	if c.parent == nil {
		return t, false
	}
	return c.parent.Deadline()
}

// Done implements context.Context.
func (c *taskContext) Done() <-chan struct{} {
	if c.parent == nil {
		return nil
	}
	return c.parent.Done()
}

// Err implements context.Context.
func (c *taskContext) Err() error {
	if c.parent == nil {
		return nil
	}
	return c.parent.Err()
}

// Value implements context.Context.
func (c *taskContext) Value(key any) any {
	switch {
	case key == metadataKey{}:
		return c.host.RecordContext()
	case c.parent == nil:
		return nil
	}
	return c.parent.Value(key)
}
