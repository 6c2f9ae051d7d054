package kstream_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/with"
)

// TestNames checks which indices an operator burns and what names come of them:
// the source made after it bears the next index.
func TestNames(t *testing.T) {
	hash := func(s stream) kstream.Stream[string, string] { return kstream.SelectKey(s, value) }
	for _, c := range []struct {
		name  string
		op    func(builder, stream)
		burns int
		names []string // must all appear in the description
	}{
		{"stream", func(builder, stream) {}, 0, nil},
		{"named stream", func(b builder, _ stream) { in(b, "x", with.Name("src")).To("o", with.Name("snk")) }, 2, []string{"Source: src ", "Sink: snk "}},
		{"table", func(b builder, _ stream) { kstream.Table[string, string](b, "x") }, 3, []string{"KSTREAM-SOURCE-0000000002", "KTABLE-SOURCE-0000000003 (stores: [])"}},
		{"table with a store", func(b builder, _ stream) { kstream.Table[string, string](b, "x", with.Store("s")) }, 2, []string{"KTABLE-SOURCE-0000000002 (stores: [s])"}},
		{"named table", func(b builder, _ stream) { kstream.Table[string, string](b, "x", with.Name("tb")) }, 3, []string{"Source: tb-source", "Processor: tb "}},
		{"global table", func(b builder, _ stream) { kstream.GlobalTable[string, string](b, "x") }, 3, []string{"KTABLE-SOURCE-0000000003 (stores: [x-STATE-STORE-0000000001])"}},
		{"filter", func(_ builder, s stream) { s.Filter(yes) }, 1, []string{"KSTREAM-FILTER-0000000001"}},
		{"named filter", func(_ builder, s stream) { s.Filter(yes, with.Name("f")) }, 1, []string{"Processor: f "}},
		{"map", func(_ builder, s stream) { kstream.Map(s, same) }, 1, []string{"KSTREAM-MAP-0000000001"}},
		{"mapValues", func(_ builder, s stream) { kstream.MapValues(s, upper) }, 1, []string{"KSTREAM-MAPVALUES-0000000001"}},
		{"flatMap", func(_ builder, s stream) { kstream.FlatMap(s, pairs) }, 1, []string{"KSTREAM-FLATMAP-0000000001"}},
		{"flatMapValues", func(_ builder, s stream) { kstream.FlatMapValues(s, strings.Fields) }, 1, []string{"KSTREAM-FLATMAPVALUES-0000000001"}},
		{"peek", func(_ builder, s stream) { s.Peek(func(_, _ string) {}) }, 1, []string{"KSTREAM-PEEK-0000000001"}},
		{"forEach", func(_ builder, s stream) { s.ForEach(func(_, _ string) {}) }, 1, []string{"KSTREAM-FOREACH-0000000001"}},
		{"print", func(_ builder, s stream) { s.Print(os.Stdout) }, 1, []string{"KSTREAM-PRINTER-0000000001"}},
		{"merge", func(_ builder, s stream) { s.Merge(s) }, 1, []string{"KSTREAM-MERGE-0000000001"}},
		{"to", func(_ builder, s stream) { s.To("o") }, 1, []string{"KSTREAM-SINK-0000000001"}},
		{"split", func(_ builder, s stream) { s.Split().When("", yes).When("b", yes).Otherwise("") }, 4,
			[]string{"KSTREAM-BRANCH-0000000001 ", "KSTREAM-BRANCH-00000000011 ", "KSTREAM-BRANCH-0000000001b ", "KSTREAM-BRANCH-00000000010 "}},
		{"process", func(_ builder, s stream) { kstream.ProcessFunc(s, pass) }, 1, []string{"KSTREAM-PROCESSOR-0000000001"}},
		{"named process", func(_ builder, s stream) { kstream.ProcessFunc(s, pass, with.Name("p")) }, 0, []string{"Processor: p "}},
		{"processValues", func(_ builder, s stream) { kstream.ProcessValuesFunc(s, passFixed) }, 1, []string{"KSTREAM-PROCESSVALUES-0000000001"}},
		{"named processValues", func(_ builder, s stream) { kstream.ProcessValuesFunc(s, passFixed, with.Name("p")) }, 0, []string{"Processor: p "}},
		{"global store", func(b builder, _ stream) {
			kstream.GlobalStore[string, string](b, globalStore, "x", func() *mirror { return &mirror{} })
		}, 2, []string{"KSTREAM-SOURCE-0000000001", "KTABLE-SOURCE-0000000002 (stores: [mirror])"}},
		{"named global store", func(b builder, _ stream) {
			kstream.GlobalStore[string, string](b, globalStore, "x", func() *mirror { return &mirror{} }, with.Name("g"))
		}, 2, []string{"Source: g-source", "Processor: g (stores: [mirror])"}},
		{"repartition", func(_ builder, s stream) { s.Repartition() }, 4,
			[]string{"KSTREAM-REPARTITION-0000000001-repartition", "KSTREAM-SINK-0000000002", "KSTREAM-FILTER-0000000003", "KSTREAM-SOURCE-0000000004"}},
		{"named repartition", func(_ builder, s stream) { s.Repartition(with.Name("rp")) }, 3,
			[]string{"topic: rp-repartition)", "rp-repartition-sink", "rp-repartition-filter", "rp-repartition-source"}},
		{"toTable", func(_ builder, s stream) { kstream.ToTable(s) }, 2, []string{"KSTREAM-TOTABLE-0000000001 (stores: [])"}},
		{"toTable with a store", func(_ builder, s stream) { kstream.ToTable(s, with.Store("s")) }, 1, []string{"KSTREAM-TOTABLE-0000000001 (stores: [s])"}},
		{"rekeyed toTable", func(_ builder, s stream) { kstream.ToTable(hash(s)) }, 6, []string{"KSTREAM-TOTABLE-0000000002-repartition", "KSTREAM-SINK-0000000004"}},
		{"named rekeyed toTable", func(_ builder, s stream) { kstream.ToTable(hash(s), with.Name("tt")) }, 6, []string{"topic: tt-repartition)", "Processor: tt "}},
		{"groupByKey", func(_ builder, s stream) { s.GroupByKey() }, 0, nil},
		{"groupBy", func(_ builder, s stream) { kstream.GroupBy(s, value) }, 1, []string{"KSTREAM-KEY-SELECT-0000000001"}},
		{"named groupBy", func(_ builder, s stream) { kstream.GroupBy(s, value, with.Name("g")) }, 1, []string{"Processor: g "}},
		{"count", func(_ builder, s stream) { kstream.Count(s.GroupByKey()) }, 2,
			[]string{"KSTREAM-AGGREGATE-0000000002 (stores: [KSTREAM-AGGREGATE-STATE-STORE-0000000001])"}},
		{"count with a store", func(_ builder, s stream) { kstream.Count(s.GroupByKey(), with.Store("s")) }, 1, []string{"KSTREAM-AGGREGATE-0000000001 (stores: [s])"}},
		{"count with an unnamed store", func(_ builder, s stream) { kstream.Count(s.GroupByKey(), with.NoCache()) }, 3,
			[]string{"KSTREAM-AGGREGATE-0000000003 (stores: [KSTREAM-AGGREGATE-STATE-STORE-0000000002])"}},
		{"reduce with an unnamed store", func(_ builder, s stream) { kstream.Reduce(s.GroupByKey(), join, with.NoCache()) }, 2,
			[]string{"KSTREAM-REDUCE-0000000002 (stores: [KSTREAM-REDUCE-STATE-STORE-0000000001])"}},
		{"rekeyed count", func(_ builder, s stream) { kstream.Count(hash(s).GroupByKey()) }, 6,
			[]string{"topic: KSTREAM-AGGREGATE-STATE-STORE-0000000002-repartition)", "KSTREAM-FILTER-0000000005", "KSTREAM-AGGREGATE-0000000003"}},
		{"two counts of a named group", func(_ builder, s stream) {
			g := hash(s).GroupByKey(with.Name("g"))
			kstream.Count(g)
			kstream.Count(g)
		}, 11, []string{"g-repartition-source", "KSTREAM-AGGREGATE-0000000003", "KSTREAM-AGGREGATE-0000000008"}},
		{"fromTable", func(_ builder, s stream) { kstream.FromTable(kstream.Count(s.GroupByKey(), with.Store("s"))) }, 2, []string{"KTABLE-TOSTREAM-0000000002"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.op(b, in(b, "in"))
			in(b, "probe")
			topology, err := b.Build(processor.Config{})
			if err != nil {
				t.Fatal(err)
			}
			text := topology.Describe()
			if want := fmt.Sprintf("KSTREAM-SOURCE-%010d (topics: [probe])", c.burns+1); !strings.Contains(text, want) {
				t.Errorf("got %s after the operator, want %s", regexp.MustCompile(`\S+ \(topics: \[probe]\)`).FindString(text), want)
			}
			for _, name := range c.names {
				if !strings.Contains(text, name) {
					t.Errorf("no %q in\n%s", name, text)
				}
			}
		})
	}
}

func pass(ctx *processor.Context[string, string], rec processor.Record[string, string]) error {
	return ctx.Forward(rec)
}

func passFixed(ctx *processor.FixedKeyContext[string, string], rec processor.FixedKeyRecord[string, string]) error {
	return ctx.Forward(rec)
}

var globalStore = statestore.NewKeyValue("mirror", serde.String(), serde.String(), statestore.On(memstore.Backend))

// mirror keeps a store equal to a topic.
type mirror struct{ processor.Base[any, any] }

func (*mirror) Process(ctx *processor.Context[any, any], rec processor.Record[string, string]) error {
	s, err := globalStore.In(ctx)
	if err != nil {
		return err
	}
	return s.Put(rec.Key, rec.Value)
}
