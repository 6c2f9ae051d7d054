package ops

import (
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// NewJoinWindow makes the unit that keeps the records of one side of a join of
// two streams in the window store, where the other side finds them (Java:
// KStreamJoinWindow). A record is handed on before it is stored, so that a join
// of a stream with itself does not find it; a null value takes a number of the
// changelog but no row, and a record with a null key is not stored.
func NewJoinWindow[K, V any](store string) processor.Unit { return &joinWindow[K, V]{name: store} }

type joinWindow[K, V any] struct {
	processor.Out[K, V]
	name  string
	store statestore.HeadersWindow[K, V]
}

// Init implements processor.Unit.
func (w *joinWindow[K, V]) Init(n *processor.Node) (err error) {
	w.store, err = openJoinWindow[K, V](n, w.name)
	return err
}

// Close implements processor.Unit.
func (w *joinWindow[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (w *joinWindow[K, V]) Receive(rec processor.Record[K, V]) error {
	if err := w.Pass(rec); err != nil {
		return err
	}
	switch {
	case rec.KeyNull:
		return nil
	case rec.ValueNull:
		return w.store.Remove(rec.Key, rec.Timestamp)
	default:
		row := statestore.TimedHeaders[V]{Value: rec.Value, Timestamp: rec.Timestamp, Headers: rec.Headers}
		return w.store.Put(rec.Key, row, rec.Timestamp)
	}
}

// openJoinWindow finds the window store of one side of a join.
func openJoinWindow[K, V any](n *processor.Node, name string) (statestore.HeadersWindow[K, V], error) {
	s, err := n.Store(name)
	if err != nil {
		return nil, err
	}
	w, ok := s.(statestore.HeadersWindow[K, V])
	if !ok {
		return nil, fmt.Errorf("node %s: store %s is %T, want the window store of a join of %T and %T: %w",
			n.Name(), name, s, *new(K), *new(V), processor.ErrTypeMismatch)
	}
	return w, nil
}
