package ops

import "github.com/millrace/millrace/processor"

// NewTableToStream makes the unit that turns the changes of a table into
// records of a stream: the new value of each, null for a deletion (Java:
// KTable.toStream). Out-of-order updates of versioned tables are sent too.
func NewTableToStream[K, V any]() processor.Unit { return &tableToStream[K, V]{} }

type tableToStream[K, V any] struct {
	processor.Out[K, V]
}

// Init implements processor.Unit.
func (t *tableToStream[K, V]) Init(*processor.Node) error { return nil }

// Close implements processor.Unit.
func (t *tableToStream[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (t *tableToStream[K, V]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	out := processor.Record[K, V]{Key: rec.Key, KeyNull: rec.KeyNull, ValueNull: !rec.Value.HasNew,
		Timestamp: rec.Timestamp, Headers: rec.Headers}
	if rec.Value.HasNew {
		out.Value = rec.Value.New
	}
	return t.Forward(out)
}
