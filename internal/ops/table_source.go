package ops

import (
	"log/slog"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
)

// TableSource turns records into the changes of a table; it serves tables read
// from a topic, global tables and streams taken as tables (Java: KTableSource).
// A null value deletes, a null key is dropped. Updates apply in the order they
// come: an older timestamp overwrites, with a warning.
type TableSource[K, V any] struct {
	store        string
	materialized bool
	sendOld      bool
}

// NewTableSource plans a table source. store is the name of its store, used if
// materialized is set or a later operator needs the store.
func NewTableSource[K, V any](store string, materialized bool) *TableSource[K, V] {
	return &TableSource[K, V]{store: store, materialized: materialized}
}

// Materialized reports whether the source has a store.
func (s *TableSource[K, V]) Materialized() bool { return s.materialized }

// Store is the name of the store.
func (s *TableSource[K, V]) Store() string { return s.store }

// EnableOldValues implements dsl.TableSupplier.
func (s *TableSource[K, V]) EnableOldValues(force bool) bool {
	if !s.sendOld && !force && !s.materialized {
		return false
	}
	s.sendOld, s.materialized = true, true
	return true
}

// View implements dsl.TableSupplier.
func (s *TableSource[K, V]) View() dsl.View[K, V] {
	s.materialized = true
	return StoreView[K, V](s.store)
}

// New makes the unit of a task.
func (s *TableSource[K, V]) New() (processor.Unit, error) { return &tableSource[K, V]{plan: s}, nil }

type tableSource[K, V any] struct {
	processor.Out[K, processor.Change[V]]
	plan    *TableSource[K, V]
	node    *processor.Node
	store   *tableStore[K, V]
	forward TupleForwarder[K, V]
}

// Init implements processor.Unit.
func (s *tableSource[K, V]) Init(n *processor.Node) (err error) {
	s.node = n
	if !s.plan.materialized {
		return nil
	}
	if s.store, err = openStore[K, V](n, s.plan.store); err != nil {
		return err
	}
	s.forward = NewTupleForwarder(s.store.store(), &s.Out, s.plan.sendOld)
	return nil
}

// Close implements processor.Unit.
func (s *tableSource[K, V]) Close() error { return nil }

// Receive implements processor.Receiver.
func (s *tableSource[K, V]) Receive(rec processor.Record[K, V]) error {
	if rec.KeyNull {
		s.node.Host().Dropped()
		return nil
	}
	c := processor.Change[V]{New: rec.Value, HasNew: !rec.ValueNull}
	if s.store == nil {
		return s.Forward(withChange(rec, c, rec.Timestamp))
	}
	row, hasOld, err := s.store.get(rec.Key)
	if err != nil {
		return err
	}
	if hasOld && rec.Timestamp < row.Timestamp {
		s.warnOutOfOrder(row.Timestamp, rec.Timestamp)
	}
	stored, stale, err := s.store.put(rec.Key, rec.Value, c.HasNew, rec.Timestamp)
	if err != nil || !stored {
		return err
	}
	c.Old, c.HasOld, c.Stale = row.Value, hasOld, stale
	return s.forward.Forward(withChange(rec, c, rec.Timestamp))
}

// logging is a host that says where to log.
type logging interface{ Logger() *slog.Logger }

func (s *tableSource[K, V]) warnOutOfOrder(oldTime, newTime int64) {
	host, ok := s.node.Host().(logging)
	if !ok {
		return
	}
	rc := s.node.Host().RecordContext()
	host.Logger().Warn("out-of-order update of a table", "store", s.plan.store, "old timestamp", oldTime,
		"new timestamp", newTime, "topic", rc.Topic, "partition", rc.Partition, "offset", rc.Offset)
}
