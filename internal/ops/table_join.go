package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// TableJoinKind says which rows of two tables give a result when the other
// table has none of their key.
type TableJoinKind int

// The kinds of joins of tables.
const (
	InnerTableJoin TableJoinKind = iota
	LeftTableJoin
	OuterTableJoin
)

// TableJoin is the join of two tables by key (Java: KTableKTableAbstractJoin and
// KTableKTableJoinMerger): a side for each table, whose updates look the key up
// in the other one, and what merges the results of both. A result has the later
// timestamp of the two rows, which need not be that of the update.
type TableJoin[K, L, R, O any] struct {
	left      *dsl.Table[K, L]
	right     *dsl.Table[K, R]
	leftView  dsl.View[K, L]
	rightView dsl.View[K, R]
	kind      TableJoinKind
	join      func(l L, hasL bool, r R, hasR bool) O
	store     string
	sendOld   bool
	// leftVersioned and rightVersioned make a side drop out-of-order updates.
	leftVersioned, rightVersioned bool
}

// NewTableJoin plans a join and materialises both tables. store is empty for a
// result that is not materialised. The function is told which sides there are;
// at least one is.
func NewTableJoin[K, L, R, O any](left *dsl.Table[K, L], right *dsl.Table[K, R], kind TableJoinKind,
	join func(l L, hasL bool, r R, hasR bool) O, store string) *TableJoin[K, L, R, O] {
	return &TableJoin[K, L, R, O]{left: left, right: right, leftView: left.Supplier.View(), rightView: right.Supplier.View(),
		kind: kind, join: join, store: store}
}

// LeftStores are the stores that hold the left table's rows.
func (j *TableJoin[K, L, R, O]) LeftStores() []string { return j.leftView.Stores }

// RightStores are the stores that hold the right table's rows.
func (j *TableJoin[K, L, R, O]) RightStores() []string { return j.rightView.Stores }

// UseVersioned makes the join drop out-of-order updates of the tables that the
// graph node of that name yields.
func (j *TableJoin[K, L, R, O]) UseVersioned(parent string) {
	j.leftVersioned = j.leftVersioned || parent == j.left.Node.Name
	j.rightVersioned = j.rightVersioned || parent == j.right.Node.Name
}

// EnableOldValues implements dsl.TableSupplier.
func (j *TableJoin[K, L, R, O]) EnableOldValues(bool) bool {
	j.left.EnableOldValues(true)
	j.right.EnableOldValues(true)
	j.sendOld = true
	return true
}

// NewLeft makes the unit of a task that takes the left table's updates.
func (j *TableJoin[K, L, R, O]) NewLeft() (processor.Unit, error) {
	return &tableJoinSide[K, L, R, O]{other: j.rightView.New(), join: j.join,
		needsOther: j.kind == InnerTableJoin, withoutOwn: j.kind == OuterTableJoin,
		sendOld: j.sendOld, versioned: j.leftVersioned, null: record.NullsOf[O]()}, nil
}

// NewRight makes the unit of a task that takes the right table's updates.
func (j *TableJoin[K, L, R, O]) NewRight() (processor.Unit, error) {
	return &tableJoinSide[K, R, L, O]{other: j.leftView.New(),
		join:       func(r R, hasR bool, l L, hasL bool) O { return j.join(l, hasL, r, hasR) },
		needsOther: j.kind != OuterTableJoin, withoutOwn: j.kind != InnerTableJoin,
		sendOld: j.sendOld, versioned: j.rightVersioned, null: record.NullsOf[O]()}, nil
}

// tableJoinSide takes the updates of one table (Java: KTableKTableInnerJoin,
// KTableKTableLeftJoin, KTableKTableRightJoin, KTableKTableOuterJoin).
type tableJoinSide[K, V, W, O any] struct {
	processor.Out[K, processor.Change[O]]
	node  *processor.Node
	other dsl.ValueGetter[K, W]
	join  func(v V, hasV bool, w W, hasW bool) O
	// needsOther: no result without the other table's row. withoutOwn: a row of
	// the other table gives a result although this one has none.
	needsOther, withoutOwn bool
	sendOld, versioned     bool
	null                   record.Nulls[O]
}

// Init implements processor.Unit.
func (s *tableJoinSide[K, V, W, O]) Init(n *processor.Node) error {
	s.node = n
	return s.other.Init(n)
}

// Close implements processor.Unit.
func (s *tableJoinSide[K, V, W, O]) Close() error { return s.other.Close() }

// Receive implements processor.Receiver. A deletion is sent on each time, also
// if there was nothing to delete, where the other table has a row.
func (s *tableJoinSide[K, V, W, O]) Receive(rec processor.Record[K, processor.Change[V]]) error {
	in := &rec.Value
	if rec.KeyNull || s.versioned && in.Stale {
		s.node.Host().Dropped()
		return nil
	}
	row, has, err := s.other.Get(rec.Key)
	if err != nil {
		return err
	}
	time := rec.Timestamp
	switch {
	case has:
		time = max(time, row.Timestamp)
	case s.needsOther, !in.HasNew && !in.HasOld:
		return nil
	}
	c := processor.Change[O]{Stale: in.Stale}
	if in.HasNew || s.withoutOwn && has {
		c.New = s.join(in.New, in.HasNew, row.Value, has)
		c.HasNew = !s.null.Is(&c.New)
	}
	if s.sendOld && (in.HasOld || s.withoutOwn && has) {
		c.Old = s.join(in.Old, in.HasOld, row.Value, has)
		c.HasOld = !s.null.Is(&c.Old)
	}
	return s.Forward(withChange(rec, c, time))
}
