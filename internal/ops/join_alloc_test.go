package ops

import (
	"testing"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// swallow takes records and keeps none.
type swallow[K, V any] struct{ n int }

func (s *swallow[K, V]) Attach(*processor.Node) error         { return nil }
func (s *swallow[K, V]) Init(*processor.Node) error           { return nil }
func (s *swallow[K, V]) Close() error                         { return nil }
func (s *swallow[K, V]) Receive(processor.Record[K, V]) error { s.n++; return nil }

// numbers is a task with the stores l and r, each with the row 1 → 10.
func numbers(t *testing.T) *host {
	h := newHost(t)
	h.rc = &record.Context{Topic: "in", Headers: &record.Headers{}}
	for _, name := range []string{"l", "r"} {
		addStore(h, name, serde.Int64(), serde.Int64(), false)
		s, ok := h.stores[name].(statestore.TimestampedKeyValue[int64, int64])
		if !ok {
			t.Fatalf("store %s is a %T", name, h.stores[name])
		}
		if err := s.Put(1, statestore.Timed[int64]{Value: 10, Timestamp: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func allocates(t *testing.T, at float64, f func() error) {
	t.Helper()
	if n := testing.AllocsPerRun(200, func() {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}); n > at {
		t.Errorf("%v allocations, want %v", n, at)
	}
}

func TestStreamTableJoinAllocatesNothing(t *testing.T) {
	h := numbers(t)
	plan := &StreamTableJoin[int64, int64, int64, int64, int64]{Table: StoreView[int64, int64]("r"), Own: true, Left: true,
		Key:  func(k, _ int64) (int64, bool) { return k, true },
		Join: func(_, v, r int64, _ bool) int64 { return v + r }}
	u := unit(t, plan)
	pipe(h, u, &swallow[int64, int64]{})
	in, rec := u.(processor.Receiver[int64, int64]), processor.Record[int64, int64]{Key: 1, Value: 2, Timestamp: 3, Headers: h.rc.Headers}
	allocates(t, 0, func() error { return in.Receive(rec) })
}

func TestTableJoinAllocatesNothing(t *testing.T) {
	h := numbers(t)
	table := func(store string) *dsl.Table[int64, int64] {
		return &dsl.Table[int64, int64]{Base: dsl.Base{Node: &dsl.Node{Name: store}}, Supplier: NewTableSource[int64, int64](store, true)}
	}
	plan := NewTableJoin(table("l"), table("r"), OuterTableJoin, func(l int64, _ bool, r int64, _ bool) int64 { return l + r }, "")
	plan.EnableOldValues(true)
	u, err := plan.NewLeft()
	if err != nil {
		t.Fatal(err)
	}
	pipe(h, u, unit(t, plan), &swallow[int64, processor.Change[int64]]{})
	in := u.(processor.Receiver[int64, processor.Change[int64]])
	rec := processor.Record[int64, processor.Change[int64]]{Key: 1, Timestamp: 3, Headers: h.rc.Headers,
		Value: processor.Change[int64]{New: 2, Old: 1, HasNew: true, HasOld: true}}
	allocates(t, 0, func() error { return in.Receive(rec) })
}

func TestForeignKeyJoinAllocatesNothing(t *testing.T) {
	h := numbers(t)
	subs := statestore.NewHeaders[[]byte, SubscriptionRow]("s", serde.Bytes(), subscriptionRows{}, statestore.On(memstore.Backend)).Build()
	if err := subs.Open(h); err != nil {
		t.Fatal(err)
	}
	h.stores["s"] = subs
	keys := &ForeignKeys[int64, int64]{Store: "s", Topic: "t", Foreign: serde.Int64(), Primary: serde.Int64()}
	send := unit(t, &ForeignKeySend[int64, int64, int64]{Extract: func(_, v int64) (int64, bool) { return v, true }, Left: true,
		Topic: "t", ForeignKey: serde.Int64(), Value: serde.Int64()})
	receive := unit(t, &ForeignKeyReceive[int64, int64]{Keys: keys})
	lookup := unit(t, &ForeignKeyLookup[int64, int64, int64]{Right: StoreView[int64, int64]("r")})
	resolve := unit(t, &ForeignKeyResolve[int64, int64, int64, int64]{Table: StoreView[int64, int64]("l"), Value: serde.Int64(),
		Topic: "t", Left: true, Join: func(l, r int64, _ bool) int64 { return l + r }})
	out := &swallow[int64, int64]{}
	pipe(h, send, receive, lookup, resolve, out)
	in := send.(processor.Receiver[int64, processor.Change[int64]])
	// The left table's row is 10, and 1 is the foreign key it has in the store
	// of the right one.
	rec := processor.Record[int64, processor.Change[int64]]{Key: 1, Timestamp: 3, Headers: h.rc.Headers,
		Value: processor.Change[int64]{New: 10, Old: 10, HasNew: true, HasOld: true}}
	allocates(t, 0, func() error { return in.Receive(rec) })
	if out.n == 0 {
		t.Error("nothing came out")
	}
}
