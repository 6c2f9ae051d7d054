package statestore

import (
	"bytes"
	"errors"

	"github.com/millrace/millrace/window"
)

// WindowBackend is a [Backend] with its own way to keep window and session
// stores. Others must have key-value stores that are [SegmentBytes]: rows then
// lie in them in segments of time, as in Java's RocksDB stores.
type WindowBackend interface {
	Backend
	OpenWindow(h Host, name string, c WindowConfig) (WindowBytes, error)
	OpenSession(h Host, name string, c SessionConfig) (WindowBytes, error)
}

// SegmentBytes is a key-value store of bytes that can drop many rows at once.
type SegmentBytes interface {
	KeyValueBytes
	// DeleteRange drops the rows from lower, inclusive, to upper, exclusive; nil
	// ends are open. It may become durable before the next commit.
	DeleteRange(lower, upper []byte) error
	// FreshFrom tells that there is no row at or above lower, so that rows put
	// there need not be looked for on disk.
	FreshFrom(lower []byte)
}

// WindowBytes holds the rows of a window or session store: a key, the window,
// a value. Windows have a Start only. One goroutine, the task's, calls the
// methods; Peek, Scan and the cursors may be called from others meanwhile.
// After Close these return ErrClosed.
//
// The store has a stream time, the largest time put (the start of a window, the
// end of a session) since it was opened. It hides rows whose time is not later
// than that minus the retention, and drops them when it likes.
type WindowBytes interface {
	// Get appends the value of a row to dst; false if there is none.
	Get(dst, key []byte, w window.Span) ([]byte, bool, error)
	// Peek is Get for other goroutines.
	Peek(dst, key []byte, w window.Span) ([]byte, bool, error)
	// Put sets a value; nil deletes, or does nothing if duplicates are retained.
	// A row that is too old is dropped and counted with Host.Dropped.
	Put(key []byte, w window.Span, value []byte) error
	// Remove deletes a session, however old.
	Remove(key []byte, w window.Span) error
	// Scan returns a cursor over the rows as they are now. Its keys are store
	// keys as in the changelog (window.AppendStoreKey, window.AppendSessionKey).
	Scan(q *WindowQuery) (Cursor, error)
	// Observe is told the keys of a batch of changelog records before RestoreRow
	// is called for each.
	Observe(storeKey []byte) error
	// RestoreRow is a changelog record; a nil value deletes.
	RestoreRow(storeKey, value []byte) error
	// Commit, CommittedOffset and Close are those of [KeyValueBytes].
	Commit(offset int64) error
	CommittedOffset() (int64, error)
	Close() error
}

// ErrUnsupported is the error of a read that a kind of store cannot do.
var ErrUnsupported = errors.New("this store does not support the read")

// WindowQuery is what a cursor over a window or session store walks over.
type WindowQuery struct {
	Mode WindowQueryMode
	// Lower and Upper bound the keys, inclusive; nil is open. With QueryKey both
	// are the key.
	Lower, Upper []byte
	// Earliest and Latest bound the time, inclusive: the starts of windows; for
	// sessions the end from below and the start from above, but with QueryEnds
	// the end on both sides.
	Earliest, Latest int64
	Reverse          bool
}

// WindowQueryMode says which rows are asked for: since stores have several
// orders, the same rows may come in another order in another mode.
type WindowQueryMode int

const (
	// QueryKey is one key in a range of time.
	QueryKey WindowQueryMode = iota
	// QueryKeys is a range of keys in a range of time.
	QueryKeys
	// QueryTimes is every key in a range of time.
	QueryTimes
	// QueryAll is every row.
	QueryAll
	// QueryEnds is every session that ends in a range of time.
	QueryEnds
)

// Key tells whether a key lies in the bounds.
func (q *WindowQuery) Key(key []byte) bool {
	return (q.Lower == nil || bytes.Compare(key, q.Lower) >= 0) &&
		(q.Upper == nil || bytes.Compare(key, q.Upper) <= 0)
}

// Reversed tells whether the bounds of the keys exclude each other.
func (q *WindowQuery) Reversed() bool {
	return q.Lower != nil && q.Upper != nil && bytes.Compare(q.Lower, q.Upper) > 0
}

// rowConfig is what the layers of window and session stores need to know.
type rowConfig struct {
	schema                    rowSchema
	retention, size, interval int64
	duplicates                bool
	order                     TimeOrder
}

// rowSchema is the form of store keys: `key ‖ start ‖ seq` or `key ‖ end ‖
// start`.
type rowSchema int

const (
	windowSchema rowSchema = iota
	sessionSchema
)

func (s rowSchema) append(dst, key []byte, w window.Span, seq int32) []byte {
	if s == sessionSchema {
		return window.AppendSessionKey(dst, key, w.Start, w.End)
	}
	return window.AppendStoreKey(dst, key, w.Start, seq)
}

// parse takes a store key apart. A window has no End.
func (s rowSchema) parse(storeKey []byte) (key []byte, w window.Span, seq int32, err error) {
	if s == sessionSchema {
		key, w, err = window.ParseSessionKey(storeKey)
		return key, w, 0, err
	}
	key, w.Start, seq, err = window.ParseStoreKey(storeKey)
	return key, w, seq, err
}

// time is what segments, expiry and stream time go by.
func (s rowSchema) time(w window.Span) int64 {
	if s == sessionSchema {
		return w.End
	}
	return w.Start
}

// matches tells whether a row belongs to a query whose Earliest was raised to
// the retention already.
func (s rowSchema) matches(q *WindowQuery, key []byte, w window.Span) bool {
	switch {
	case !q.Key(key):
		return false
	case s == windowSchema:
		return w.Start >= q.Earliest && w.Start <= q.Latest
	case q.Mode == QueryEnds:
		return w.End >= q.Earliest && w.End <= q.Latest
	}
	return w.End >= q.Earliest && w.Start <= q.Latest
}
