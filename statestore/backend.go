package statestore

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/statestore/internal/scan"
)

// Backend opens the byte stores below the typed ones. memstore and pebblestore
// have one each.
type Backend interface {
	// OpenKeyValue opens or creates the store of a task. The kind is kept with
	// the data, so that data of another kind is not misread.
	OpenKeyValue(h Host, name string, kind Kind) (KeyValueBytes, error)
	// Persistent tells whether the content outlives the process.
	Persistent() bool
}

// KeyValueBytes is an ordered map of bytes, all that a backend is for
// key-value stores. One goroutine, the task's, calls the methods; Peek, Scan,
// ApproximateLen and the cursors may be called from others meanwhile. After
// Close these return ErrClosed. storetest holds the rules as tests.
type KeyValueBytes interface {
	// Get appends the value of a key to dst; false if there is none.
	Get(dst, key []byte) ([]byte, bool, error)
	// Peek is Get for other goroutines: it leaves no trace, such as an order of
	// use.
	Peek(dst, key []byte) ([]byte, bool, error)
	// Put sets the value of a key; a nil value deletes, an empty one does not.
	// Both slices are copied.
	Put(key, value []byte) error
	// Scan returns a cursor over the rows as they are now.
	Scan(KeyRange) (Cursor, error)
	// ApproximateLen estimates the number of rows.
	ApproximateLen() (int64, error)
	// Commit and CommittedOffset are those of [Store].
	Commit(offset int64) error
	CommittedOffset() (int64, error)
	Close() error
}

// Evicting is a backend store that drops rows by itself (memstore.LRU). OnEvict
// is told each key before the row goes.
type Evicting interface {
	OnEvict(f func(key []byte) error)
}

// Uncommitted is a store or backend store that knows whether it holds updates
// later than its committed offset, as after a crash between two commits. With
// at-least-once that is harmless: the changelog is replayed over them. With
// exactly-once such a store must be discarded and restored.
type Uncommitted interface {
	Uncommitted() (bool, error)
}

// KeyRange is what a cursor walks over: keys from Lower, inclusive, to Upper,
// exclusive; nil ends are open.
type KeyRange = scan.Range

// Cursor walks over rows of bytes in unsigned key order.
type Cursor = scan.Cursor

// ErrClosed is the error of a store that was closed.
var ErrClosed = errors.New("store is closed")

// ErrNullKey is the error of a null key.
var ErrNullKey = errors.New("key cannot be null")

// CorruptError says that the files of a store cannot be trusted.
type CorruptError struct {
	Store string
	// Dir holds the files; deleting it makes the store restore from its
	// changelog.
	Dir string
	Err error
}

// Error names the store, the folder and the cure.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("store %s: the files in %s are damaged; delete that directory and the store is restored from its changelog: %v", e.Store, e.Dir, e.Err)
}

// Unwrap returns the storage engine's error.
func (e *CorruptError) Unwrap() error { return e.Err }

var defaultBackend Backend

// SetDefaultBackend names the backend of stores that were built without
// [On]. It is called at program start: importing pebblestore, Java's default
// kind of store, does it.
func SetDefaultBackend(b Backend) { defaultBackend = b }

var errNoBackend = errors.New("no backend: import statestore/pebblestore or choose one with statestore.On")
