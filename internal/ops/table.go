package ops

import "github.com/millrace/millrace/processor"

// Table is the plan of an operator whose result is a table, as the operators
// after it see it while the graph is declared.
type Table[K, V any] interface {
	// SendOldValues asks the operator to send the old value with each change,
	// and reports whether it will. With force false a table that would have to
	// be materialised for it stays as it is (Java: enableSendingOldValues).
	SendOldValues(force bool) bool
	// Getter returns the way to read the table's values. It materialises a
	// table source (Java: valueGetterSupplier).
	Getter() Getter[K, V]
}

// Getter makes the readers of a table's current values (Java:
// KTableValueGetterSupplier).
type Getter[K, V any] interface {
	// StoreNames are the stores a reading node must be connected to.
	StoreNames() []string
	// Open resolves the stores for one node of one task.
	Open(n *processor.Node) (ValueGetter[K, V], error)
}

// ValueGetter reads the current values of a table in a task (Java:
// KTableValueGetter). ok is false where the table has no value.
type ValueGetter[K, V any] interface {
	// Get returns the latest value of a key and its timestamp in milliseconds.
	Get(key K) (value V, timestamp int64, ok bool, err error)
	// GetAsOf returns the value of a key that was valid at a time; it is an
	// error unless the table is versioned.
	GetAsOf(key K, time int64) (value V, timestamp int64, ok bool, err error)
	// Versioned reports whether the values come from a versioned store.
	Versioned() bool
}

// StoreGetter reads a materialised table from its store.
func StoreGetter[K, V any](store string) Getter[K, V] { return storeGetter[K, V](store) }

type storeGetter[K, V any] string

func (g storeGetter[K, V]) StoreNames() []string { return []string{string(g)} }

func (g storeGetter[K, V]) Open(n *processor.Node) (ValueGetter[K, V], error) {
	return openStore[K, V](n, string(g))
}
