package kstream_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

// run builds a program, pipes records of the form "key:value" ("-" is null)
// into its topic "in" and returns what came out of each topic, as
// "topic key:value" in order.
func run(t *testing.T, build func(builder), records ...string) ([]string, error) {
	t.Helper()
	config := processor.Config{InMemoryStores: true}
	b := kstream.NewBuilder(config)
	build(b)
	topology, err := b.Build(config)
	if err != nil {
		t.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{Config: config, Start: time.UnixMilli(0)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var out []string
	for i, r := range records {
		k, v, _ := strings.Cut(r, ":")
		err := d.Pipe(testdriver.Record{Topic: "in", Key: raw(k), Value: raw(v), Timestamp: int64(i)})
		for topic, list := range d.TakeWritten() {
			if !strings.HasSuffix(topic, "-changelog") && !strings.HasSuffix(topic, "-repartition") {
				for _, w := range list {
					out = append(out, topic+" "+shown(w.Key)+":"+shown(w.Value))
				}
			}
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func raw(s string) []byte {
	if s == "-" {
		return nil
	}
	return []byte(s)
}

func shown(b []byte) string {
	if b == nil {
		return "-"
	}
	return string(b)
}

func maybe(v *string) string {
	if v == nil {
		return "nil"
	}
	return *v
}

func TestOperators(t *testing.T) {
	var printed bytes.Buffer
	for _, c := range []struct {
		name    string
		build   func(builder)
		records []string
		want    []string
	}{
		{"filter", func(b builder) { in(b, "in").Filter(func(_, v string) bool { return v > "m" }).To("out") },
			[]string{"a:b", "c:z"}, []string{"out c:z"}},
		{"a null value passes what does not look at it", func(b builder) { kstream.MapValues(in(b, "in").Repartition(), upper).To("out") },
			[]string{"-:b", "c:z"}, []string{"out c:Z"}},
		{"nullable types see nil", func(b builder) {
			s := kstream.From[*string, *string](b, "in")
			kstream.MapValues(s, maybe).To("out")
		}, []string{"a:-", "-:b"}, []string{"out a:nil", "out -:b"}},
		{"a nil result is null", func(b builder) {
			kstream.MapValues(in(b, "in"), func(v string) *string {
				if v == "x" {
					return nil
				}
				return &v
			}).To("out")
		}, []string{"a:x", "a:y"}, []string{"out a:-", "out a:y"}},
		{"flatMap", func(b builder) {
			kstream.FlatMap(in(b, "in"), func(k, v string) iter.Seq2[string, int64] {
				return func(yield func(string, int64) bool) {
					_ = yield(k+"1", 1) && yield(k+"2", 2)
				}
			}).Filter(func(k string, n int64) bool { return n == 2 }).To("out")
		}, []string{"a:x"}, []string{"out a2:\x00\x00\x00\x00\x00\x00\x00\x02"}},
		{"flatMapValues", func(b builder) { kstream.FlatMapValues(in(b, "in"), strings.Fields).To("out") },
			[]string{"a:x y", "b:"}, []string{"out a:x", "out a:y"}},
		{"split", func(b builder) {
			m := in(b, "in").Split(with.Name("s-")).
				When("a", func(k, _ string) bool { return k == "a" }).
				When("b", func(k, _ string) bool { return k < "c" }).Otherwise("rest")
			m["s-a"].To("A")
			m["s-b"].To("B")
			m["s-rest"].To("R")
		}, []string{"a:1", "b:2", "c:3"}, []string{"A a:1", "B b:2", "R c:3"}},
		{"merge", func(b builder) {
			s := in(b, "in")
			kstream.MapValues(s, upper).Merge(s).To("out")
		}, []string{"a:x"}, []string{"out a:X", "out a:x"}},
		{"print", func(b builder) {
			s := kstream.From[*string, *string](b, "in")
			s.Print(&printed, with.Label("all"), with.Format(func(k, v *string) string { return maybe(k) + "=" + maybe(v) }))
			kstream.Map(s, func(k, v *string) (int, *string) { return 7, nil }).Print(&printed)
		}, []string{"a:-"}, nil},
		{"count", func(b builder) {
			s := kstream.From[[]byte, string](b, "in")
			counts := kstream.Count(kstream.GroupBy(kstream.FlatMapValues(s, strings.Fields), func(_ []byte, w string) string { return w }),
				with.Store("counts"))
			kstream.MapValues(kstream.FromTable(counts), func(n int64) string { return string(rune('0' + n)) }).To("out")
		}, []string{"-:a b", "-:a"}, []string{"out a:1", "out b:1", "out a:2"}},
		{"reduce and toTable", func(b builder) {
			r := kstream.Reduce(in(b, "in").GroupByKey(), join)
			kstream.FromTable(kstream.ToTable(kstream.FromTable(r), with.Store("latest"))).To("out")
		}, []string{"a:x", "a:y"}, []string{"out a:x", "out a:xy"}},
		{"aggregate", func(b builder) {
			a := kstream.Aggregate(in(b, "in").GroupByKey(), func() string { return "#" }, func(k, v, agg string) string { return agg + v })
			kstream.FromTable(a).To("out")
		}, []string{"a:x", "a:-", "-:z", "a:y"}, []string{"out a:#x", "out a:#xy"}},
		{"processors with a store", func(b builder) {
			seen := statestore.NewKeyValue("seen", serde.String(), serde.Int64(), statestore.On(memstore.Backend))
			counted := kstream.ProcessFunc(in(b, "in"), func(ctx *processor.Context[string, string], rec processor.Record[string, string]) error {
				s, err := seen.In(ctx)
				if err != nil {
					return err
				}
				n, _, err := s.Get(rec.Key)
				if err != nil {
					return err
				}
				return errors.Join(s.Put(rec.Key, n+1), ctx.Forward(processor.WithValue(rec, strings.Repeat(rec.Value, int(n)+1))))
			}, with.Stores(seen))
			kstream.ProcessValuesFunc(counted, func(ctx *processor.FixedKeyContext[string, string], rec processor.FixedKeyRecord[string, string]) error {
				if _, err := ctx.Store("seen"); err != nil {
					return err
				}
				if rec.Value() == "y" {
					return ctx.Forward(processor.WithFixedKeyNull[string](rec))
				}
				return ctx.Forward(rec)
			}, with.StoreNames("seen")).To("out")
		}, []string{"a:x", "a:x", "b:y"}, []string{"out a:x", "out a:xx", "out b:-"}},
		{"global store", func(b builder) {
			kstream.GlobalStore[string, string](b, globalStore, "in", func() *mirror { return &mirror{} })
			in(b, "other").To("out")
		}, []string{"a:x"}, nil},
		{"retyped", func(b builder) {
			s := kstream.Retype[any, any](in(b, "in"), dsl.Erased{})
			m := s.Merge(s.Filter(func(k, v any) bool { return v == "y" }))
			kstream.Retype[string, string](m, dsl.Erased{}).To("out")
		}, []string{"a:x", "a:y"}, []string{"out a:x", "out a:y", "out a:y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := run(t, c.build, c.records...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if want := "[all]: a=nil\n[KSTREAM-MAP-0000000002]: 7, null\n"; printed.String() != want {
		t.Errorf("printed %q, want %q", printed.String(), want)
	}
}

func TestProcessingErrors(t *testing.T) {
	told := errors.New("told to fail")
	for _, c := range []struct {
		name   string
		build  func(builder)
		record string
		is     error
		text   string
	}{
		{"null value", func(b builder) { kstream.MapValues(in(b, "in"), upper).To("out") }, "a:-", processor.ErrNull,
			"node KSTREAM-MAPVALUES-0000000001: a null value reached a function over string, which cannot hold it; a stream over *string can"},
		{"null key", func(b builder) { in(b, "in").Filter(yes).To("out") }, "-:a", processor.ErrNull,
			"node KSTREAM-FILTER-0000000001: a null key reached a function over string"},
		{"nil sequence", func(b builder) {
			kstream.FlatMap(in(b, "in"), func(_, _ string) iter.Seq2[string, string] { return nil }).To("out")
		}, "a:b", processor.ErrNull, "the function returned a nil sequence"},
		{"TryMapValues", func(b builder) {
			kstream.TryMapValues(in(b, "in"), func(context.Context, string) (string, error) { return "", told }).To("out")
		}, "a:b", told, "told to fail"},
		{"TryFlatMapValues", func(b builder) {
			kstream.TryFlatMapValues(in(b, "in"), func(context.Context, string) ([]string, error) { return nil, told }).To("out")
		}, "a:b", told, "told to fail"},
		{"TryForEach", func(b builder) {
			in(b, "in").TryForEach(func(context.Context, string, string) error { return told })
		}, "a:b", told, "told to fail"},
		{"an error below a FlatMap", func(b builder) {
			s := kstream.FlatMap(in(b, "in"), func(k, v string) iter.Seq2[string, string] {
				return func(yield func(string, string) bool) {
					if yield(k, v) {
						t.Error("the sequence goes on after an error")
					}
				}
			})
			s.TryForEach(func(context.Context, string, string) error { return told })
		}, "a:b", told, "told to fail"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := run(t, c.build, c.record)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v", err)
			}
		})
	}
}
