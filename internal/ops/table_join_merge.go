package ops

import "github.com/millrace/millrace/processor"

// New makes the unit of a task that merges the results of the two sides and
// stores them, if the result is materialised.
func (j *TableJoin[K, L, R, O]) New() (processor.Unit, error) {
	return &tableJoinMerge[K, O]{name: j.store, sendOld: j.sendOld}, nil
}

type tableJoinMerge[K, O any] struct {
	processor.Out[K, processor.Change[O]]
	name    string
	sendOld bool
	store   *tableStore[K, O]
	forward TupleForwarder[K, O]
}

// Init implements processor.Unit.
func (m *tableJoinMerge[K, O]) Init(n *processor.Node) (err error) {
	if m.name == "" {
		return nil
	}
	if m.store, err = openStore[K, O](n, m.name); err != nil {
		return err
	}
	m.forward = NewTupleForwarder(m.store.store(), &m.Out, m.sendOld)
	return nil
}

// Close implements processor.Unit.
func (m *tableJoinMerge[K, O]) Close() error { return nil }

// Receive implements processor.Receiver. The old value is that of the join, not
// what the store holds.
func (m *tableJoinMerge[K, O]) Receive(rec processor.Record[K, processor.Change[O]]) error {
	c := rec.Value
	if m.store == nil {
		if m.sendOld {
			return m.Pass(rec)
		}
		var none O
		c.Old, c.HasOld = none, false
		return m.Forward(withChange(rec, c, rec.Timestamp))
	}
	stored, stale, err := m.store.put(rec.Key, c.New, c.HasNew, rec.Timestamp)
	if err != nil || !stored {
		return err
	}
	c.Stale = stale
	return m.forward.Forward(withChange(rec, c, rec.Timestamp))
}
