package ops

import (
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// SelfJoin is a join of a stream with itself that needs but one window store
// (Java: KStreamKStreamSelfJoin, optimisation single.store.self.join). Its
// results are those of the join over two stores, in the same order: the record
// as the left side with every earlier one, then as the right side, and with
// itself where its time puts it. Outer sides have no meaning, for a record
// always meets itself; null keys and values are dropped.
type SelfJoin[K, V, O any] struct {
	Window window.Join
	Join   func(key K, left V, hasLeft bool, right V, hasRight bool) O
	Store  string
}

// New makes the unit of a task.
func (j *SelfJoin[K, V, O]) New() (processor.Unit, error) {
	return &selfJoin[K, V, O]{plan: j, null: record.NullsOf[O](), streamTime: -1}, nil
}

type selfJoin[K, V, O any] struct {
	processor.Out[K, O]
	plan       *SelfJoin[K, V, O]
	null       record.Nulls[O]
	node       *processor.Node
	store      statestore.HeadersWindow[K, V]
	streamTime int64
}

// Init implements processor.Unit.
func (s *selfJoin[K, V, O]) Init(n *processor.Node) (err error) {
	s.node = n
	s.store, err = openJoinWindow[K, V](n, s.plan.Store)
	return err
}

// Close implements processor.Unit.
func (s *selfJoin[K, V, O]) Close() error { return nil }

// Receive implements processor.Receiver.
func (s *selfJoin[K, V, O]) Receive(rec processor.Record[K, V]) error {
	if rec.KeyNull || rec.ValueNull {
		s.node.Host().Dropped()
		return nil
	}
	w := s.plan.Window
	ts := rec.Timestamp
	self := s.plan.Join(rec.Key, rec.Value, true, rec.Value, true)
	s.streamTime = max(s.streamTime, ts)
	for e, err := range s.store.FetchKey(rec.Key, max(0, ts-w.BeforeMs()), max(0, ts+w.AfterMs())) {
		if err != nil {
			return err
		}
		v := s.plan.Join(rec.Key, rec.Value, true, e.Value.Value, true)
		if err := s.send(&rec, v, max(ts, e.Key.Start)); err != nil {
			return err
		}
	}
	// The other side's store has dropped a record that is older than this.
	due := ts > s.streamTime-(w.SizeMs()+w.GraceMs())+1
	for e, err := range s.store.FetchKey(rec.Key, max(0, ts-w.AfterMs()), max(0, ts+w.BeforeMs())) {
		if err != nil {
			return err
		}
		if due && ts < e.Key.Start {
			due = false
			if err := s.send(&rec, self, ts); err != nil {
				return err
			}
		}
		v := s.plan.Join(rec.Key, e.Value.Value, true, rec.Value, true)
		if err := s.send(&rec, v, max(ts, e.Key.Start)); err != nil {
			return err
		}
	}
	if !due {
		return nil
	}
	return s.send(&rec, self, ts)
}

func (s *selfJoin[K, V, O]) send(rec *processor.Record[K, V], v O, timestamp int64) error {
	return s.Forward(processor.Record[K, O]{Key: rec.Key, Value: v, ValueNull: s.null.Is(&v), Timestamp: timestamp, Headers: rec.Headers})
}
