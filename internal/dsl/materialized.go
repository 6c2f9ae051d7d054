package dsl

import (
	"time"

	"github.com/millrace/millrace/serde"
)

// Materialized is a store as an operator wants it (Java: MaterializedInternal).
type Materialized[K, V any] struct {
	// Name is the store's name, given or generated; Queryable says that it was
	// given, by name or by a supplier that has one.
	Name      string
	Queryable bool
	// Key and Value are nil until given or inherited; operators fill them in
	// where Java does.
	Key   serde.Serde[K]
	Value serde.Serde[V]
	// Cached and Logged are on unless switched off. Global tables and tables
	// that use their source topic as changelog switch Logged off later.
	Cached, Logged  bool
	ChangelogConfig map[string]string
	// Retention of window and session stores; nil leaves it to the windows.
	Retention *time.Duration
	// InMemory is what the options or the builder's configuration say; see Memory.
	InMemory bool
	// unsaid means that neither the options nor a supplier chose a backend.
	unsaid bool
	// Supplier makes the innermost layer; nil for the backend's own.
	Supplier any
}

// Materialize reads the store's settings from the options and generates its
// name under the prefix if none was given.
func Materialize[K, V any](g *Graph, op string, o *Options, prefix string) *Materialized[K, V] {
	m := &Materialized[K, V]{Name: o.Store, Key: SerdeOf[K](g, op, KeySide, o.Key), Value: SerdeOf[V](g, op, ValueSide, o.Value),
		Cached: o.Caching != Off, Logged: o.Logging != Off, ChangelogConfig: o.ChangelogConfig, Retention: o.Retention,
		InMemory: o.Backend == BackendMemory || o.Backend == BackendDefault && g.Config.InMemoryStores,
		unsaid:   o.Backend == BackendDefault, Supplier: o.Supplier}
	if s, ok := o.Supplier.(interface{ Name() string }); ok {
		m.Name = s.Name()
	}
	m.Queryable = m.Name != ""
	if m.Queryable {
		return m
	}
	m.Name = g.StoreName(prefix)
	changelog := ""
	if m.Logged {
		changelog = m.Name + changelogSuffix
	}
	g.Unnamed(m.Name, changelog, "")
	return m
}

// Memory tells whether the store lies in memory: by the options, else by the
// configuration of the builder or of Build. It is known when the node is written.
func (m *Materialized[K, V]) Memory(n *Node) bool {
	return m.InMemory || m.unsaid && n.graph.building.InMemoryStores
}

// QueryableName is the name under which the store can be queried, empty if its
// name was generated.
func (m *Materialized[K, V]) QueryableName() string {
	if m.Queryable {
		return m.Name
	}
	return ""
}
