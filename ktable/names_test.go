package ktable

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

func same(_, v string) (string, string) { return v, v }

// nodeNames lists the nodes of a topology with their stores.
func nodeNames(top *processor.Topology) (names []string) {
	for _, n := range top.Nodes() {
		name := n.Name
		if len(n.Stores) > 0 {
			name += "{" + strings.Join(n.Stores, ",") + "}"
		}
		names = append(names, name)
	}
	return names
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		declare func(*dsl.Graph)
		want    []string
	}{
		{"a store without a name burns an index and does not exist", func(g *dsl.Graph) {
			f := table(g).Filter(big, with.NoCache())
			MapValues(f, func(v string) string { return v }, texts)
		}, []string{"KSTREAM-SOURCE-0000000001", "KTABLE-SOURCE-0000000002", "KTABLE-FILTER-0000000004", "KTABLE-MAPVALUES-0000000006"}},
		{"names of sources", func(g *dsl.Graph) {
			table(g, with.Name("tb"), with.Store("st")).Filter(big)
		}, []string{"tb-source", "tb{st}", "KTABLE-FILTER-0000000002"}},
		{"names of an aggregation", func(g *dsl.Graph) {
			Count(GroupBy(table(g), same, with.Name("gt"), texts), with.Name("nm")).Filter(big64)
		}, []string{"KSTREAM-SOURCE-0000000001", "KTABLE-SOURCE-0000000002{in-STATE-STORE-0000000000}", "gt", "nm-sink", "nm-source",
			"nm{KTABLE-AGGREGATE-STATE-STORE-0000000004}", "KTABLE-FILTER-0000000008"}},
		{"a named grouping has one repartition topic", func(g *dsl.Graph) {
			gr := GroupBy(table(g, with.Store("t")), same, with.Name("gt"), texts)
			Count(gr, with.Store("a"))
			Reduce(gr, first, first, with.Store("b"))
		}, []string{"KSTREAM-SOURCE-0000000000", "KTABLE-SOURCE-0000000001{t}", "gt", "KSTREAM-SINK-0000000003", "KSTREAM-SOURCE-0000000004",
			"KTABLE-AGGREGATE-0000000005{a}", "KTABLE-REDUCE-0000000008{b}"}},
		{"an unnamed one has several", func(g *dsl.Graph) {
			gr := GroupBy(table(g, with.Store("t")), same, texts)
			Count(gr, with.Store("a"))
			Count(gr, with.Store("b"))
		}, []string{"KSTREAM-SOURCE-0000000000", "KTABLE-SOURCE-0000000001{t}", "KTABLE-SELECT-0000000002", "KSTREAM-SINK-0000000003", "KSTREAM-SOURCE-0000000004",
			"KTABLE-AGGREGATE-0000000005{a}", "KSTREAM-SINK-0000000006", "KSTREAM-SOURCE-0000000007", "KTABLE-AGGREGATE-0000000008{b}"}},
		{"global table", func(g *dsl.Graph) {
			if s := GlobalFromTopic[string, string](g, "GlobalTable", "g", nil).StoreName(); s != "g-STATE-STORE-0000000000" {
				t.Errorf("store %q", s)
			}
			GlobalFromTopic[string, string](g, "GlobalTable", "h", []with.TableSource{with.Store("h"), with.Name("N")})
		}, []string{"KSTREAM-SOURCE-0000000001", "KTABLE-SOURCE-0000000002{g-STATE-STORE-0000000000}", "N-source", "N{h}"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := nodeNames(build(t, c.declare, processor.Config{}))
			slices.Sort(got)
			slices.Sort(c.want)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func big64(_ string, n int64) bool { return n > 10 }

func first(a, _ string) string { return a }

func TestStoreNames(t *testing.T) {
	g := dsl.New(processor.Config{})
	named, unnamed := table(g, with.Store("st")), FromTopic[string, string](g, "Table", "other", nil)
	f := unnamed.Filter(big, with.Store("f"))
	counts := Count(GroupBy(unnamed, same))
	for want, got := range map[string]string{"st": named.StoreName(), "f": f.StoreName()} {
		if got != want {
			t.Errorf("store name %q, want %q", got, want)
		}
	}
	if s := unnamed.StoreName() + counts.StoreName() + named.Filter(big).StoreName(); s != "" {
		t.Errorf("stores without a name are called %q", s)
	}
}

func TestStoresAsAsked(t *testing.T) {
	type store struct {
		Cached, Logged, Persistent bool
		Config                     map[string]string
	}
	of := func(b statestore.Builder) store {
		return store{b.Cached(), b.Logged(), b.Persistent(), b.ChangelogConfig()}
	}
	for _, c := range []struct {
		name string
		opts []with.TableSource
		cfg  processor.Config
		want store
	}{
		{"defaults", nil, processor.Config{}, store{Cached: true, Logged: true, Persistent: true}},
		{"no cache", []with.TableSource{with.NoCache()}, processor.Config{}, store{Logged: true, Persistent: true}},
		{"no changelog", []with.TableSource{with.NoChangelog()}, processor.Config{}, store{Cached: true, Persistent: true}},
		{"changelog config", []with.TableSource{with.ChangelogConfig(map[string]string{"a": "b"})}, processor.Config{},
			store{Cached: true, Logged: true, Persistent: true, Config: map[string]string{"a": "b"}}},
		{"in memory", []with.TableSource{with.InMemory()}, processor.Config{}, store{Cached: true, Logged: true}},
		{"in memory by configuration", nil, processor.Config{InMemoryStores: true}, store{Cached: true, Logged: true}},
		{"source topic as changelog", nil, processor.Config{Optimize: "all"}, store{Cached: true, Persistent: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := build(t, func(g *dsl.Graph) { table(g, append(c.opts, with.Store("st"))...) }, c.cfg)
			b, ok := top.Store("st")
			if !ok {
				t.Fatal("no store")
			}
			if d := cmp.Diff(c.want, of(b)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			logs := top.Subtopologies()[0].Changelogs
			if c.cfg.Optimize == "all" && (len(logs) != 1 || logs[0].Topic != "in" || !logs[0].SourceTopic) {
				t.Errorf("changelogs %+v", logs)
			}
		})
	}
	global := build(t, func(g *dsl.Graph) {
		GlobalFromTopic[string, string](g, "GlobalTable", "in", []with.TableSource{with.Store("st")})
	}, processor.Config{})
	if b, _ := global.Store("st"); b.Logged() {
		t.Error("the store of a global table is logged")
	}
}

type trip struct{ From, To string }

func TestBuildErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		declare func(*dsl.Graph)
		kind    dsl.Kind
		want    string
	}{
		{"missing serde", func(g *dsl.Graph) {
			FromTopic[string, trip](g, "Table", "trips", nil)
		}, dsl.KindSerde, "no value serde for ktable.trip"},
		{"missing serde of a store", func(g *dsl.Graph) {
			MapValues(table(g), func(string) trip { return trip{} }, with.Store("s"))
		}, dsl.KindSerde, "no value serde for ktable.trip"},
		{"missing serde of a repartition topic", func(g *dsl.Graph) {
			Count(GroupBy(table(g), func(k, v string) (trip, string) { return trip{}, v }))
		}, dsl.KindSerde, "no key serde for ktable.trip"},
		{"serde of another type", func(g *dsl.Graph) {
			table(g).Filter(big, with.Store("s"), with.ValueSerde(serde.Int64()))
		}, dsl.KindSerde, "Filter: value serde is"},
		{"no function", func(g *dsl.Graph) { table(g).FilterNot(nil) }, dsl.KindNull, "FilterNot: the function is nil"},
		{"no subtractor", func(g *dsl.Graph) { Reduce(GroupBy(table(g), same), first, nil) }, dsl.KindNull, "Reduce: the function is nil"},
		{"bad name", func(g *dsl.Graph) { table(g).Filter(big, with.Name("a b")) }, dsl.KindWrapped, `Invalid topology: Name "a b" is illegal`},
		{"no topic", func(g *dsl.Graph) { FromTopic[string, string](g, "Table", "", nil) }, dsl.KindWrapped, "Table: the topic has no name"},
		{"global table with options but no store name", func(g *dsl.Graph) {
			GlobalFromTopic[string, string](g, "GlobalTable", "g", []with.TableSource{with.NoCache()})
		}, dsl.KindWrapped, "Global stores must pass in suppliers with exactly one store but got 0"},
		{"two tables of one topic", func(g *dsl.Graph) {
			table(g)
			table(g)
		}, dsl.KindWrapped, "Topic in has already been registered by another source."},
		{"supplier of something else", func(g *dsl.Graph) {
			table(g, with.StoreSupplier(other{}))
		}, dsl.KindArgument, "makes no key-value stores"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := dsl.New(processor.Config{})
			c.declare(g)
			_, err := g.Build(processor.Config{})
			if err == nil {
				t.Fatal("no error")
			}
			var e *dsl.Error
			if !strings.Contains(err.Error(), c.want) || !errors.As(err, &e) || e.Kind != c.kind {
				t.Errorf("got %v (kind %v), want %q", err, e, c.want)
			}
			if !strings.Contains(err.Error(), "names_test.go:") && !strings.Contains(err.Error(), "describe_test.go:") {
				t.Errorf("no line of user code in %v", err)
			}
		})
	}
}

type other struct{}

func (other) Name() string { return "other" }

func TestZeroHandlesPanic(t *testing.T) {
	for name, use := range map[string]func(){
		"Table.Filter": func() { Table[string, string]{}.Filter(big) },
		"Grouped":      func() { Count(Grouped[string, string]{}) },
		"Global":       func() { Global[string, string]{}.StoreName() },
	} {
		func() {
			defer func() {
				if p, ok := recover().(string); !ok || !strings.Contains(p, "names_test.go:") || !strings.Contains(p, "the zero") {
					t.Errorf("%s: panic %v", name, p)
				}
			}()
			use()
		}()
	}
}
