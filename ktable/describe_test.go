package ktable

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

var texts = with.Serdes(serde.String(), serde.String())

// toStream and to are what package kstream does with a table.
func toStream[K, V any](t Table[K, V], name string) *dsl.Node {
	n := dsl.NewProcessor(t.core.Graph.Name(dsl.PrefixTableToStream, name), dsl.Processor{FixedKey: true,
		New: dsl.Unit(ops.NewTableToStream[K, V])})
	t.core.Below(n)
	return n
}

func to[K, V any](g *dsl.Graph, parent *dsl.Node, topic, name string) {
	n := &dsl.Node{Name: g.Name(dsl.PrefixSink, name)}
	n.Write = func(t *processor.Topology) error {
		key, err := dsl.Resolve[K](n, dsl.KeySide, nil)
		if err != nil {
			return err
		}
		value, err := dsl.Resolve[V](n, dsl.ValueSide, nil)
		if err != nil {
			return err
		}
		return t.AddSink(processor.SinkSpec{Name: n.Name, Parents: n.ParentNames(), Topic: topic, New: func() processor.Unit {
			return processor.NewSink(processor.SinkConfig[K, V]{Key: key, Value: value, Topic: topic})
		}})
	}
	g.Add(n, parent)
}

func write[K, V any](t Table[K, V], topic string) {
	to[K, V](t.core.Graph, toStream(t, ""), topic, "")
}

func table(g *dsl.Graph, opts ...with.TableSource) Table[string, string] {
	return FromTopic[string, string](g, "Table", "in", append([]with.TableSource{texts}, opts...))
}

func big(_, v string) bool { return v > "2" }

func byPrefix(_, v string) (*string, *string) {
	k, v, ok := strings.Cut(v, ":")
	if !ok {
		return &k, nil
	}
	return &k, &v
}

// TestDescriptions compares topologies with those Java made of the same
// programs.
func TestDescriptions(t *testing.T) {
	add, sub := func(a, v *string) *string { return v }, func(a, v *string) *string { return a }
	for name, declare := range map[string]func(*dsl.Graph){
		"table-plain":     func(g *dsl.Graph) { write(table(g), "out") },
		"table-named":     func(g *dsl.Graph) { write(table(g, with.Store("st")), "out") },
		"table-optimized": func(g *dsl.Graph) { write(table(g, with.Store("st")), "out") },
		"table-mapvalues-stored": func(g *dsl.Graph) {
			src := table(g)
			m := MapValues(src, func(v string) string { return v }, with.Store("fs"), texts)
			n := MapValuesWithKey(src, func(k, v string) string { return k + v }, with.Name("mvk"))
			write(m, "out")
			write(n, "out2")
		},
		"table-filter-stored": func(g *dsl.Graph) {
			src := table(g)
			f, n := src.Filter(big, with.Store("fs"), texts), src.FilterNot(big)
			write(f, "out")
			write(n, "out2")
		},
		"table-chain": func(g *dsl.Graph) {
			m := MapValues(table(g).Filter(big), func(v string) string { return v + "!" })
			write(Count(GroupBy(m.FilterNot(big), func(k, v string) (string, string) { return v, k }, texts)), "out")
		},
		"table-filter-source-stored": func(g *dsl.Graph) {
			f := table(g, with.Store("st")).Filter(big, with.Name("flt"))
			write(Count(GroupBy(f, func(k, v string) (string, string) { return v, k }, texts)), "out")
		},
		"gtable-count": func(g *dsl.Graph) { write(Count(GroupBy(table(g), byPrefix)), "out") },
		"gtable-reduce": func(g *dsl.Graph) {
			write(Reduce(GroupBy(table(g), byPrefix), add, sub, with.Store("st")), "out")
		},
		"gtable-aggregate": func(g *dsl.Graph) {
			fold := func(_, v, _ *string) *string { return v }
			write(Aggregate(GroupBy(table(g), byPrefix), func() *string { return nil }, fold, fold, with.Store("st")), "out")
		},
		"names-ktable-and-stream": func(g *dsl.Graph) {
			m := MapValues(table(g, with.Name("tsrc"), with.Store("tst")), func(v string) string { return v }, with.Name("tmv"), with.Store("tmvst"))
			to[string, string](g, toStream(m, "tts"), "out", "snk")
		},
		"global-only": func(g *dsl.Graph) {
			if s := GlobalFromTopic[string, string](g, "GlobalTable", "inG", []with.TableSource{with.Store("g")}).StoreName(); s != "g" {
				t.Errorf("global table is called %q", s)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			top := build(t, declare, processor.Config{})
			if d := cmp.Diff(string(want), top.Describe()); d != "" {
				t.Errorf("(-Java +ours)\n%s", d)
			}
		})
	}
}

func build(t *testing.T, declare func(*dsl.Graph), c processor.Config) *processor.Topology {
	t.Helper()
	g := dsl.New(c)
	declare(g)
	top, err := g.Build(c)
	if err != nil {
		t.Fatal(err)
	}
	return top
}
