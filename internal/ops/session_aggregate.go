package ops

import (
	"fmt"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// SessionAggregate aggregates the records of each key in sessions (Java:
// KStreamSessionWindowAggregate). Records with a null key are dropped, those
// with a null value are not. A record merges the sessions that it connects: each
// of them is deleted and its deletion sent, even if the result is the same
// window again. What is sent has the time of the window's end and, unless it
// is sent on close, no headers.
type SessionAggregate[K, V, A any] struct {
	windowedPlan[K, V, A]
	windows window.Session
}

// NewSessionAggregate plans an aggregation that keeps its results in the store.
// The fold must have a merger.
func NewSessionAggregate[K, V, A any](store string, w window.Session, fold Fold[K, V, A], onClose bool) *SessionAggregate[K, V, A] {
	return &SessionAggregate[K, V, A]{windowedPlan[K, V, A]{store: store, fold: fold, onClose: onClose}, w}
}

// View implements dsl.TableSupplier.
func (p *SessionAggregate[K, V, A]) View() dsl.View[window.Windowed[K], A] {
	return sessionView[K, A](p.store)
}

// New makes the unit of a task.
func (p *SessionAggregate[K, V, A]) New() (processor.Unit, error) {
	return &sessionAggregate[K, V, A]{plan: &p.windowedPlan, gap: p.windows.GapMs(), grace: p.windows.GraceMs()}, nil
}

type sessionAggregate[K, V, A any] struct {
	processor.Out[window.Windowed[K], processor.Change[A]]
	plan       *windowedPlan[K, V, A]
	gap, grace int64
	node       *processor.Node
	store      *sessionStore[K, A]
	forward    TupleForwarder[window.Windowed[K], A]
	// emission is nil unless results are sent when sessions close.
	emission   *emission
	streamTime int64
	// absorbed are the sessions that the record at hand connects, merged and agg
	// what becomes of them. They lie here so that nothing escapes from the stack.
	absorbed []statestore.Entry[window.Windowed[K], A]
	merged   window.Windowed[K]
	agg      A
	has      bool
}

// Init implements processor.Unit.
func (u *sessionAggregate[K, V, A]) Init(n *processor.Node) (err error) {
	u.node, u.streamTime = n, noTime
	if u.store, err = openSessionStore[K, A](n, u.plan.store); err != nil {
		return err
	}
	if u.plan.onClose {
		u.emission = newEmission(n, u.plan.store)
		return nil
	}
	u.forward = newSessionForwarder(u.store, &u.Out, u.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (u *sessionAggregate[K, V, A]) Close() error { return nil }

// Receive implements processor.Receiver.
func (u *sessionAggregate[K, V, A]) Receive(rec processor.Record[K, V]) error {
	if rec.KeyNull {
		dropNull(u.node, "its key is null")
		return nil
	}
	u.streamTime = max(u.streamTime, rec.Timestamp)
	closeTime := u.streamTime - u.grace - u.gap
	u.merged = window.Windowed[K]{Key: rec.Key, Start: rec.Timestamp, End: rec.Timestamp}
	u.agg, u.has = u.plan.fold.Init()
	if err := u.merge(rec.Key, rec.Timestamp); err != nil {
		return err
	}
	if u.merged.End < closeTime {
		dropLate(u.node, expired{rec.Timestamp, u.merged.Start, u.merged.End, closeTime, u.streamTime})
	} else if err := u.replace(rec); err != nil {
		return err
	}
	if u.emission == nil || !u.emission.due(closeTime) {
		return nil
	}
	return u.emitClosed(rec, closeTime)
}

// merge finds the sessions at most a gap away, in the store's order.
func (u *sessionAggregate[K, V, A]) merge(key K, timestamp int64) error {
	u.absorbed = u.absorbed[:0]
	for e, err := range u.store.find(key, timestamp-u.gap, timestamp+u.gap) {
		if err != nil {
			return err
		}
		u.absorb(e)
	}
	return nil
}

func (u *sessionAggregate[K, V, A]) absorb(e statestore.Entry[window.Windowed[K], A]) {
	m := &u.merged
	u.absorbed = append(u.absorbed, e)
	u.agg, u.has = u.plan.fold.Merge(m.Key, u.agg, u.has, e.Value, true)
	m.Start, m.End = min(m.Start, e.Key.Start), max(m.End, e.Key.End)
}

// replace puts the merged session in the place of those it has absorbed. A
// single session of this very moment is overwritten without a deletion.
func (u *sessionAggregate[K, V, A]) replace(rec processor.Record[K, V]) error {
	if u.merged.Start != rec.Timestamp || u.merged.End != rec.Timestamp {
		for i := range u.absorbed {
			e := &u.absorbed[i]
			if err := u.store.remove(e.Key); err != nil {
				return err
			}
			if err := u.send(e.Key, processor.Change[A]{Old: e.Value, HasOld: true}); err != nil {
				return err
			}
		}
	}
	agg, has, err := u.plan.fold.Add(rec, u.agg, u.has)
	if err != nil {
		return fmt.Errorf("node %s: %w", u.node.Name(), err)
	}
	if err := u.store.put(u.merged, agg, has); err != nil {
		return err
	}
	return u.send(u.merged, processor.Change[A]{New: agg, HasNew: has})
}

// send forwards an update unless results wait for the session to close.
func (u *sessionAggregate[K, V, A]) send(key window.Windowed[K], c processor.Change[A]) error {
	if u.emission != nil {
		return nil
	}
	return u.forward.Forward(processor.Record[window.Windowed[K], processor.Change[A]]{Key: key, Value: c,
		Timestamp: key.End})
}

// emitClosed sends the sessions that ended, inclusively, before the close time
// and not before the last one.
func (u *sessionAggregate[K, V, A]) emitClosed(rec processor.Record[K, V], closeTime int64) error {
	from, to := max(0, u.emission.last), closeTime-1
	if to < 0 || to < from {
		return nil
	}
	for e, err := range u.store.byEnd(from, to) {
		if err != nil {
			return err
		}
		if err := u.Forward(processor.Record[window.Windowed[K], processor.Change[A]]{Key: e.Key,
			Value: processor.Change[A]{New: e.Value, HasNew: true}, Timestamp: e.Key.End, Headers: rec.Headers}); err != nil {
			return err
		}
	}
	u.emission.done(closeTime)
	return nil
}

// sessionView reads a table of sessions.
func sessionView[K, A any](store string) dsl.View[window.Windowed[K], A] {
	return dsl.View[window.Windowed[K], A]{Stores: []string{store},
		New: func() dsl.ValueGetter[window.Windowed[K], A] { return &sessionGetter[K, A]{name: store} }}
}

type sessionGetter[K, A any] struct {
	name  string
	store *sessionStore[K, A]
}

// Init implements dsl.ValueGetter.
func (g *sessionGetter[K, A]) Init(n *processor.Node) (err error) {
	g.store, err = openSessionStore[K, A](n, g.name)
	return err
}

// Get implements dsl.ValueGetter. A session's row has the time of its end.
func (g *sessionGetter[K, A]) Get(key window.Windowed[K]) (row statestore.Timed[A], ok bool, err error) {
	row.Value, ok, err = g.store.fetch(key)
	row.Timestamp = key.End
	return row, ok, err
}

// GetAsOf implements dsl.ValueGetter.
func (g *sessionGetter[K, A]) GetAsOf(window.Windowed[K], int64) (row statestore.Timed[A], ok bool, err error) {
	return row, false, notVersioned(g.name)
}

// Versioned implements dsl.ValueGetter.
func (g *sessionGetter[K, A]) Versioned() bool { return false }

// Close implements dsl.ValueGetter.
func (g *sessionGetter[K, A]) Close() error { return nil }
