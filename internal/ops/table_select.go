package ops

import (
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// TableSelect gives the rows of a table new keys and values for grouping (Java:
// KTableRepartitionMap). A changed row is taken out under its old key first and
// then put in under its new one; if both keys are equal, one record says both.
// A half whose mapped key or value is null is not sent.
type TableSelect[K, V, K2, V2 any] struct {
	mapper    func(K, V) (K2, V2)
	versioned bool
}

// NewTableSelect plans the regrouping of a table, which must send old values.
// The mapper is never called for a missing value.
func NewTableSelect[K, V, K2, V2 any](mapper func(K, V) (K2, V2)) *TableSelect[K, V, K2, V2] {
	return &TableSelect[K, V, K2, V2]{mapper: mapper}
}

// UseVersioned makes the operator skip out-of-order updates, as the aggregate
// of a versioned table must.
func (s *TableSelect[K, V, K2, V2]) UseVersioned(versioned bool) { s.versioned = versioned }

// New makes the unit of a task.
func (s *TableSelect[K, V, K2, V2]) New() (processor.Unit, error) {
	return &tableSelect[K, V, K2, V2]{plan: s, nullKey: record.NullsOf[K2](), nullValue: record.NullsOf[V2](), equal: keyEqual[K2]()}, nil
}

type tableSelect[K, V, K2, V2 any] struct {
	processor.Out[K2, processor.Change[V2]]
	plan      *TableSelect[K, V, K2, V2]
	nullKey   record.Nulls[K2]
	nullValue record.Nulls[V2]
	equal     func(a, b K2) bool
	node      *processor.Node
}

// Init implements processor.Unit.
func (s *tableSelect[K, V, K2, V2]) Init(n *processor.Node) error {
	s.node = n
	return nil
}

// Close implements processor.Unit.
func (s *tableSelect[K, V, K2, V2]) Close() error { return nil }

// Receive implements processor.Receiver.
func (s *tableSelect[K, V, K2, V2]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	if rec.KeyNull {
		return &processor.StreamsError{Msg: "Record key for the grouping KTable should not be null."}
	}
	in := &rec.Value
	if s.plan.versioned && in.Stale {
		return nil
	}
	newKey, newValue, hasNew := s.half(rec.Key, in.New, in.HasNew)
	oldKey, oldValue, hasOld := s.half(rec.Key, in.Old, in.HasOld)
	out := processor.Record[K2, processor.Change[V2]]{Timestamp: rec.Timestamp, Headers: rec.Headers}
	if hasOld && hasNew && s.equal(oldKey, newKey) {
		out.Key = oldKey
		out.Value = processor.Change[V2]{New: newValue, Old: oldValue, HasNew: true, HasOld: true, Stale: in.Stale}
		return s.Forward(out)
	}
	if hasOld {
		out.Key, out.Value = oldKey, processor.Change[V2]{Old: oldValue, HasOld: true, Stale: in.Stale}
		if err := s.Forward(out); err != nil {
			return err
		}
	}
	if hasNew {
		out.Key, out.Value = newKey, processor.Change[V2]{New: newValue, HasNew: true, Stale: in.Stale}
		return s.Forward(out)
	}
	return nil
}

// half maps one side of a change; ok is false if there is nothing to send for it.
func (s *tableSelect[K, V, K2, V2]) half(key K, v V, has bool) (k2 K2, v2 V2, ok bool) {
	if !has {
		return k2, v2, false
	}
	k2, v2 = s.plan.mapper(key, v)
	return k2, v2, !s.nullKey.Is(&k2) && !s.nullValue.Is(&v2)
}
