package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// Supplier chooses the backend of a table's store (Java:
// KeyValueBytesStoreSupplier).
type Supplier interface {
	Name() string
	KeyValueBackend() statestore.Backend
}

// StoreBuilder makes the builder of a table's store when its node is written
// (Java: KeyValueStoreMaterializer). Serdes that were neither given nor
// inherited are looked up for the node.
func StoreBuilder[K, V any](n *dsl.Node, m *dsl.Materialized[K, V]) (statestore.Builder, error) {
	key, err := dsl.Resolve(n, dsl.KeySide, m.Key)
	if err != nil {
		return nil, err
	}
	value, err := dsl.Resolve(n, dsl.ValueSide, m.Value)
	if err != nil {
		return nil, err
	}
	opts := []statestore.Option{statestore.Changelog(m.ChangelogConfig)}
	if m.Cached {
		opts = append(opts, statestore.Cached())
	}
	if !m.Logged {
		opts = append(opts, statestore.Unlogged())
	}
	switch s := m.Supplier.(type) {
	case nil:
		if m.InMemory {
			opts = append(opts, statestore.On(memstore.Backend))
		}
	case Supplier:
		opts = append(opts, statestore.On(s.KeyValueBackend()))
	default:
		return nil, dsl.Errorf(dsl.KindArgument, "the supplier of store %s is a %T, which makes no key-value stores", m.Name, s)
	}
	return statestore.NewTimestamped(m.Name, key, value, opts...), nil
}

// Stores adapts [StoreBuilder] to a processor node that keeps one table. node
// is called when the node is written.
func Stores[K, V any](node func() *dsl.Node, m *dsl.Materialized[K, V]) func() ([]statestore.Builder, error) {
	return func() ([]statestore.Builder, error) {
		b, err := StoreBuilder(node(), m)
		if err != nil {
			return nil, err
		}
		return []statestore.Builder{b}, nil
	}
}
