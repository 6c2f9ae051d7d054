package processor

import (
	"time"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// FixedKeyRecord is a record whose key cannot be changed (Java:
// api.FixedKeyRecord), so that what is made of it stays in its partition. Each
// has headers of its own.
type FixedKeyRecord[K, V any] struct{ rec Record[K, V] }

// Key is the record's key, the zero value if it is null.
func (r FixedKeyRecord[K, V]) Key() K { return r.rec.Key }

// KeyNull tells whether the key is null.
func (r FixedKeyRecord[K, V]) KeyNull() bool { return r.rec.KeyNull }

// Value is the record's value, the zero value if it is null.
func (r FixedKeyRecord[K, V]) Value() V { return r.rec.Value }

// ValueNull tells whether the value is null.
func (r FixedKeyRecord[K, V]) ValueNull() bool { return r.rec.ValueNull }

// Timestamp in milliseconds.
func (r FixedKeyRecord[K, V]) Timestamp() int64 { return r.rec.Timestamp }

// Headers are the record's headers, mutable in place.
func (r FixedKeyRecord[K, V]) Headers() *record.Headers { return r.rec.Headers }

// WithTimestamp returns the record with another timestamp in milliseconds.
func (r FixedKeyRecord[K, V]) WithTimestamp(timestamp int64) FixedKeyRecord[K, V] {
	r.rec.Timestamp, r.rec.Headers = timestamp, r.rec.Headers.Clone()
	return r
}

// WithHeaders returns the record with a copy of other headers.
func (r FixedKeyRecord[K, V]) WithHeaders(h *record.Headers) FixedKeyRecord[K, V] {
	r.rec.Headers = h.Clone()
	return r
}

// WithFixedKeyValue returns the record with another value, which is null when
// it is a nil of a type that can be null.
func WithFixedKeyValue[V2, K, V any](r FixedKeyRecord[K, V], value V2) FixedKeyRecord[K, V2] {
	return FixedKeyRecord[K, V2]{WithValue(r.rec, value)}
}

// WithFixedKeyNull returns the record with a null value.
func WithFixedKeyNull[V2, K, V any](r FixedKeyRecord[K, V]) FixedKeyRecord[K, V2] {
	return FixedKeyRecord[K, V2]{Record[K, V2]{Key: r.rec.Key, KeyNull: r.rec.KeyNull, ValueNull: true,
		Timestamp: r.rec.Timestamp, Headers: r.rec.Headers.Clone()}}
}

// FixedKeyContext is a fixed-key processor's view of its task (Java:
// FixedKeyProcessorContext). The rules of [Context] hold.
type FixedKeyContext[K, V any] struct{ all *Context[K, V] }

// Forward sends a copy of the record to every child; see [Context.Forward].
func (c *FixedKeyContext[K, V]) Forward(r FixedKeyRecord[K, V]) error {
	if err := c.all.check(r.rec.Timestamp); err != nil {
		return err
	}
	return c.all.out.Forward(r.rec)
}

// ForwardTo sends a copy of the record to the child of that name only.
func (c *FixedKeyContext[K, V]) ForwardTo(child string, r FixedKeyRecord[K, V]) error {
	lists := &c.all.out.lists
	r.rec.Headers = lists.Copy(r.rec.Headers)
	err := c.all.ForwardTo(child, r.rec)
	lists.Done(r.rec.Headers)
	return err
}

// ApplicationID is the application's id.
func (c *FixedKeyContext[K, V]) ApplicationID() string { return c.all.ApplicationID() }

// TaskID is the task's id, as "0_1".
func (c *FixedKeyContext[K, V]) TaskID() string { return c.all.TaskID() }

// NodeName is the name of the processor's node.
func (c *FixedKeyContext[K, V]) NodeName() string { return c.all.NodeName() }

// Metadata is where the current record came from; see [Context.Metadata].
func (c *FixedKeyContext[K, V]) Metadata() (record.Context, bool) { return c.all.Metadata() }

// StreamTime is the highest timestamp the task has taken for processing, in
// milliseconds; -1 before the first record.
func (c *FixedKeyContext[K, V]) StreamTime() int64 { return c.all.StreamTime() }

// SystemTime is the wall clock in milliseconds.
func (c *FixedKeyContext[K, V]) SystemTime() int64 { return c.all.SystemTime() }

// Commit asks for a commit after the current step.
func (c *FixedKeyContext[K, V]) Commit() { c.all.Commit() }

// Store returns a store connected to the processor, or a global store, by name.
func (c *FixedKeyContext[K, V]) Store(name string) (statestore.Store, error) {
	return c.all.Store(name)
}

// Every schedules f each interval of the chosen clock; see [Context.Every].
func (c *FixedKeyContext[K, V]) Every(interval time.Duration, kind PunctuationKind, f func(now int64) error) (cancel func(), err error) {
	return c.all.Every(interval, kind, f)
}

// EveryFrom schedules f at start and then each interval after it; see
// [Context.EveryFrom].
func (c *FixedKeyContext[K, V]) EveryFrom(start time.Time, interval time.Duration, kind PunctuationKind, f func(now int64) error) (cancel func(), err error) {
	return c.all.EveryFrom(start, interval, kind, f)
}

// FixedKeyProcessor processes records one by one and cannot change their keys
// (Java: FixedKeyProcessor). The rules of [Processor] hold. Embed
// [FixedKeyBase] for an Init and a Close that do nothing.
type FixedKeyProcessor[K, V, V2 any] interface {
	Init(*FixedKeyContext[K, V2]) error
	Process(*FixedKeyContext[K, V2], FixedKeyRecord[K, V]) error
	Close() error
}

// FixedKeyBase is embedded in fixed-key processors that need no Init and no
// Close.
type FixedKeyBase[K, V2 any] struct{}

// Init implements [FixedKeyProcessor].
func (FixedKeyBase[K, V2]) Init(*FixedKeyContext[K, V2]) error { return nil }

// Close implements [FixedKeyProcessor].
func (FixedKeyBase[K, V2]) Close() error { return nil }

// FixedKeyUnit is the unit of a node with a user's fixed-key processor.
type FixedKeyUnit[K, V, V2 any] struct {
	Out[K, V2]
	processor FixedKeyProcessor[K, V, V2]
	ctx       *FixedKeyContext[K, V2]
	own       record.Lists
}

// NewFixedKeyUnit makes the unit of a fixed-key processor.
func NewFixedKeyUnit[K, V, V2 any](p FixedKeyProcessor[K, V, V2]) *FixedKeyUnit[K, V, V2] {
	return &FixedKeyUnit[K, V, V2]{processor: p}
}

// Init implements [Unit].
func (u *FixedKeyUnit[K, V, V2]) Init(n *Node) error {
	u.ctx = &FixedKeyContext[K, V2]{NewContext(n, &u.Out)}
	return u.processor.Init(u.ctx)
}

// Receive implements [Receiver]. The record is a new one, which the processor
// may keep.
func (u *FixedKeyUnit[K, V, V2]) Receive(rec Record[K, V]) error {
	rec.Headers = u.own.Copy(rec.Headers)
	return u.processor.Process(u.ctx, FixedKeyRecord[K, V]{rec})
}

// Close implements [Unit].
func (u *FixedKeyUnit[K, V, V2]) Close() error { return u.processor.Close() }
