package ktable_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

// program declares a topology over the topics in, out and out2.
type program func(*kstream.Builder)

func read(b *kstream.Builder, opts ...with.TableSource) ktable.Table[string, string] {
	return kstream.Table[string, string](b, "in", opts...)
}

func to[K, V any](t ktable.Table[K, V], topic string) { kstream.FromTable(t).To(topic) }

func over(limit string) func(string, string) bool {
	return func(_, v string) bool { return v > limit }
}

func is(text string) func(string, string) bool {
	return func(_, v string) bool { return v == text }
}

func swap(k, v string) (string, string) { return v, k }

// part splits "key:value"; without a colon there is no value.
func part(_, v string) (string, *string) {
	k, rest, ok := strings.Cut(v, ":")
	if !ok {
		return k, nil
	}
	return k, &rest
}

func text(s string) *string { return &s }

var programs = map[string]program{
	"table-named":  func(b *kstream.Builder) { to(read(b, with.Store("st")), "out") },
	"table-cached": func(b *kstream.Builder) { to(read(b, with.Store("st")), "out") },
	"table-filter-stored": func(b *kstream.Builder) {
		src := read(b)
		f, n := src.Filter(over("2"), with.Store("fs")), src.FilterNot(over("2"))
		to(f, "out")
		to(n, "out2")
	},
	"table-filter-source-stored": func(b *kstream.Builder) {
		to(ktable.Count(ktable.GroupBy(read(b, with.Store("st")).Filter(over("2"), with.Name("flt")), swap)), "out")
	},
	"table-mapvalues-stored": func(b *kstream.Builder) {
		src := read(b)
		m := ktable.MapValues(src, func(v string) string { return "v" + v }, with.Store("fs"))
		n := ktable.MapValuesWithKey(src, func(k, v string) string { return k + v }, with.Name("mvk"))
		to(m, "out")
		to(n, "out2")
	},
	"table-mapvalues-null": func(b *kstream.Builder) {
		to(ktable.MapValues(read(b), func(v string) *string {
			if v == "3" {
				return nil
			}
			return &v
		}, with.Store("ms")), "out")
	},
	"table-chain": func(b *kstream.Builder) {
		f := read(b).FilterNot(is("2"))
		m := ktable.MapValues(f, func(v string) string { return v + "!" })
		to(ktable.Count(ktable.GroupBy(m.FilterNot(is("3!")), swap)), "out")
	},
	"gtable-count": func(b *kstream.Builder) { to(ktable.Count(ktable.GroupBy(read(b), part)), "out") },
	"gtable-reduce": func(b *kstream.Builder) {
		to(ktable.Reduce(ktable.GroupBy(read(b), part),
			func(a, v *string) *string { return text(*a + "+" + *v) },
			func(a, v *string) *string { return text(*a + "-" + *v) }, with.Store("st")), "out")
	},
	"gtable-aggregate": func(b *kstream.Builder) {
		to(ktable.Aggregate(ktable.GroupBy(read(b), part), func() string { return "#" },
			func(_ string, v *string, a string) string { return a + "+" + *v },
			func(_ string, v *string, a string) string { return a + "-" + *v }, with.Store("st")), "out")
	},
	"gtable-null-result": func(b *kstream.Builder) {
		to(ktable.Aggregate(ktable.GroupBy(read(b), part), func() *string { return text("") },
			func(_ string, v, a *string) *string { return text(*a + *v) },
			func(_ string, _, _ *string) *string { return nil }, with.Store("st")), "out")
	},
}

// TestTraces feeds programs what was fed to the same ones in Java and compares
// every record written, to internal topics too, after each input.
func TestTraces(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		t.Run(name, func(t *testing.T) { trace(t, name, programs[name]) })
	}
}

// TestRetypedTables runs programs over tables of any: each table is retyped, and
// what follows is written for any.
func TestRetypedTables(t *testing.T) {
	erase := func(t ktable.Table[string, string]) ktable.Table[any, any] {
		return ktable.Retype[any, any](t, dsl.Erased{})
	}
	typed := func(t ktable.Table[any, any]) ktable.Table[string, string] {
		return ktable.Retype[string, string](t, dsl.Erased{})
	}
	t.Run("table-chain", func(t *testing.T) {
		trace(t, "table-chain", func(b *kstream.Builder) {
			f := erase(read(b)).FilterNot(func(_, v any) bool { return v == "2" })
			m := ktable.MapValues(typed(erase(typed(f))), func(v string) any { return v + "!" })
			n := m.FilterNot(func(_ string, v any) bool { return v == "3!" })
			to(ktable.Count(ktable.GroupBy(n, func(k string, v any) (string, any) { return v.(string), k }, with.ValueSerde(anySerde{}))), "out")
		})
	})
	t.Run("table-filter-stored", func(t *testing.T) {
		trace(t, "table-filter-stored", func(b *kstream.Builder) {
			src := erase(read(b))
			f := src.Filter(func(_, v any) bool { return v.(string) > "2" }, with.Store("fs"), with.Serdes(anySerde{}, anySerde{}))
			n := typed(src).FilterNot(over("2"))
			to(typed(f), "out")
			to(n, "out2")
		})
	})
}

// anySerde writes texts.
type anySerde struct{}

func (anySerde) Append(dst []byte, _ string, v any) ([]byte, error) {
	return append(dst, v.(string)...), nil
}
func (anySerde) Decode(_ string, data []byte) (any, error) { return string(data), nil }

func trace(t *testing.T, name string, p program) {
	t.Helper()
	b := kstream.NewBuilder(processor.Config{InMemoryStores: true})
	p(b)
	c := testdriver.Config{Config: processor.Config{ApplicationID: "oracle"}}
	if strings.HasSuffix(name, "-cached") {
		c.CacheBytes = processor.DefaultCacheBytes
	}
	top, err := b.Build(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	d, err := testdriver.New(top, c)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	data, err := os.ReadFile(filepath.Join("testdata", name+".trace"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, " ") {
			continue
		}
		got.WriteString(line)
		pipe(t, d, line)
		written := d.TakeWritten()
		for _, topic := range slices.Sorted(maps.Keys(written)) {
			for _, r := range written[topic] {
				fmt.Fprintf(&got, "  %s %s %s %d\n", topic, hexOf(r.Key), hexOf(r.Value), r.Timestamp)
			}
		}
	}
	if d := cmp.Diff(string(data), got.String()); d != "" {
		t.Errorf("(-Java +ours)\n%s", d)
	}
}

// pipe feeds a line of "topic key value timestamp".
func pipe(t *testing.T, d *testdriver.Driver, line string) {
	t.Helper()
	f := strings.Fields(line)
	ts, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Pipe(testdriver.Record{Topic: f[0], Key: bytesOf(f[1]), Value: bytesOf(f[2]), Timestamp: ts}); err != nil {
		t.Fatal(err)
	}
}

func bytesOf(s string) []byte {
	if s == "-" {
		return nil
	}
	return []byte(s)
}

func hexOf(b []byte) string {
	if b == nil {
		return "-"
	}
	return hex.EncodeToString(b)
}
