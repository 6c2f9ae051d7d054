package processor

import (
	"context"

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
// it its deadline and cancellation.
func TaskContext(n *Node) context.Context {
	parent := context.Background()
	if h, ok := n.host.(interface{ Context() context.Context }); ok {
		parent = h.Context()
	}
	return &taskContext{Context: parent, host: n.host}
}

type taskContext struct {
	context.Context
	host Host
}

// Value implements context.Context.
func (c *taskContext) Value(key any) any {
	if key == (metadataKey{}) {
		return c.host.RecordContext()
	}
	return c.Context.Value(key)
}
