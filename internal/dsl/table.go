package dsl

import (
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// Table is what a ktable.Table points to (Java: KTableImpl). Its node sends
// Record[K, processor.Change[V]].
type Table[K, V any] struct {
	Base
	// Key and Value are nil when the handle carries none.
	Key   serde.Serde[K]
	Value serde.Serde[V]
	// Store is the queryable store's name, empty if there is none.
	Store string
	// Supplier makes the table's content reachable.
	Supplier TableSupplier[K, V]
	// OldValues is set once old values are sent.
	OldValues bool
}

// TableSupplier is the build-time half of a table's processor.
type TableSupplier[K, V any] interface {
	// EnableOldValues makes the table send old values. Without force a table
	// source that is not materialised declines.
	EnableOldValues(force bool) bool
	// View makes getters for the table's rows and names the stores a node that
	// uses them must be connected to; it materialises a table source.
	View() View[K, V]
}

// View is how another node reads a table (Java: KTableValueGetterSupplier).
type View[K, V any] struct {
	Stores []string
	New    func() ValueGetter[K, V]
}

// ValueGetter reads the rows of a table within a task (Java: KTableValueGetter).
type ValueGetter[K, V any] interface {
	Init(n *processor.Node) error
	// Get returns the row of a key, and whether there is one.
	Get(key K) (statestore.Timed[V], bool, error)
	// GetAsOf returns the row that was valid at a time; only versioned tables
	// know it.
	GetAsOf(key K, timestamp int64) (statestore.Timed[V], bool, error)
	Versioned() bool
	Close() error
}

// EnableOldValues asks the table for old values, once.
func (t *Table[K, V]) EnableOldValues(force bool) bool {
	if !t.OldValues && t.Supplier.EnableOldValues(force) {
		t.OldValues = true
	}
	return t.OldValues
}
