package statestore

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/window"
)

// ErrReadOnly is the error of writing to a global store: only its own processor
// may (Java: UnsupportedOperationException).
var ErrReadOnly = errors.New("global store is read only")

// ReadOnlyView is a store that processors of other tasks may read. ReadOnly has
// the same interface as the store, is safe beside the goroutine that writes it,
// and refuses writes with [ErrReadOnly].
type ReadOnlyView interface {
	ReadOnly() Store
}

// guard is what the views of all kinds refuse.
type guard struct{ of Store }

// Name is the store's name.
func (g guard) Name() string { return g.of.Name() }

// Persistent tells whether the content outlives the process.
func (g guard) Persistent() bool { return g.of.Persistent() }

// Open is refused: the store's task has done it.
func (g guard) Open(Host) error { return g.refused() }

// Flush is refused.
func (g guard) Flush() error { return g.refused() }

// Commit is refused.
func (g guard) Commit(int64) error { return g.refused() }

// CommittedOffset is the store's.
func (g guard) CommittedOffset() (int64, error) { return g.of.CommittedOffset() }

// Restore is refused.
func (g guard) Restore([]Change) error { return g.refused() }

// Close is refused.
func (g guard) Close() error { return g.refused() }

func (g guard) refused() error { return fmt.Errorf("store %s: %w", g.of.Name(), ErrReadOnly) }

// ReadOnly is a view for processors of other tasks.
func (s *keyValue[K, V]) ReadOnly() Store { return readOnlyKeyValue[K, V]{guard{s}, s.Reader()} }

type readOnlyKeyValue[K, V any] struct {
	guard
	ReadOnlyKeyValue[K, V]
}

// Put is refused.
func (s readOnlyKeyValue[K, V]) Put(K, V) error { return s.refused() }

// Remove is refused.
func (s readOnlyKeyValue[K, V]) Remove(K) error { return s.refused() }

// PutIfAbsent is refused.
func (s readOnlyKeyValue[K, V]) PutIfAbsent(K, V) (v V, ok bool, err error) {
	return v, false, s.refused()
}

// Delete is refused.
func (s readOnlyKeyValue[K, V]) Delete(K) (v V, ok bool, err error) { return v, false, s.refused() }

// ReadOnly is a view for processors of other tasks.
func (s *windowStore[K, V]) ReadOnly() Store { return readOnlyWindow[K, V]{guard{s}, s.Reader()} }

type readOnlyWindow[K, V any] struct {
	guard
	ReadOnlyWindow[K, V]
}

// Put is refused.
func (s readOnlyWindow[K, V]) Put(K, V, int64) error { return s.refused() }

// Remove is refused.
func (s readOnlyWindow[K, V]) Remove(K, int64) error { return s.refused() }

// ReadOnly is a view for processors of other tasks.
func (s *sessionStore[K, V]) ReadOnly() Store { return readOnlySession[K, V]{guard{s}, s.Reader()} }

type readOnlySession[K, V any] struct {
	guard
	ReadOnlySession[K, V]
}

// Put is refused.
func (s readOnlySession[K, V]) Put(window.Windowed[K], V) error { return s.refused() }

// Remove is refused.
func (s readOnlySession[K, V]) Remove(window.Windowed[K]) error { return s.refused() }

// ReadOnly is a view for processors of other tasks.
func (s *versionedStore[K, V]) ReadOnly() Store { return readOnlyVersioned[K, V]{guard{s}, s.Reader()} }

type readOnlyVersioned[K, V any] struct {
	guard
	ReadOnlyVersioned[K, V]
}

// Put is refused.
func (s readOnlyVersioned[K, V]) Put(K, V, int64) (int64, error) { return NotPut, s.refused() }

// Remove is refused.
func (s readOnlyVersioned[K, V]) Remove(K, int64) (int64, error) { return NotPut, s.refused() }

// Delete is refused.
func (s readOnlyVersioned[K, V]) Delete(K, int64) (v Version[V], ok bool, err error) {
	return v, false, s.refused()
}
