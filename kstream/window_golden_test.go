package kstream_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// Values of these programs may be null, which Java's text of is "null".
type (
	nullStream  = kstream.Stream[string, *string]
	nullGrouped = kstream.Grouped[string, *string]
)

func nullable(b builder, topic string) nullStream {
	return kstream.From[string, *string](b, topic, with.ValueSerde(serde.Nullable(serde.String())))
}

func grouping(b builder) nullGrouped { return nullable(b, "in").GroupByKey() }

func textOrNull(v *string) string {
	if v == nil {
		return "null"
	}
	return *v
}

func addText(_ string, v *string, a string) string { return a + textOrNull(v) }

func addPlus(a, b *string) *string {
	s := *a + "+" + *b
	return &s
}

func tilde(_, a, b string) string { return a + "~" + b }

func marked(mark string) func(string, *string, string) string {
	return func(_ string, v *string, a string) string { return a + mark + textOrNull(v) }
}

// both is a cogroup of the topics in1 and in2.
func both(b builder) kstream.Cogrouped[string, string] {
	first := kstream.Cogroup(nullable(b, "in1").GroupByKey(), marked("A"))
	return kstream.And(first, nullable(b, "in2").GroupByKey(), marked("B"))
}

var ten = window.Tumbling(10 * msec).Grace(5 * msec)

// windowTwins are the corpus's scenarios of windows and cogroup, written in Go.
var windowTwins = map[string]func(builder){
	"window-tumbling": func(b builder) {
		kstream.FromTable(kstream.Count(grouping(b).WindowedBy(window.Tumbling(10 * msec).Grace(15 * msec)))).To("out")
	},
	"window-nulls": func(b builder) { kstream.FromTable(kstream.Count(grouping(b).WindowedBy(ten))).To("out") },
	"window-tumbling-nograce": func(b builder) {
		kstream.FromTable(kstream.Count(grouping(b).WindowedBy(window.Tumbling(10*msec)), with.Name("cnt"), with.Store("st"))).To("out")
	},
	"window-hopping": func(b builder) {
		w := grouping(b).WindowedBy(window.Hopping(10*msec, 3*msec).Grace(10 * msec))
		kstream.FromTable(kstream.Aggregate(w, none, addText, with.Serdes(nil, nil))).To("out")
	},
	"window-reduce": func(b builder) {
		kstream.FromTable(kstream.Reduce(grouping(b).WindowedBy(ten), addPlus, with.Store("st"))).To("out")
	},
	"window-reduce-named": func(b builder) {
		kstream.FromTable(kstream.Reduce(grouping(b).WindowedBy(ten), addPlus, with.Name("wr"))).To("out")
	},
	"window-groupby-selectkey": func(b builder) {
		g := kstream.GroupBy(nullable(b, "in"), func(_ string, v *string) string { return *v }, with.Serdes(nil, serde.Nullable(serde.String())))
		counts := kstream.FromTable(kstream.Count(g.WindowedBy(ten)))
		kstream.SelectKey(counts, func(w window.Windowed[string], _ int64) string { return fmt.Sprintf("%s@%d", w.Key, w.Start) }).To("out")
	},
	"window-retention": func(b builder) {
		kstream.FromTable(kstream.Count(grouping(b).WindowedBy(ten), with.Store("st"), with.Retention(200000*msec))).To("out")
	},
	"window-supplier": func(b builder) {
		s := statestore.SupplyWindow("sup", pebblestore.Backend, statestore.KindWindow, statestore.WindowConfig{RetentionMs: 100, SizeMs: 10})
		kstream.FromTable(kstream.Count(grouping(b).WindowedBy(ten), with.StoreSupplier(s))).To("out")
	},
	"window-on-close": func(b builder) {
		kstream.FromTable(kstream.Count(grouping(b).WindowedBy(ten).EmitOnClose())).To("out")
	},
	"window-on-close-hopping": func(b builder) {
		w := grouping(b).WindowedBy(window.Hopping(10*msec, 5*msec)).EmitOnClose()
		kstream.FromTable(kstream.Reduce(w, addPlus, with.Store("st"))).To("out")
	},
	"session-reduce": func(b builder) {
		w := grouping(b).WindowedBySession(window.Sessions(10 * msec).Grace(50 * msec))
		kstream.FromTable(kstream.Reduce(w, addPlus, with.Name("sr"), with.Store("st"))).To("out")
	},
	"session-aggregate": func(b builder) {
		w := grouping(b).WindowedBySession(window.Sessions(10 * msec).Grace(50 * msec))
		kstream.FromTable(kstream.AggregateSessions(w, func() string { return "<" }, addText, tilde, with.Store("st"))).To("out")
	},
	"session-on-close": func(b builder) {
		w := grouping(b).WindowedBySession(window.Sessions(10 * msec).Grace(5 * msec)).EmitOnClose()
		kstream.FromTable(kstream.Count(w)).To("out")
	},
	"sliding-early": func(b builder) {
		w := grouping(b).WindowedBySliding(window.Slide(10 * msec).Grace(30 * msec))
		kstream.FromTable(kstream.Aggregate(w, none, addText)).To("out")
	},
	"sliding-on-close": func(b builder) {
		w := grouping(b).WindowedBySliding(window.Slide(10 * msec).Grace(5 * msec)).EmitOnClose()
		kstream.FromTable(kstream.Aggregate(w, none, addText)).To("out")
	},
	"cogroup-named": func(b builder) { kstream.FromTable(both(b).Aggregate(none, with.Name("cga"))).To("out") },
	"cogroup-same-stream-twice": func(b builder) {
		g := nullable(b, "in1").GroupByKey()
		c := kstream.And(kstream.Cogroup(g, marked("A")), g, marked("B"))
		kstream.FromTable(c.Aggregate(none, with.Store("st"))).To("out")
	},
	"cogroup-three": func(b builder) {
		one, two, three := nullable(b, "in1"), nullable(b, "in2"), nullable(b, "in3")
		first := kstream.Cogroup(one.GroupByKey(), marked("A"))
		c := kstream.And(first, kstream.GroupBy(two, func(_ string, v *string) string { return *v },
			with.ValueSerde(serde.Nullable(serde.String()))), marked("B"))
		c = kstream.And(c, three.GroupByKey(), marked("D"))
		kstream.FromTable(c.Aggregate(none, with.Store("st"))).To("out")
	},
	"cogroup-tumbling": func(b builder) {
		kstream.FromTable(both(b).WindowedBy(ten).Aggregate(none, with.Store("st"))).To("out")
	},
	"cogroup-sliding": func(b builder) {
		c := both(b).WindowedBySliding(window.Slide(10 * msec).Grace(25 * msec))
		kstream.FromTable(c.Aggregate(none, with.Name("sc"))).To("out")
	},
	"cogroup-session": func(b builder) {
		c := both(b).WindowedBySession(window.Sessions(10 * msec).Grace(25 * msec))
		kstream.FromTable(c.Aggregate(none, tilde, with.Store("st"))).To("out")
	},
}

// TestWindowsAsJava describes the programs and feeds them what Java's were fed.
// Everything written must be equal, to changelog and repartition topics too.
func TestWindowsAsJava(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(windowTwins)) {
		t.Run(name, func(t *testing.T) {
			config := processor.Config{ApplicationID: "oracle"}
			b := kstream.NewBuilder(config)
			windowTwins[name](b)
			topology, err := b.Build(config)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(readGolden(t, name).Describe, "\n"), strings.Split(topology.Describe(), "\n")); diff != "" {
				t.Errorf("description (-Java +Go):\n%s", diff)
			}
			replay(t, name, topology, config)
		})
	}
}

// corpusFile reads a scenario or its golden.
func corpusFile(t *testing.T, folder, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "compat-tests", "corpus", "dsl", folder, name+".json"))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func replay(t *testing.T, name string, topology *processor.Topology, config processor.Config) {
	t.Helper()
	var scenario struct {
		Inputs []struct {
			Record struct {
				Topic      string
				Key, Value *string
				TS         int64
			}
		}
	}
	var golden struct {
		Steps []struct {
			Out map[string][]struct {
				Key, Value *string
				TS         int64
				P          *int32
			}
		}
		Metrics map[string]int64
	}
	corpusFile(t, "scenarios", name, &scenario)
	corpusFile(t, "golden", name, &golden)
	d, err := testdriver.New(topology, testdriver.Config{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i, in := range scenario.Inputs {
		r := in.Record
		if err := d.Pipe(testdriver.Record{Topic: r.Topic, Key: bytesOrNull(r.Key), Value: bytesOrNull(r.Value), Timestamp: r.TS}); err != nil {
			t.Fatal(err)
		}
		want, got := map[string][]string{}, map[string][]string{}
		for topic, records := range golden.Steps[i].Out {
			for _, r := range records {
				p := int32(-1)
				if r.P != nil {
					p = *r.P
				}
				want[topic] = append(want[topic], fmt.Sprintf("%s=%s@%d/%d", hexOrNull(r.Key), hexOrNull(r.Value), r.TS, p))
			}
		}
		for topic, records := range d.TakeWritten() {
			for _, r := range records {
				got[topic] = append(got[topic], fmt.Sprintf("%s=%s@%d/%d", hexText(r.Key), hexText(r.Value), r.Timestamp, r.Partition))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("input %d (-Java +Go):\n%s", i, diff)
		}
	}
	if got, want := d.Dropped(), golden.Metrics["dropped-records-total"]; got != want {
		t.Errorf("dropped %d, Java %d", got, want)
	}
}

func bytesOrNull(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

func hexOrNull(s *string) string {
	if s == nil {
		return "~"
	}
	return *s
}

func hexText(b []byte) string {
	if b == nil {
		return "~"
	}
	return hex.EncodeToString(b)
}
