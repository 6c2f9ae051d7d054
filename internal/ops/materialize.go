package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
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
	return dsl.ReadyStore(statestore.NewTimestamped(m.Name, key, value, opts...), key, value), nil
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

// Output says whether a table with the store is versioned.
func Output[K, V any](*dsl.Materialized[K, V]) dsl.Versioning { return dsl.Unversioned }
