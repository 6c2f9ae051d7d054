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
	// remove deletes a key without reading it if the store can.
	remove func(K) error
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
	t := &tableStore[K, V]{timed: timed}
	if r, ok := s.(interface{ Remove(K) error }); ok {
		t.remove = r.Remove
	} else {
		t.remove = func(key K) error {
			_, _, err := timed.Delete(key)
			return err
		}
	}
	return t, nil
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
		err = s.remove(key)
	}
	return true, false, err
}

// nulls tells whether what a user's function returned is null, decided once per
// unit how. The value is looked at in the unit's own memory, since a pointer
// to a variable would move that to the heap for each record.
type nulls[T any] struct {
	check func(*T) bool
	value T
}

func nullsOf[T any]() nulls[T] { return nulls[T]{check: record.NullCheck[T]()} }

// not reports that v is a value.
func (n *nulls[T]) not(v T) bool {
	if n.check == nil {
		return true
	}
	var none T
	n.value = v
	null := n.check(&n.value)
	n.value = none
	return !null
}

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
