package ops

import (
	"errors"
	"slices"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// View implements dsl.TableSupplier. A result that is not materialised is
// computed anew from both tables.
func (j *TableJoin[K, L, R, O]) View() dsl.View[K, O] {
	if j.store != "" {
		return StoreView[K, O](j.store)
	}
	stores := slices.Clone(j.leftView.Stores)
	for _, s := range j.rightView.Stores {
		if !slices.Contains(stores, s) {
			stores = append(stores, s)
		}
	}
	return dsl.View[K, O]{Stores: stores, New: func() dsl.ValueGetter[K, O] {
		return &tableJoinGetter[K, L, R, O]{left: j.leftView.New(), right: j.rightView.New(), kind: j.kind, join: j.join,
			null: record.NullsOf[O]()}
	}}
}

type tableJoinGetter[K, L, R, O any] struct {
	left  dsl.ValueGetter[K, L]
	right dsl.ValueGetter[K, R]
	kind  TableJoinKind
	join  func(l L, hasL bool, r R, hasR bool) O
	null  record.Nulls[O]
}

// Init implements dsl.ValueGetter.
func (g *tableJoinGetter[K, L, R, O]) Init(n *processor.Node) error {
	if err := g.left.Init(n); err != nil {
		return err
	}
	return g.right.Init(n)
}

// Get implements dsl.ValueGetter.
func (g *tableJoinGetter[K, L, R, O]) Get(key K) (row statestore.Timed[O], _ bool, _ error) {
	l, hasL, err := g.left.Get(key)
	if err != nil || !hasL && g.kind != OuterTableJoin {
		return row, false, err
	}
	r, hasR, err := g.right.Get(key)
	if err != nil || !hasR && (g.kind == InnerTableJoin || !hasL) {
		return row, false, err
	}
	switch {
	case !hasL:
		row.Timestamp = r.Timestamp
	case !hasR:
		row.Timestamp = l.Timestamp
	default:
		row.Timestamp = max(l.Timestamp, r.Timestamp)
	}
	row.Value = g.join(l.Value, hasL, r.Value, hasR)
	return row, !g.null.Is(&row.Value), nil
}

var errJoinNotVersioned = errors.New("the result of a join is not versioned: it cannot be read as of a time")

// GetAsOf implements dsl.ValueGetter.
func (g *tableJoinGetter[K, L, R, O]) GetAsOf(K, int64) (row statestore.Timed[O], _ bool, _ error) {
	return row, false, errJoinNotVersioned
}

// Versioned implements dsl.ValueGetter: a result is not, even if both tables
// are (KIP-914).
func (g *tableJoinGetter[K, L, R, O]) Versioned() bool { return false }

// Close implements dsl.ValueGetter.
func (g *tableJoinGetter[K, L, R, O]) Close() error {
	return errors.Join(g.left.Close(), g.right.Close())
}
