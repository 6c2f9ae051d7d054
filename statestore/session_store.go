package statestore

import (
	"math"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// sessionReads are the reads of a session store, for its task or for others.
type sessionReads[K, V any] struct {
	s   *windows[K, V]
	own bool
}

// FetchSession returns the aggregate of exactly that session.
func (r sessionReads[K, V]) FetchSession(k K, start, end int64) (V, bool, error) {
	if !r.own {
		return r.s.peek(k, window.Span{Start: start, End: end})
	}
	return r.s.fetch(k, window.Span{Start: start, End: end})
}

// FetchKey scans all sessions of a key.
func (r sessionReads[K, V]) FetchKey(k K) WindowEntries[K, V] {
	return r.FindSessions(k, 0, math.MaxInt64)
}

// FetchKeyBackward is FetchKey, backward.
func (r sessionReads[K, V]) FetchKeyBackward(k K) WindowEntries[K, V] {
	return r.FindSessionsBackward(k, 0, math.MaxInt64)
}

// FetchKeys scans all sessions of the keys between the bounds.
func (r sessionReads[K, V]) FetchKeys(keys Bounds[K]) WindowEntries[K, V] {
	return r.FindSessionsOf(keys, 0, math.MaxInt64)
}

// FindSessions scans the sessions of a key by their end and start.
func (r sessionReads[K, V]) FindSessions(k K, earliestEnd, latestStart int64) WindowEntries[K, V] {
	return r.s.query(From(k), WindowQuery{Mode: QueryKey, Earliest: earliestEnd, Latest: latestStart}, r.own)
}

// FindSessionsBackward is FindSessions, backward.
func (r sessionReads[K, V]) FindSessionsBackward(k K, earliestEnd, latestStart int64) WindowEntries[K, V] {
	return r.s.query(From(k).Reverse(), WindowQuery{Mode: QueryKey, Earliest: earliestEnd, Latest: latestStart}, r.own)
}

// FindSessionsOf is FindSessions over the keys between the bounds.
func (r sessionReads[K, V]) FindSessionsOf(keys Bounds[K], earliestEnd, latestStart int64) WindowEntries[K, V] {
	return r.s.query(keys, WindowQuery{Mode: QueryKeys, Earliest: earliestEnd, Latest: latestStart}, r.own)
}

// FindByEnd scans the sessions of all keys that end in a range.
func (r sessionReads[K, V]) FindByEnd(earliestEnd, latestEnd int64) WindowEntries[K, V] {
	return r.s.query(Bounds[K]{}, WindowQuery{Mode: QueryEnds, Earliest: earliestEnd, Latest: latestEnd}, r.own)
}

// sessionStore is the typed face of a session store.
type sessionStore[K, V any] struct {
	*windows[K, V]
	sessionReads[K, V]
}

func newSessionStore[K, V any](b *built, c SessionConfig, key serde.Serde[K], value valueCoder[V]) *sessionStore[K, V] {
	s := newWindows(b, c.rows(), c.Check(b.name), key, value)
	s.openWith = func(h Host, from Backend) (WindowBytes, error) {
		if w, ok := from.(WindowBackend); ok {
			return w.OpenSession(h, b.name, c)
		}
		return openRows(h, from, b.name, b.kind, &b.settings, c.rows())
	}
	return &sessionStore[K, V]{windows: &s, sessionReads: sessionReads[K, V]{&s, true}}
}

// Put sets the aggregate of a session; a null one removes it.
func (s *sessionStore[K, V]) Put(w window.Windowed[K], v V) error {
	return s.put(w.Key, v, window.Span{Start: w.Start, End: w.End})
}

// PutNull is Put with a null aggregate, for types that have no null. Unlike
// Remove it advances the store's stream time, as in Java.
func (s *sessionStore[K, V]) PutNull(w window.Windowed[K]) error {
	return s.putNull(w.Key, window.Span{Start: w.Start, End: w.End})
}

// Remove removes a session.
func (s *sessionStore[K, V]) Remove(w window.Windowed[K]) error {
	return s.remove(w.Key, window.Span{Start: w.Start, End: w.End})
}

// Reader is the view for other goroutines.
func (s *sessionStore[K, V]) Reader() ReadOnlySession[K, V] {
	return sessionReads[K, V]{s.snapshotOfLayers(), false}
}
