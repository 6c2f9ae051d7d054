package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// Supplier chooses backend and kind of rows of a table's store (Java:
// KeyValueBytesStoreSupplier).
type Supplier interface {
	Name() string
	KeyValueBackend() (statestore.Backend, statestore.Kind)
}

// VersionedSupplier makes a table versioned and chooses the backend of its
// store (Java: VersionedBytesStoreSupplier).
type VersionedSupplier interface {
	Name() string
	VersionedBackend() (statestore.Backend, statestore.VersionedConfig)
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
	layout, headers := storeLayout{}, false
	switch s := m.Supplier.(type) {
	case nil:
		if m.Memory(n) {
			layout.backend = memstore.Backend
		} else {
			headers = headerStores(n)
		}
	case Supplier:
		layout.backend, layout.kind = s.KeyValueBackend()
		headers = layout.kind == statestore.KindHeadersKeyValue
	case VersionedSupplier:
		return versionedBuilder(m, s, key, value)
	default:
		return nil, dsl.Errorf(dsl.KindArgument, "the supplier of store %s is a %T, which makes no key-value stores", m.Name, s)
	}
	var b statestore.Builder
	if headers {
		opts := layout.below(statestore.KindHeadersKeyValue).options(m.Cached, m.Logged, m.ChangelogConfig)
		b = statestore.NewHeaders(m.Name, key, value, opts...)
	} else {
		opts := layout.below(statestore.KindTimestampedKeyValue).options(m.Cached, m.Logged, m.ChangelogConfig)
		b = statestore.NewTimestamped(m.Name, key, value, opts...)
	}
	return dsl.ReadyStore(b, key, value), nil
}

// versionedBuilder makes the builder of a versioned table's store, which is
// never cached.
func versionedBuilder[K, V any](m *dsl.Materialized[K, V], s VersionedSupplier, key serde.Serde[K], value serde.Serde[V]) (statestore.Builder, error) {
	layout := storeLayout{}
	var config statestore.VersionedConfig
	layout.backend, config = s.VersionedBackend()
	if err := config.Check(m.Name); err != nil {
		return nil, dsl.Errorf(dsl.KindArgument, "%w", err)
	}
	opts := layout.options(false, m.Logged, m.ChangelogConfig)
	return dsl.ReadyStore(statestore.NewVersioned(m.Name, key, value, config, opts...), key, value), nil
}

// Plan makes the units of an operator.
type Plan interface {
	New() (processor.Unit, error)
}

// TableNode makes the node of an operator that yields a table. It brings the
// store of m along; m is nil for a table that is not materialised. A plan that
// decides late whether it has a store ([TableSource]) is asked when the node
// is written.
func TableNode[K, V any](name string, plan Plan, m *dsl.Materialized[K, V]) *dsl.Node {
	var n *dsl.Node
	n = dsl.NewProcessor(name, TableProcessor(func() *dsl.Node { return n }, plan, m))
	return n
}

// TableProcessor is the processor of a [TableNode], for nodes that write more
// than it. node is called when it is written.
func TableProcessor[K, V any](node func() *dsl.Node, plan Plan, m *dsl.Materialized[K, V]) dsl.Processor {
	p := dsl.Processor{New: plan.New}
	if m == nil {
		return p
	}
	p.Stores = func() ([]statestore.Builder, error) {
		if late, ok := plan.(interface{ Materialized() bool }); ok && !late.Materialized() {
			return nil, nil
		}
		b, err := StoreBuilder(node(), m)
		if err != nil {
			return nil, err
		}
		return []statestore.Builder{b}, nil
	}
	return p
}

// Output says whether a table with the store, nil for none, is versioned.
func Output[K, V any](m *dsl.Materialized[K, V]) dsl.Versioning {
	if m != nil {
		if _, ok := m.Supplier.(VersionedSupplier); ok {
			return dsl.Versioned
		}
	}
	return dsl.Unversioned
}
