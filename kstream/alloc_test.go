package kstream_test

import (
	"context"
	"iter"
	"testing"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// host is a task that counts what is sent.
type host struct {
	processor.Host
	rc   record.Context
	sent int
}

func (h *host) RecordContext() *record.Context { return &h.rc }
func (h *host) TaskID() string                 { return "0_0" }
func (h *host) TopicName(topic string) string  { return topic }
func (h *host) Send(processor.Outgoing) error  { h.sent++; return nil }
func (h *host) ProcessingFailed(_ processor.ErrorContext, _ processor.Failing, err error) error {
	return err
}

// start makes the units of the first sub-topology and readies them.
func start(t *processor.Topology, h *host) (*processor.Graph, error) {
	g, err := t.Instantiate([]int{0}, h)
	if err != nil {
		return nil, err
	}
	for _, n := range g.Nodes {
		if err := n.Unit().Init(n); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// TestOperatorsAllocateNothing runs one record at a time through each operator.
func TestOperatorsAllocateNothing(t *testing.T) {
	type ints = kstream.Stream[int64, int64]
	add := func(k, v int64) (int64, int64) { return k + 1, v + 1 }
	list := []int64{1, 2, 3}
	var seq iter.Seq2[int64, int64] = func(yield func(int64, int64) bool) {
		for i := int64(0); i < 3 && yield(i, i); i++ {
		}
	}
	positive := func(k, _ int64) bool { return k > 0 }
	for name, op := range map[string]func(ints) ints{
		"Filter":    func(s ints) ints { return s.Filter(positive) },
		"FilterNot": func(s ints) ints { return s.FilterNot(func(k, _ int64) bool { return k < 0 }) },
		"Map":       func(s ints) ints { return kstream.Map(s, add) },
		"TryMap": func(s ints) ints {
			return kstream.TryMap(s, func(ctx context.Context, k, v int64) (int64, int64, error) {
				if m, ok := processor.MetadataOf(ctx); !ok || m.Topic != "in" {
					t.Errorf("metadata: %v", m)
				}
				return k, v, nil
			})
		},
		"MapValues": func(s ints) ints { return kstream.MapValues(s, func(v int64) int64 { return v + 1 }) },
		"MapValues to a struct and back": func(s ints) ints {
			type point struct{ x, y, z int64 }
			points := kstream.MapValues(s, func(v int64) point { return point{x: v} })
			return kstream.MapValues(points.Filter(func(int64, point) bool { return true }), func(p point) int64 { return p.x })
		},
		"MapValuesWithKey": func(s ints) ints { return kstream.MapValuesWithKey(s, func(k, v int64) int64 { return k + v }) },
		"SelectKey":        func(s ints) ints { return kstream.SelectKey(s, func(_, v int64) int64 { return v }) },
		"FlatMap": func(s ints) ints {
			return kstream.FlatMap(s, func(int64, int64) iter.Seq2[int64, int64] { return seq })
		},
		"FlatMapValues": func(s ints) ints { return kstream.FlatMapValues(s, func(int64) []int64 { return list }) },
		"Peek":          func(s ints) ints { return s.Peek(func(int64, int64) {}) },
		"Merge":         func(s ints) ints { return s.Merge(s.Filter(positive)) },
		"Split":         func(s ints) ints { return s.Split().When("a", positive).Done()["KSTREAM-BRANCH-0000000001a"] },
		"Process": func(s ints) ints {
			return kstream.ProcessFunc(s, func(ctx *processor.Context[int64, int64], rec processor.Record[int64, int64]) error {
				return ctx.Forward(rec)
			})
		},
		"ProcessValues": func(s ints) ints {
			return kstream.ProcessValuesFunc(s, func(ctx *processor.FixedKeyContext[int64, int64], rec processor.FixedKeyRecord[int64, int64]) error {
				return ctx.Forward(rec)
			})
		},
		"To after Repartition": func(s ints) ints { s.Repartition(); return s },
	} {
		t.Run(name, func(t *testing.T) {
			b := kstream.NewBuilder()
			op(kstream.From[int64, int64](b, "in")).To("out")
			topology, err := b.Build(processor.Config{})
			if err != nil {
				t.Fatal(err)
			}
			h := &host{rc: record.Context{Topic: "in"}}
			g, err := start(topology, h)
			if err != nil {
				t.Fatal(err)
			}
			head := g.Sources[0].Unit.NewHead()
			raw := &record.Raw{Key: []byte{0, 0, 0, 0, 0, 0, 0, 1}, Value: []byte{0, 0, 0, 0, 0, 0, 0, 2}}
			headers := &record.Headers{}
			n := testing.AllocsPerRun(100, func() {
				if err := head.Load("in", raw, headers); err != nil {
					t.Fatal(err)
				}
				head.Take()
				if err := head.Emit(1); err != nil {
					t.Fatal(err)
				}
			})
			if n != 0 {
				t.Errorf("%v allocations for a record", n)
			}
			if h.sent == 0 {
				t.Error("nothing was sent")
			}
		})
	}
}
