package ops

import (
	"fmt"
	"iter"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// timedEntries are the rows of a window store with their timestamps.
type timedEntries[K, A any] = iter.Seq2[statestore.Entry[window.Windowed[K], statestore.Timed[A]], error]

// windowStore is the store of an aggregation in time windows, of either kind:
// timestamped, or with headers too (Java:
// WindowedTimestampedHeadersStoreToWindowedTimestampedStoreAdapter). Aggregates
// have no headers of their own.
type windowStore[K, A any] struct {
	timed   statestore.TimestampedWindow[K, A]
	headers statestore.HeadersWindow[K, A]
}

// openWindowStore finds the store of that name, which must be connected to the
// node.
func openWindowStore[K, A any](n *processor.Node, name string) (*windowStore[K, A], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case statestore.TimestampedWindow[K, A]:
		return &windowStore[K, A]{timed: s}, nil
	case statestore.HeadersWindow[K, A]:
		return &windowStore[K, A]{headers: s}, nil
	default:
		return nil, fmt.Errorf("node %s: store %s is %T, want windows of %T and %T: %w",
			n.Name(), name, s, *new(K), *new(A), processor.ErrTypeMismatch)
	}
}

// store is the store itself.
func (s *windowStore[K, A]) store() statestore.Store {
	if s.headers != nil {
		return s.headers
	}
	return s.timed
}

func (s *windowStore[K, A]) fetch(key K, start int64) (statestore.Timed[A], bool, error) {
	if s.headers == nil {
		return s.timed.Fetch(key, start)
	}
	v, ok, err := s.headers.Fetch(key, start)
	return statestore.Timed[A]{Value: v.Value, Timestamp: v.Timestamp}, ok, err
}

// put sets the aggregate of a window, or deletes it when has is false.
func (s *windowStore[K, A]) put(key K, row statestore.Timed[A], has bool, start int64) error {
	switch {
	case s.headers == nil && has:
		return s.timed.Put(key, row, start)
	case s.headers == nil:
		return s.timed.Remove(key, start)
	case has:
		return s.headers.Put(key, statestore.TimedHeaders[A]{Value: row.Value, Timestamp: row.Timestamp}, start)
	default:
		return s.headers.Remove(key, start)
	}
}

// ofKey scans the windows of one key that begin in a range, ascending or
// descending by start.
func (s *windowStore[K, A]) ofKey(key K, from, to int64, backward bool) timedEntries[K, A] {
	keys := statestore.Between(key, key)
	if backward {
		keys = keys.Reverse()
	}
	if s.headers == nil {
		return s.timed.FetchKeys(keys, from, to)
	}
	return withoutHeaders(s.headers.FetchKeys(keys, from, to))
}

// all scans the windows of all keys that begin in a range.
func (s *windowStore[K, A]) all(from, to int64) timedEntries[K, A] {
	if s.headers == nil {
		return s.timed.FetchAll(from, to)
	}
	return withoutHeaders(s.headers.FetchAll(from, to))
}

func withoutHeaders[K, A any](rows statestore.WindowEntries[K, statestore.TimedHeaders[A]]) timedEntries[K, A] {
	return func(yield func(statestore.Entry[window.Windowed[K], statestore.Timed[A]], error) bool) {
		for e, err := range rows {
			row := statestore.Timed[A]{Value: e.Value.Value, Timestamp: e.Value.Timestamp}
			if !yield(statestore.Entry[window.Windowed[K], statestore.Timed[A]]{Key: e.Key, Value: row}, err) {
				return
			}
		}
	}
}

// sessionStore is the store of an aggregation in sessions, plain or with
// headers (Java: SessionHeadersStoreToSessionStoreAdapter).
type sessionStore[K, A any] struct {
	plain   statestore.Session[K, A]
	headers statestore.HeadersSession[K, A]
	// putNull puts a null aggregate.
	putNull func(window.Windowed[K]) error
}

func openSessionStore[K, A any](n *processor.Node, name string) (*sessionStore[K, A], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case statestore.Session[K, A]:
		return &sessionStore[K, A]{plain: s, putNull: putNullOf(s, s.Remove)}, nil
	case statestore.HeadersSession[K, A]:
		return &sessionStore[K, A]{headers: s, putNull: putNullOf(s, s.Remove)}, nil
	default:
		return nil, fmt.Errorf("node %s: store %s is %T, want sessions of %T and %T: %w",
			n.Name(), name, s, *new(K), *new(A), processor.ErrTypeMismatch)
	}
}

// putNullOf is the store's way to put null, else to remove.
func putNullOf[K any](s statestore.Store, remove func(window.Windowed[K]) error) func(window.Windowed[K]) error {
	if p, ok := s.(interface {
		PutNull(window.Windowed[K]) error
	}); ok {
		return p.PutNull
	}
	return remove
}

func (s *sessionStore[K, A]) store() statestore.Store {
	if s.headers != nil {
		return s.headers
	}
	return s.plain
}

func (s *sessionStore[K, A]) fetch(w window.Windowed[K]) (A, bool, error) {
	if s.headers == nil {
		return s.plain.FetchSession(w.Key, w.Start, w.End)
	}
	v, ok, err := s.headers.FetchSession(w.Key, w.Start, w.End)
	return v.Value, ok, err
}

func (s *sessionStore[K, A]) put(w window.Windowed[K], agg A, has bool) error {
	switch {
	case !has:
		return s.putNull(w)
	case s.headers == nil:
		return s.plain.Put(w, agg)
	default:
		return s.headers.Put(w, statestore.WithHeaders[A]{Value: agg})
	}
}

func (s *sessionStore[K, A]) remove(w window.Windowed[K]) error {
	if s.headers == nil {
		return s.plain.Remove(w)
	}
	return s.headers.Remove(w)
}

// find scans the sessions of a key that end at earliestEnd or later and begin
// at latestStart or earlier.
func (s *sessionStore[K, A]) find(key K, earliestEnd, latestStart int64) statestore.WindowEntries[K, A] {
	if s.headers == nil {
		return s.plain.FindSessions(key, earliestEnd, latestStart)
	}
	return plainAggregates(s.headers.FindSessions(key, earliestEnd, latestStart))
}

// byEnd scans the sessions of all keys that end in a range.
func (s *sessionStore[K, A]) byEnd(earliestEnd, latestEnd int64) statestore.WindowEntries[K, A] {
	if s.headers == nil {
		return s.plain.FindByEnd(earliestEnd, latestEnd)
	}
	return plainAggregates(s.headers.FindByEnd(earliestEnd, latestEnd))
}

func plainAggregates[K, A any](rows statestore.WindowEntries[K, statestore.WithHeaders[A]]) statestore.WindowEntries[K, A] {
	return func(yield func(statestore.Entry[window.Windowed[K], A], error) bool) {
		for e, err := range rows {
			if !yield(statestore.Entry[window.Windowed[K], A]{Key: e.Key, Value: e.Value.Value}, err) {
				return
			}
		}
	}
}

// newSessionForwarder is [NewTupleForwarder] for session stores. A change has
// the time of its session's end (Java: SessionCacheFlushListener and its kind
// with headers, which sends the stored headers: none).
func newSessionForwarder[K, A any](s *sessionStore[K, A], out *processor.Out[window.Windowed[K], processor.Change[A]], sendOld bool) TupleForwarder[window.Windowed[K], A] {
	f := TupleForwarder[window.Windowed[K], A]{out: out, sendOld: sendOld}
	switch c := s.store().(type) {
	case statestore.CacheFlusher[window.Windowed[K], A]:
		f.cached = c.OnFlush(func(u statestore.Flushed[window.Windowed[K], A]) error {
			return out.Forward(flushed(u.Key, processor.Change[A]{New: u.New, Old: u.Old, HasNew: u.HasNew, HasOld: u.HasOld},
				u.Key.End, u.Context.Headers))
		}, sendOld)
	case statestore.CacheFlusher[window.Windowed[K], statestore.WithHeaders[A]]:
		f.cached = c.OnFlush(func(u statestore.Flushed[window.Windowed[K], statestore.WithHeaders[A]]) error {
			return out.Forward(flushed(u.Key, processor.Change[A]{New: u.New.Value, Old: u.Old.Value, HasNew: u.HasNew, HasOld: u.HasOld},
				u.Key.End, u.New.Headers))
		}, sendOld)
	}
	return f
}

// flushed is the record of a change that leaves the record cache.
func flushed[K, A any](key K, c processor.Change[A], timestamp int64, headers *record.Headers) processor.Record[K, processor.Change[A]] {
	return processor.Record[K, processor.Change[A]]{Key: key, Value: c, Timestamp: timestamp, Headers: headers}
}
