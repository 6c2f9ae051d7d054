package statestore

import "github.com/millrace/millrace/window"

// ReadOnlySession is the reading half of a session store. Times are in
// milliseconds, bounds inclusive. Sessions whose end is not later than the
// store's stream time (the largest end ever put) minus the retention are not
// seen.
//
// Scans of one key run ascending by end, then start; in memory sessions of one
// key and end come with the latest start first. The order of scans over
// several keys depends on the backend, as in Java: in memory it is by end, then
// key bytes, then start descending; on disk by segment, then key bytes, end
// and start; a time-ordered store has end and start before the key.
type ReadOnlySession[K, V any] interface {
	// FetchSession returns the aggregate of exactly that session.
	FetchSession(key K, start, end int64) (V, bool, error)
	// FetchKey scans all sessions of a key.
	FetchKey(key K) WindowEntries[K, V]
	// FetchKeyBackward is FetchKey, backward.
	FetchKeyBackward(key K) WindowEntries[K, V]
	// FetchKeys scans all sessions of the keys between the bounds; reversed
	// bounds scan backward.
	FetchKeys(keys Bounds[K]) WindowEntries[K, V]
	// FindSessions scans the sessions of a key that end at earliestEnd or later
	// and begin at latestStart or earlier.
	FindSessions(key K, earliestEnd, latestStart int64) WindowEntries[K, V]
	// FindSessionsBackward is FindSessions, backward.
	FindSessionsBackward(key K, earliestEnd, latestStart int64) WindowEntries[K, V]
	// FindSessionsOf is FindSessions over the keys between the bounds; reversed
	// bounds scan backward.
	FindSessionsOf(keys Bounds[K], earliestEnd, latestStart int64) WindowEntries[K, V]
	// FindByEnd scans the sessions of all keys that end in a range, in the order
	// of their ends, as emitting on window close needs. Only in-memory and
	// time-ordered stores that are not cached can; others return ErrUnsupported,
	// as in Java. On disk it also gives rows that have expired but are still
	// there.
	FindByEnd(earliestEnd, latestEnd int64) WindowEntries[K, V]
}

// Session is a store of aggregates by key and session (Java: SessionStore). A
// null key is an error.
type Session[K, V any] interface {
	Store
	ReadOnlySession[K, V]
	// Put sets the aggregate of a session; a null one removes it. A session that
	// is already expired is dropped and counted with Host.Dropped.
	Put(session window.Windowed[K], aggregate V) error
	// Remove removes a session.
	Remove(session window.Windowed[K]) error
}

// QueryableSession is a session store that other goroutines may read while its
// task writes it, see [Queryable].
type QueryableSession[K, V any] interface {
	// Reader is a view that any number of goroutines may use at once. After the
	// store is closed its methods return ErrClosed.
	Reader() ReadOnlySession[K, V]
}
