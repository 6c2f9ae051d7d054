package ops

import (
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// tableStore is the key-value store of a table, whichever kind it is (Java:
// KeyValueStoreWrapper).
type tableStore[K, V any] struct {
	timed statestore.TimestampedKeyValue[K, V]
}

// openStore finds the store of that name, which must be connected to the node.
func openStore[K, V any](n *processor.Node, name string) (*tableStore[K, V], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	timed, ok := s.(statestore.TimestampedKeyValue[K, V])
	if !ok {
		return nil, fmt.Errorf("node %s: store %s is %T, want a table of %T and %T: %w",
			n.Name(), name, s, *new(K), *new(V), processor.ErrTypeMismatch)
	}
	return &tableStore[K, V]{timed: timed}, nil
}

// store is the store itself.
func (s *tableStore[K, V]) store() statestore.Store { return s.timed }

func (s *tableStore[K, V]) get(key K) (statestore.Timed[V], bool, error) { return s.timed.Get(key) }

func (s *tableStore[K, V]) getAsOf(K, int64) (t statestore.Timed[V], ok bool, err error) {
	return t, false, fmt.Errorf("store %s is not versioned: it cannot be read as of a time", s.timed.Name())
}

func (s *tableStore[K, V]) versioned() bool { return false }

// put writes a value, or deletes the key when has is false. stored is false
// when the store refused an update as too old; stale is true when it took it
// although a later one exists.
func (s *tableStore[K, V]) put(key K, v V, has bool, timestamp int64) (stored, stale bool, err error) {
	if has {
		err = s.timed.Put(key, statestore.Timed[V]{Value: v, Timestamp: timestamp})
	} else {
		_, _, err = s.timed.Delete(key)
	}
	return true, false, err
}

// present tells whether what a user's function returned is a value, given the
// null check of its type.
func present[T any](null func(*T) bool, v *T) bool { return null == nil || !null(v) }

// nullOf is the null check of T, decided once per unit.
func nullOf[T any]() func(*T) bool { return record.NullCheck[T]() }

// storeGetter reads a materialised table (Java:
// KTableMaterializedValueGetterSupplier).
type storeGetter[K, V any] struct {
	name  string
	store *tableStore[K, V]
}

// Init implements dsl.ValueGetter.
func (g *storeGetter[K, V]) Init(n *processor.Node) (err error) {
	g.store, err = openStore[K, V](n, g.name)
	return err
}

// Get implements dsl.ValueGetter.
func (g *storeGetter[K, V]) Get(key K) (statestore.Timed[V], bool, error) { return g.store.get(key) }

// GetAsOf implements dsl.ValueGetter.
func (g *storeGetter[K, V]) GetAsOf(key K, time int64) (statestore.Timed[V], bool, error) {
	return g.store.getAsOf(key, time)
}

// Versioned implements dsl.ValueGetter.
func (g *storeGetter[K, V]) Versioned() bool { return g.store.versioned() }

// Close implements dsl.ValueGetter.
func (g *storeGetter[K, V]) Close() error { return nil }
