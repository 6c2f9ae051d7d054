package ops

import (
	"maps"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// JoinStores says how the stores of a join of two streams are kept.
type JoinStores struct {
	Windows         statestore.WindowConfig
	Backend         dsl.Backend
	Logged          bool
	ChangelogConfig map[string]string
}

// JoinWindowStore is the builder of one side's window store (Java:
// StreamJoinedStoreFactory). It is always one with headers, so that the
// changelog has those of the records; on disk its rows are plain unless the
// configuration says otherwise. As in Java a store with a supplier of its own
// has a changelog in any case, without the settings of the join.
func JoinWindowStore[K, V any](n *dsl.Node, name string, s WindowSupplier, key serde.Serde[K], value serde.Serde[V], j *JoinStores) statestore.Builder {
	layout, windows, logged, config := storeLayout{}, j.Windows, true, map[string]string(nil)
	if s != nil {
		layout.backend, layout.kind, windows = s.WindowBackend()
	} else {
		if layout.backend = j.backend(n); layout.backend == nil && !headerStores(n) {
			layout.kind = statestore.KindWindow
		}
		logged, config = j.Logged, map[string]string{}
		maps.Copy(config, j.ChangelogConfig)
		// Every row has a key of its own in the changelog: nothing can be compacted.
		config["cleanup.policy"] = "delete"
	}
	b := statestore.NewHeadersWindow(name, key, value, windows, layout.options(false, logged, config)...)
	return dsl.ReadyStore(b, key, value)
}

// UnmatchedStoreBuilder is the builder of the store of records without a
// partner (Java: OuterStreamJoinStoreFactory). It lies where the options of the
// join say, else where the supplier of the left side keeps its rows. ready are
// the serdes of its values.
func UnmatchedStoreBuilder[K any](n *dsl.Node, name string, left WindowSupplier, key serde.Serde[K], j *JoinStores, ready ...any) statestore.Builder {
	layout := storeLayout{backend: j.backend(n)}
	if left != nil && j.Backend == dsl.BackendDefault {
		layout.backend, _, _ = left.WindowBackend()
	}
	b := NewUnmatchedStore(name, key, layout.options(false, j.Logged, j.ChangelogConfig)...)
	return dsl.ReadyStore(b, append(ready, key)...)
}

// backend is the one of the options or the configuration, nil for the
// persistent one.
func (j *JoinStores) backend(n *dsl.Node) statestore.Backend {
	g := n.Graph()
	if j.Backend == dsl.BackendMemory || j.Backend == dsl.BackendDefault && (g.Config.InMemoryStores || g.Building().InMemoryStores) {
		return memstore.Backend
	}
	return nil
}
