package ops

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/window"
)

// point is a value that is no pointer and larger than a word.
type point struct{ X, Y int64 }

type pointSerde struct{}

func (pointSerde) Append(dst []byte, _ string, p point) ([]byte, error) {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, uint64(p.X)), uint64(p.Y)), nil
}

func (pointSerde) Decode(_ string, data []byte) (point, error) {
	return point{int64(binary.BigEndian.Uint64(data)), int64(binary.BigEndian.Uint64(data[8:]))}, nil
}

// TestTablesAllocateNothing runs one key through operators of tables and
// aggregations over values that are not pointers.
func TestTablesAllocateNothing(t *testing.T) {
	for _, cached := range []bool{false, true} {
		tablesAllocateNothing(t, "int64", cached, serde.Int64(), int64(1), func(a, b int64) int64 { return a + b })
		tablesAllocateNothing[point](t, "struct", cached, pointSerde{}, point{1, 2}, func(a, b point) point { return point{a.X + b.X, a.Y + b.Y} })
	}
}

func tablesAllocateNothing[V any](t *testing.T, kind string, cached bool, values serde.Serde[V], v V, add func(V, V) V) {
	t.Helper()
	same := func(_ int64, v V) V { return v }
	keep := func(int64, V) bool { return true }
	fold := func(_ int64, v, a V) V { return add(a, v) }
	first := func(V) func() V { return func() V { return v } }(v)
	source := NewTableSource[int64, V]("t", true)
	for name, start := range map[string]func(*host) processor.Unit{
		"table": func(h *host) processor.Unit {
			u := unit(t, source)
			filter := NewTableFilter(source, keep, "f")
			mapped := NewTableMapValues(filter, same, "m")
			selected := NewTableSelect(func(k int64, v V) (int64, V) { return k, v })
			pipe(h, u, unit(t, filter), unit(t, mapped), unit(t, selected), unit(t, NewTableReduce[int64]("r", add, add)), NewTableToStream[int64, V]())
			return u
		},
		"table aggregate": func(h *host) processor.Unit {
			u := unit(t, source)
			pipe(h, u, unit(t, NewTableAggregate("r", first, fold, fold)), NewTableToStream[int64, V]())
			return u
		},
		"aggregate": func(h *host) processor.Unit {
			u := unit(t, NewStreamAggregate("r", first, fold))
			pipe(h, u, NewTableToStream[int64, V]())
			return u
		},
		"reduce": func(h *host) processor.Unit {
			u := unit(t, NewStreamReduce[int64]("r", add))
			pipe(h, u, NewTableToStream[int64, V]())
			return u
		},
		"windows": func(h *host) processor.Unit {
			u := unit(t, NewWindowAggregate("w", window.Tumbling(time.Minute), Aggregating(first, fold, nil), false))
			pipe(h, u, NewTableToStream[window.Windowed[int64], V]())
			return u
		},
	} {
		t.Run(name+" of "+kind, func(t *testing.T) {
			h := newHost(t)
			h.rc = &record.Context{Topic: "in", Headers: &record.Headers{}}
			for _, s := range []string{"t", "f", "m", "r"} {
				addStore(h, s, serde.Int64(), values, cached)
			}
			opts := []statestore.Option{statestore.On(memstore.Backend)}
			if cached {
				opts = append(opts, statestore.Cached())
			}
			w := statestore.NewTimestampedWindow("w", serde.Int64(), values, statestore.WindowConfig{SizeMs: 60_000, RetentionMs: 60_000}, opts...).Build()
			if err := w.Open(h); err != nil {
				t.Fatal(err)
			}
			h.stores["w"] = w
			in := start(h).(processor.Receiver[int64, V])
			rec := processor.Record[int64, V]{Key: 1, Value: v, Timestamp: 3, Headers: h.rc.Headers}
			step := func() error {
				err := in.Receive(rec)
				h.cache.EndStep()
				return err
			}
			for range 20 {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			allocates(t, 0, step)
			if cached {
				h.flush()
			}
		})
	}
}
