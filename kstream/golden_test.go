package kstream_test

import (
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/with"
)

// golden is what Java shows of a scenario.
type golden struct {
	Describe  string                                       `json:"describe"`
	Exception *struct{ At, Class string }                  `json:"exception"`
	Queryable map[string]*string                           `json:"queryable"`
	Branches  map[string][]string                          `json:"branches"`
	Advisory  []struct{ Chain []struct{ Message string } } `json:"advisory"`
}

func readGolden(t *testing.T, name string) golden {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "compat-tests", "corpus", "dsl", "golden", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

type (
	stream  = kstream.Stream[string, string]
	builder = *kstream.Builder
)

func in(b builder, topic string, opts ...with.Source) stream {
	return kstream.From[string, string](b, topic, opts...)
}

func yes(_, _ string) bool              { return true }
func same(k, v string) (string, string) { return k, v }
func value(_, v string) string          { return v }
func key(k, _ string) string            { return k }
func upper(v string) string             { return strings.ToUpper(v) }
func join(a, b string) string           { return a + b }

func pairs(k, v string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) { yield(k, v) }
}

// twins are the corpus's scenarios of these operators, written in Go.
var twins = map[string]struct {
	config processor.Config
	build  func(builder)
}{
	"names-everywhere": {build: func(b builder) {
		s := in(b, "in", with.Name("src"))
		c := kstream.Map(s.Filter(yes, with.Name("flt")).FilterNot(yes, with.Name("fltn")), same, with.Name("mp"))
		e := kstream.FlatMap(kstream.MapValues(c, upper, with.Name("mv")), pairs, with.Name("fm"))
		g := kstream.SelectKey(kstream.FlatMapValues(e, strings.Fields, with.Name("fmv")), key, with.Name("sk"))
		i := g.Peek(func(string, string) {}, with.Name("pk")).Merge(s, with.Name("mg"))
		i.ForEach(func(string, string) {}, with.Name("fe"))
		i.To("out", with.Name("snk"))
	}},
	"stateless-filter": {build: func(b builder) {
		s := in(b, "in")
		s.Filter(yes).To("out")
		s.FilterNot(yes).To("out2")
	}},
	"stateless-map":     {build: func(b builder) { kstream.Map(in(b, "in"), same).To("out") }},
	"stateless-flatmap": {build: func(b builder) { kstream.FlatMap(in(b, "in"), pairs).To("out") }},
	"stateless-flatmapvalues": {build: func(b builder) {
		s := in(b, "in")
		kstream.FlatMapValues(s, strings.Fields).To("out")
		kstream.FlatMapValuesWithKey(s, func(k, v string) []string { return []string{k, v} }).To("out2")
	}},
	"stateless-mapvalues": {build: func(b builder) {
		s := in(b, "in")
		kstream.MapValues(s, upper).To("out")
		kstream.MapValuesWithKey(s, join).To("out2")
	}},
	"stateless-selectkey": {build: func(b builder) { kstream.SelectKey(in(b, "in"), value).To("out") }},
	"stateless-merge": {build: func(b builder) {
		s, s2 := in(b, "in"), in(b, "in2")
		s.Merge(s2).To("out")
		s2.Merge(s, with.Name("both")).To("out2")
	}},
	"stateless-merge-self": {build: func(b builder) { s := in(b, "in"); s.Merge(s).To("out") }},
	"stateless-peek-foreach": {build: func(b builder) {
		m := kstream.MapValues(in(b, "in").Peek(func(string, string) {}), upper)
		m.ForEach(func(string, string) {})
		m.To("out")
	}},
	"stateless-print": {build: func(b builder) {
		s := in(b, "in")
		s.Print(os.Stdout)
		s.Print(os.Stdout, with.Label("lab"))
		s.Print(os.Stdout, with.Label("m"), with.Format(join), with.Name("printer"))
	}},
	"split-default": {build: func(b builder) {
		m := in(b, "in").Split().When("", yes).When("", yes).Otherwise("")
		m["KSTREAM-BRANCH-00000000011"].To("outA")
		m["KSTREAM-BRANCH-00000000012"].To("outB")
		m["KSTREAM-BRANCH-00000000010"].To("outD")
	}},
	"split-named": {build: func(b builder) {
		m := in(b, "in").Split(with.Name("pre-")).When("aa", yes).When("", yes).Otherwise("rest")
		m["pre-aa"].To("outA")
		m["pre-2"].To("outB")
		m["pre-rest"].To("outD")
	}},
	"split-chains": {build: func(b builder) {
		m := in(b, "in").Split(with.Name("q-")).
			WhenThen("fa", yes, func(s stream) stream { return kstream.MapValues(s, upper) }).
			WhenThen("", yes, func(s stream) stream { s.To("outB"); return stream{} }).
			WhenDo("fc", yes, func(s stream) { s.Peek(func(string, string) {}).To("outC") }).
			OtherwiseThen("", func(s stream) stream { return s.Filter(yes) })
		m["q-fa"].To("outA")
		m["q-0"].To("outD")
	}},
	"repartition-full": {build: func(b builder) {
		k := kstream.SelectKey(in(b, "in"), func(_, v string) int64 { return int64(len(v)) })
		r := k.Repartition(with.Name("rp"), with.Partitions(3))
		kstream.FromTable(kstream.Count(r.GroupByKey())).To("out")
	}},
	"repartition-plain": {build: func(b builder) { in(b, "in").Repartition().To("out") }},
	"repartition-after-repartition": {build: func(b builder) {
		r := kstream.SelectKey(in(b, "in"), value).Repartition(with.Name("once"))
		kstream.FromTable(kstream.Count(r.GroupByKey(), with.Store("cnt"))).To("out")
	}},
	"repartition-merge-none": {build: twoAggregations},
	"repartition-merge-all":  {config: processor.Config{Optimize: "all"}, build: twoAggregations},
	"repartition-merge-merge-repartition-topics": {
		config: processor.Config{Optimize: "merge.repartition.topics"}, build: twoAggregations},
	"source-multi-topics": {build: func(b builder) {
		kstream.FromTopics[string, string](b, []string{"in1", "in2", "in3"}).To("out")
	}},
	"source-pattern": {build: func(b builder) { kstream.FromPattern[string, string](b, "in-.*").To("out") }},
	"source-same-topic-optimized": {config: processor.Config{Optimize: "all"}, build: func(b builder) {
		s, s2 := in(b, "in"), in(b, "in")
		s.To("out")
		s2.To("out2")
	}},
	"through-topic": {build: func(b builder) {
		kstream.MapValues(in(b, "in"), upper).To("mid")
		in(b, "mid").To("out")
	}},
	"to-dynamic": {build: func(b builder) {
		in(b, "in").ToFunc(func(processor.Record[string, string], *record.Context) (string, error) { return "out", nil },
			with.TopicText("topicExpr"))
	}},
	"offset-reset": {build: func(b builder) {
		var streams []stream
		for i, at := range []with.Start{with.Earliest(), with.Latest(), with.None(), with.Ago(time.Hour)} {
			streams = append(streams, in(b, "in"+string(rune('1'+i)), with.StartAt(at)))
		}
		kstream.Table[string, string](b, "in5", with.StartAt(with.Latest()))
		for _, s := range streams {
			s.To("out")
		}
	}},
	"totable-plain": {build: func(b builder) { kstream.FromTable(kstream.ToTable(in(b, "in"))).To("out") }},
	"totable-named": {build: func(b builder) {
		t := kstream.ToTable(in(b, "in"), with.Name("tt"), with.Store("st"))
		kstream.FromTable(t.Filter(yes)).To("out")
	}},
	"totable-rekeyed": {build: func(b builder) {
		k := kstream.SelectKey(in(b, "in"), value)
		kstream.FromTable(kstream.ToTable(k, with.Serdes(nil, nil))).To("out")
	}},
	"groupby-named": {build: func(b builder) {
		kstream.FromTable(kstream.Count(kstream.GroupBy(in(b, "in"), value, with.Name("grp")))).To("out")
	}},
	"count-plain": {build: func(b builder) { kstream.FromTable(kstream.Count(in(b, "in").GroupByKey())).To("out") }},
	"count-named": {build: func(b builder) {
		kstream.FromTable(kstream.Count(in(b, "in").GroupByKey(), with.Name("cnt"), with.Store("st"))).To("out")
	}},
	"reduce-plain": {build: func(b builder) {
		kstream.FromTable(kstream.Reduce(in(b, "in").GroupByKey(), join)).To("out")
	}},
	"aggregate-plain": {build: func(b builder) {
		kstream.FromTable(kstream.Aggregate(in(b, "in").GroupByKey(), func() string { return "#" },
			func(k, v, a string) string { return a + k + v }, with.Store("st"))).To("out")
	}},
	"explicit-naming-ok": {config: processor.Config{ExplicitNames: true}, build: func(b builder) {
		g := kstream.GroupBy(in(b, "in"), value, with.Name("grp"))
		kstream.FromTable(kstream.Count(g, with.Store("cst"))).To("out")
	}},
	"names-duplicate": {build: func(b builder) {
		s := in(b, "in")
		s.Filter(yes, with.Name("x"))
		s.Filter(yes, with.Name("x")).To("out")
	}},
	"source-stream-and-table": {build: func(b builder) {
		s := in(b, "in")
		t := kstream.Table[string, string](b, "in")
		s.To("out")
		kstream.FromTable(t).To("out2")
	}},
	"offset-reset-conflict": {build: func(b builder) {
		s, s2 := in(b, "in", with.StartAt(with.Earliest())), in(b, "in", with.StartAt(with.Latest()))
		s.To("out")
		s2.To("out")
	}},
	"explicit-naming-required": {config: processor.Config{ExplicitNames: true}, build: func(b builder) {
		kstream.FromTable(kstream.Count(kstream.GroupBy(in(b, "in"), value))).To("out")
	}},
}

func twoAggregations(b builder) {
	k := kstream.SelectKey(in(b, "in"), value)
	counted := kstream.Count(k.GroupByKey())
	reduced := kstream.Reduce(k.GroupByKey(), join)
	kstream.FromTable(counted).To("out")
	kstream.FromTable(reduced).To("out2")
}

func TestDescribesAsJava(t *testing.T) {
	for name, twin := range twins {
		t.Run(name, func(t *testing.T) {
			want := readGolden(t, name)
			b := kstream.NewBuilder(twin.config)
			twin.build(b)
			topology, err := b.Build(twin.config)
			if want.Exception != nil {
				message := want.Advisory[0].Chain[0].Message
				if err == nil || !strings.Contains(err.Error(), message) {
					t.Fatalf("got error %v, Java has %q", err, message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(want.Describe, "\n"), strings.Split(topology.Describe(), "\n")); diff != "" {
				t.Errorf("description (-Java +Go):\n%s", diff)
			}
		})
	}
}
