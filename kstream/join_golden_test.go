package kstream_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

func supply(name string, b statestore.Backend, retention, size int64, duplicates bool) statestore.WindowSupplier {
	return statestore.SupplyWindow(name, b, statestore.KindWindow,
		statestore.WindowConfig{RetentionMs: retention, SizeMs: size, RetainDuplicates: duplicates})
}

// joined is a program that joins inL and inR.
func joined(f joining, w window.Join, opts ...with.Join) func(builder) {
	return func(b builder) {
		l, r := in(b, "inL"), in(b, "inR")
		f(l, r, w, opts...).To("out")
	}
}

// joinTwins are the corpus's scenarios of stream joins, written in Go.
var joinTwins = map[string]struct {
	config processor.Config
	build  func(builder)
}{
	"ss-inner":          {build: joined(inner, window.Within(ms(10)))},
	"ss-left":           {build: joined(left, window.Within(ms(10)))},
	"ss-outer":          {build: joined(outer, window.Within(ms(10)))},
	"ss-outer-grace":    {build: joined(outer, window.Within(ms(10)).Grace(ms(30)))},
	"ss-asymmetric":     {build: joined(outer, window.Within(ms(10)).Before(ms(20)).After(ms(5)).Grace(ms(10)))},
	"ss-inner-inmemory": {build: joined(inner, window.Within(ms(10)).Grace(ms(5)), with.InMemory(), with.Name("jn"), with.Store("jst"))},
	"ss-left-inmemory":  {build: joined(left, window.Within(ms(10)).Grace(ms(5)), with.InMemory(), with.Name("jn"), with.Store("jst"))},
	"ss-outer-inmemory": {build: joined(outer, window.Within(ms(10)).Grace(ms(5)), with.InMemory(), with.Name("jn"), with.Store("jst"))},
	"ss-nolog":          {build: joined(outer, window.Within(ms(10)), with.NoChangelog())},
	"ss-suppliers": {build: joined(left, window.Within(ms(10)).Grace(ms(5)),
		with.StoreSupplier(supply("tl", memstore.Backend, 25, 20, true)), with.OtherStoreSupplier(supply("tr", nil, 25, 20, true)))},
	"ss-supplier-one": {build: joined(inner, window.Within(ms(10)), with.StoreSupplier(supply("tl", memstore.Backend, 20, 20, true)))},
	"ss-self-all": {config: processor.Config{Optimize: "all"}, build: func(b builder) {
		s := in(b, "inL")
		inner(s, s, window.Within(ms(10))).To("out")
	}},
	"ss-three": {build: func(b builder) {
		l, r, q := in(b, "inL"), in(b, "inR"), in(b, "inQ")
		left(inner(l, r, window.Within(ms(10)).Grace(ms(5))), q, window.Within(ms(5))).To("out")
	}},
}

func TestJoinsDescribedAsJavaDoes(t *testing.T) {
	for name, twin := range joinTwins {
		t.Run(name, func(t *testing.T) {
			want := readGolden(t, name)
			b := kstream.NewBuilder(twin.config)
			twin.build(b)
			topology, err := b.Build(twin.config)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.Describe, topology.Describe()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestJoinNames checks the indices a join burns and the names it gives.
func TestJoinNames(t *testing.T) {
	hash := func(s stream) stream { return kstream.SelectKey(s, value) }
	w := window.Within(ms(5))
	for _, c := range []struct {
		name  string
		op    func(l, r stream)
		burns int
		names []string // must all appear in the description
	}{
		{"inner", func(l, r stream) { inner(l, r, w) }, 5, []string{
			"KSTREAM-WINDOWED-0000000002 (stores: [KSTREAM-JOINTHIS-0000000004-store])", "KSTREAM-JOINOTHER-0000000005 ", "KSTREAM-MERGE-0000000006 "}},
		{"left", func(l, r stream) { left(l, r, w) }, 5, []string{"KSTREAM-OUTEROTHER-0000000005-store", "KSTREAM-OUTERSHARED-0000000004-store"}},
		{"named outer", func(l, r stream) { outer(l, r, w, with.Name("jn")) }, 5, []string{"jn-this-windowed ", "jn-other-windowed ",
			"jn-outer-this-join ", "jn-outer-other-join ", "jn-merge ", "KSTREAM-OUTERSHARED-0000000004-store"}},
		{"named stores of a left join", func(l, r stream) { left(l, r, w, with.Store("js")) }, 5,
			[]string{"js-this-join-store", "js-outer-other-join-store", "js-left-shared-join-store"}},
		{"named stores of an outer join", func(l, r stream) { outer(l, r, w, with.Store("js")) }, 5,
			[]string{"js-outer-this-join-store", "js-outer-other-join-store", "js-outer-shared-join-store"}},
		{"rekeyed", func(l, r stream) { inner(hash(l), hash(r), w) }, 2 + 6 + 5, []string{
			"topic: KSTREAM-KEY-SELECT-0000000002-repartition)", "topic: KSTREAM-KEY-SELECT-0000000003-repartition)", "KSTREAM-JOINTHIS-0000000012 "}},
		{"named and rekeyed", func(l, r stream) { inner(hash(l), hash(r), w, with.Name("jn")) }, 2 + 6 + 5, []string{
			"topic: jn-left-repartition)", "jn-right-repartition-filter"}},
		{"two joins of a rekeyed stream", func(l, r stream) {
			s := hash(l)
			inner(s, r, w)
			inner(s, r, w)
		}, 1 + 2*(3+5), []string{"KSTREAM-SOURCE-0000000005 (topics: [KSTREAM-KEY-SELECT-0000000002-repartition])", "KSTREAM-MERGE-0000000018 "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.op(in(b, "l"), in(b, "r"))
			in(b, "probe")
			text := describe(t, b)
			if want := fmt.Sprintf("KSTREAM-SOURCE-%010d (topics: [probe])", c.burns+2); !strings.Contains(text, want) {
				t.Errorf("got %s after the join, want %s", regexp.MustCompile(`\S+ \(topics: \[probe]\)`).FindString(text), want)
			}
			for _, name := range c.names {
				if !strings.Contains(text, name) {
					t.Errorf("no %q in\n%s", name, text)
				}
			}
		})
	}
}

func TestJoinErrors(t *testing.T) {
	w := window.Within(ms(10)).Grace(ms(5))
	fits := supply("a", nil, 25, 20, true)
	for _, c := range []struct {
		name  string
		build func(builder)
		kind  dsl.Kind
		text  string
	}{
		{"same names", joined(inner, w, with.StoreSupplier(fits), with.OtherStoreSupplier(fits)), dsl.KindStreams, "Join: both store suppliers have the name a"},
		{"duplicates", joined(inner, w, with.StoreSupplier(supply("a", nil, 25, 20, false))), dsl.KindStreams, "does not retain duplicates"},
		{"retention", joined(left, w, with.OtherStoreSupplier(supply("b", nil, 20, 20, true))), dsl.KindStreams, "LeftJoin: the supplier of store b has a retention of 20 ms"},
		{"size", joined(outer, w, with.StoreSupplier(supply("b", nil, 25, 25, true))), dsl.KindStreams, "a window size of 25 ms, the join needs 25 ms and 20 ms"},
		{"other kind", joined(inner, w, with.StoreSupplier(statestore.SupplySession("s", nil, statestore.KindSession, statestore.SessionConfig{}))),
			dsl.KindArgument, "makes no window stores"},
		{"window", joined(inner, window.Within(ms(-1))), dsl.KindArgument, "before plus after must not be negative"},
		{"function", func(b builder) { kstream.Join[string, string, string, string](in(b, "l"), in(b, "r"), nil, w) }, dsl.KindNull, "the function is nil"},
		{"serde", joined(inner, w, with.OtherValueSerde("x")), dsl.KindSerde, "value serde is"},
		{"builders", func(b builder) { inner(in(b, "l"), in(kstream.NewBuilder(), "r"), w) }, dsl.KindArgument, "different builders"},
		{"no serde", func(b builder) {
			type custom struct{ N int }
			l := kstream.MapValues(in(b, "l"), func(string) custom { return custom{} })
			kstream.LeftJoin(l, in(b, "r"), func(custom, string, bool) string { return "" }, w)
		}, dsl.KindSerde, "no value serde for kstream_test.custom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.build(b)
			_, err := b.Build(processor.Config{})
			if err == nil || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "join_golden_test.go:") && !strings.Contains(err.Error(), "join_test.go:") {
				t.Fatalf("got %v, want %q with its line", err, c.text)
			}
			if strings.Count(err.Error(), c.text) > 1 {
				t.Errorf("said more than once: %v", err)
			}
			if kinds := kindsOf(err); !kinds[c.kind] {
				t.Errorf("%v is of the kinds %v, want %d", err, kinds, c.kind)
			}
		})
	}
}

// kindsOf are the kinds of all build errors in an error.
func kindsOf(err error) map[dsl.Kind]bool {
	kinds := map[dsl.Kind]bool{}
	var walk func(error)
	walk = func(err error) {
		if e, ok := err.(*dsl.Error); ok {
			kinds[e.Kind] = true
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if in := e.Unwrap(); in != nil {
				walk(in)
			}
		case interface{ Unwrap() []error }:
			for _, in := range e.Unwrap() {
				walk(in)
			}
		}
	}
	walk(err)
	return kinds
}

// TestJoinScansAreThrottled is a trace of Java's with an interval of a second
// of wall-clock time between scans for unmatched records.
func TestJoinScansAreThrottled(t *testing.T) {
	b := kstream.NewBuilder()
	left(in(b, "L"), in(b, "R"), window.Within(ms(5))).To("out")
	topology, err := b.Build(processor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{EmitInterval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, step := range []struct {
		advance int64
		input   string
		want    []string
	}{
		{0, "L(a,la)@0", nil}, {0, "R(z,1)@10", nil}, {0, "L(b,lb)@20", nil}, {0, "R(z,2)@30", nil}, {999, "R(z,3)@31", nil},
		{1, "R(z,4)@32", []string{"(a,la+null)@0", "(b,lb+null)@20"}},
	} {
		if err := d.Advance(ms(step.advance)); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(append([]string{}, step.want...), pipe(t, d, step.input)); d != "" {
			t.Errorf("%s (-want +got)\n%s", step.input, d)
		}
	}
}

// TestJoinersWithKeys sees that a joiner gets the key, and that a null key
// reaches only joiners that can take one.
func TestJoinersWithKeys(t *testing.T) {
	w := window.Within(ms(5))
	b := kstream.NewBuilder()
	l, r := in(b, "L"), in(b, "R")
	kstream.JoinWithKey(l, r, func(k, l, r string) string { return k + l + r }, w).To("out")
	kstream.LeftJoinWithKey(l, r, func(k, l, r string, has bool) string { return fmt.Sprint(k, l, r, has) }, w).To("out")
	d := startDriver(t, b, processor.Config{})
	var got []string
	for _, input := range []string{"L(a,1)@1", "R(a,2)@1", "L(b,3)@9", "L(c,4)@30"} {
		got = append(got, pipe(t, d, input)...)
	}
	if d := cmp.Diff([]string{"(a,a12)@1", "(a,a12true)@1", "(b,b3false)@9"}, got); d != "" {
		t.Error(d)
	}
	err := d.Pipe(testdriver.Record{Topic: "L", Value: []byte("x"), Timestamp: 31})
	if !errors.Is(err, processor.ErrNull) || !strings.Contains(fmt.Sprint(err), "a stream over *string can") {
		t.Errorf("a null key and a joiner over strings: %v", err)
	}
}

// TestOuterJoinOfNullableKeys lets joiners over pointers see null keys.
func TestOuterJoinOfNullableKeys(t *testing.T) {
	b := kstream.NewBuilder()
	l, r := kstream.From[*string, string](b, "L"), kstream.From[*string, string](b, "R")
	kstream.OuterJoinWithKey(l, r, func(k *string, l string, hasL bool, r string, hasR bool) *string {
		if k != nil {
			return nil
		}
		out := fmt.Sprint(l, hasL, r, hasR)
		return &out
	}, window.Within(ms(5))).To("out")
	d := startDriver(t, b, processor.Config{})
	got := append(pipe(t, d, "L(null,1)@1"), pipe(t, d, "R(null,2)@1")...)
	got = append(append(got, pipe(t, d, "R(a,3)@1")...), pipe(t, d, "L(a,4)@1")...)
	if d := cmp.Diff([]string{"(null,1truefalse)@1", "(null,false2true)@1", "(a,null)@1"}, got); d != "" {
		t.Error(d)
	}
}
