package processor

import (
	"time"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// ValueTransformer turns the values of a table into others, with stores at hand
// (Java: ValueTransformerWithKey). One instance is made for each task and each
// place where the table is read. Embed [ValueTransformerBase] for an Init and a
// Close that do nothing.
type ValueTransformer[K, V, V2 any] interface {
	// Init is called once before the first value.
	Init(*ValueContext) error
	// Transform returns the new value of a row; has is false for a deletion, or
	// for a row that is asked for and does not exist. The key must not be
	// changed. A nil of a type that can be null means that there is no value.
	Transform(key K, value V, has bool) (V2, error)
	// Close is called once when the task ends.
	Close() error
}

// ValueTransformerBase is embedded in value transformers that need no Init and
// no Close.
type ValueTransformerBase struct{}

// Init implements [ValueTransformer].
func (ValueTransformerBase) Init(*ValueContext) error { return nil }

// Close implements [ValueTransformer].
func (ValueTransformerBase) Close() error { return nil }

// ValueContext is a value transformer's view of its task: that of a processor
// that cannot forward. The rules of [Context] hold.
type ValueContext struct{ all *Context[struct{}, struct{}] }

// NewValueContext makes the context of a node.
func NewValueContext(n *Node) *ValueContext {
	return &ValueContext{NewContext(n, &Out[struct{}, struct{}]{host: n.host})}
}

// ApplicationID is the application's id.
func (c *ValueContext) ApplicationID() string { return c.all.ApplicationID() }

// TaskID is the task's id, as "0_1".
func (c *ValueContext) TaskID() string { return c.all.TaskID() }

// NodeName is the name of the processor's node.
func (c *ValueContext) NodeName() string { return c.all.NodeName() }

// Metadata is where the current record came from, with its timestamp and
// headers; see [Context.Metadata]. While another node reads the table, topic,
// partition and offset are unknown and the timestamp is the row's.
func (c *ValueContext) Metadata() (record.Context, bool) { return c.all.Metadata() }

// StreamTime is the highest timestamp the task has taken for processing, in
// milliseconds; -1 before the first record.
func (c *ValueContext) StreamTime() int64 { return c.all.StreamTime() }

// SystemTime is the wall clock in milliseconds.
func (c *ValueContext) SystemTime() int64 { return c.all.SystemTime() }

// Commit asks for a commit after the current step.
func (c *ValueContext) Commit() { c.all.Commit() }

// Store returns a store connected to the node, or a global store, by name.
func (c *ValueContext) Store(name string) (statestore.Store, error) { return c.all.Store(name) }

// Every schedules f each interval of the chosen clock; see [Context.Every].
func (c *ValueContext) Every(interval time.Duration, kind PunctuationKind, f func(now int64) error) (cancel func(), err error) {
	return c.all.Every(interval, kind, f)
}

// EveryFrom schedules f at start and then each interval after it; see
// [Context.EveryFrom].
func (c *ValueContext) EveryFrom(start time.Time, interval time.Duration, kind PunctuationKind, f func(now int64) error) (cancel func(), err error) {
	return c.all.EveryFrom(start, interval, kind, f)
}
