package ops

import (
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// tableStore is the key-value store of a table, of any kind: timestamped, with
// headers too, or versioned (Java: KeyValueStoreWrapper). Tables have no headers
// of their own to store.
type tableStore[K, V any] struct {
	timed   statestore.TimestampedKeyValue[K, V]
	headers statestore.HeadersKeyValue[K, V]
	// remove deletes a key of timed or headers without reading it if the store can.
	remove   func(K) error
	versions statestore.Versioned[K, V]
}

// openStore finds the store of that name, which must be connected to the node.
func openStore[K, V any](n *processor.Node, name string) (*tableStore[K, V], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	switch s := s.(type) {
	case statestore.TimestampedKeyValue[K, V]:
		return &tableStore[K, V]{timed: s, remove: removeFrom[K](s)}, nil
	case statestore.HeadersKeyValue[K, V]:
		return &tableStore[K, V]{headers: s, remove: removeFrom[K](s)}, nil
	case statestore.Versioned[K, V]:
		return &tableStore[K, V]{versions: s}, nil
	default:
		return nil, fmt.Errorf("node %s: store %s is %T, want a table of %T and %T: %w",
			n.Name(), name, s, *new(K), *new(V), processor.ErrTypeMismatch)
	}
}

func removeFrom[K, S any](s statestore.KeyValue[K, S]) func(K) error {
	if r, ok := s.(interface{ Remove(K) error }); ok {
		return r.Remove
	}
	return func(key K) error {
		_, _, err := s.Delete(key)
		return err
	}
}

// store is the store itself.
func (s *tableStore[K, V]) store() statestore.Store {
	switch {
	case s.versions != nil:
		return s.versions
	case s.headers != nil:
		return s.headers
	default:
		return s.timed
	}
}

func (s *tableStore[K, V]) get(key K) (statestore.Timed[V], bool, error) {
	if s.timed != nil {
		return s.timed.Get(key)
	}
	if s.headers != nil {
		v, ok, err := s.headers.Get(key)
		return statestore.Timed[V]{Value: v.Value, Timestamp: v.Timestamp}, ok, err
	}
	v, ok, err := s.versions.Get(key)
	return statestore.Timed[V]{Value: v.Value, Timestamp: v.Timestamp}, ok, err
}

func (s *tableStore[K, V]) getAsOf(key K, time int64) (t statestore.Timed[V], ok bool, err error) {
	if s.versions == nil {
		return t, false, fmt.Errorf("store %s is not versioned: it cannot be read as of a time", s.store().Name())
	}
	v, ok, err := s.versions.GetAsOf(key, time)
	return statestore.Timed[V]{Value: v.Value, Timestamp: v.Timestamp}, ok, err
}

func (s *tableStore[K, V]) versioned() bool { return s.versions != nil }

// put writes a value, or deletes the key when has is false. stored is false
// when the store refused an update as too old; stale is true when it took it
// although a later one exists.
func (s *tableStore[K, V]) put(key K, v V, has bool, timestamp int64) (stored, stale bool, err error) {
	if s.versions != nil {
		return s.putVersion(key, v, has, timestamp)
	}
	switch {
	case !has:
		err = s.remove(key)
	case s.timed != nil:
		err = s.timed.Put(key, statestore.Timed[V]{Value: v, Timestamp: timestamp})
	default:
		err = s.headers.Put(key, statestore.TimedHeaders[V]{Value: v, Timestamp: timestamp})
	}
	return true, false, err
}

func (s *tableStore[K, V]) putVersion(key K, v V, has bool, timestamp int64) (stored, stale bool, err error) {
	var validTo int64
	if has {
		validTo, err = s.versions.Put(key, v, timestamp)
	} else {
		validTo, err = s.versions.Remove(key, timestamp)
	}
	return validTo != statestore.NotPut, validTo != statestore.ValidNow, err
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
