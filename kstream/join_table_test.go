package kstream_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

func plus(l, r string) string                   { return l + "+" + r }
func plusOr(l, r string, has bool) string       { return l + "+" + or(r, has) }
func own(k *string, _ string) (string, bool)    { return deref(k) }
func value2(_ *string, v string) (string, bool) { return v, v != "no" }
func keyless(b builder, topic string) nullables { return kstream.From[*string, string](b, topic) }

type nullables = kstream.Stream[*string, string]

// plain is the table T over keys that may be null in streams.
func plain(b builder) ktable.Table[*string, string] { return kstream.Table[*string, string](b, "T") }

func history(b builder, ms int64) ktable.Table[*string, string] {
	return kstream.Table[*string, string](b, "T",
		with.StoreSupplier(statestore.SupplyVersioned("vt", nil, statestore.VersionedConfig{HistoryMs: ms})))
}

// tableJoinTraces are inputs to joins of a stream S with a table T or a global
// table G, each "topic(key,value)@time", and after "→" what Java 4.3.1 sends.
var tableJoinTraces = map[string]struct {
	build   func(builder)
	steps   []string
	dropped int64
}{
	"inner": {dropped: 2, build: func(b builder) { kstream.JoinTable(keyless(b, "S"), plain(b), plus).To("out") }, steps: []string{
		"S(a,s1)@5 →", "T(a,t1)@100 →", "S(a,s2)@6 → (a,s2+t1)@6", "T(a,t2)@1 →", "S(a,s3)@7 → (a,s3+t2)@7", "S(null,s4)@8 →",
		"S(a,null)@9 →", "T(a,null)@10 →", "S(a,s5)@11 →",
	}},
	"left": {dropped: 1, build: func(b builder) { kstream.LeftJoinTable(keyless(b, "S"), plain(b), plusOr).To("out") }, steps: []string{
		"S(a,s1)@5 → (a,s1+null)@5", "T(a,t1)@100 →", "S(a,s2)@6 → (a,s2+t1)@6", "S(null,s4)@8 → (null,s4+null)@8", "S(a,null)@9 →",
	}},
	"versioned table is read as of the record's time": {build: func(b builder) {
		kstream.LeftJoinTable(keyless(b, "S"), history(b, 100), plusOr).To("out")
	}, steps: []string{
		"T(a,t10)@10 →", "T(a,t20)@20 →", "S(a,s15)@15 → (a,s15+t10)@15", "S(a,s5)@5 → (a,s5+null)@5", "S(a,s25)@25 → (a,s25+t20)@25",
		"T(a,null)@18 →", "S(a,s19)@19 → (a,s19+null)@19", "T(z,z)@500 →", "S(a,s30)@30 → (a,s30+t20)@30", "S(a,s12)@12 → (a,s12+null)@12",
	}},
	"grace": {build: func(b builder) {
		kstream.LeftJoinTable(keyless(b, "S"), history(b, 1000), plusOr, with.TableGrace(ms(10))).To("out")
	}, steps: []string{
		"S(a,s15)@15 →", "T(a,t12)@12 →", "S(b,s14)@14 →", "S(a,s24)@24 → (b,s14+null)@14", "S(a,s25)@25 → (a,s15+t12)@15",
		"S(a,s10)@10 → (a,s10+null)@10", "S(a,s40)@40 → (a,s24+t12)@24 (a,s25+t12)@25",
	}},
	"grace of nothing": {build: func(b builder) {
		kstream.JoinTable(keyless(b, "S"), history(b, 0), plus, with.TableGrace(0)).To("out")
	}, steps: []string{"T(a,t)@5 →", "S(a,1)@5 → (a,1+t)@5", "S(a,2)@9 → (a,2+t)@9", "S(a,3)@7 → (a,3+t)@7"}},
	"order of what leaves the buffer": {build: func(b builder) {
		kstream.LeftJoinTable(keyless(b, "S"), history(b, 1000), plusOr, with.TableGrace(ms(10))).To("out")
	}, steps: []string{
		"S(b,1)@5 →", "S(a,2)@5 →", "S(b,3)@5 →", "S(aa,4)@5 →", "S(c,5)@3 →",
		"S(z,6)@15 → (c,5+null)@3 (a,2+null)@5 (aa,4+null)@5 (b,1+null)@5 (b,3+null)@5",
	}},
	"global": {dropped: 2, build: func(b builder) {
		kstream.JoinGlobal(keyless(b, "S"), kstream.GlobalTable[string, string](b, "G"), value2, plus).To("out")
	}, steps: []string{
		"S(a,x)@1 →", "G(x,gx)@100 →", "S(null,x)@2 → (null,x+gx)@2", "S(a,no)@3 →", "S(a,null)@4 →", "G(x,null)@5 →", "S(a,x)@6 →",
	}},
	"left global": {dropped: 1, build: func(b builder) {
		kstream.LeftJoinGlobal(keyless(b, "S"), kstream.GlobalTable[string, string](b, "G"), value2, plusOr).To("out")
	}, steps: []string{
		"S(a,x)@1 → (a,x+null)@1", "G(x,gx)@100 →", "S(null,x)@2 → (null,x+gx)@2", "S(a,no)@3 → (a,no+null)@3", "S(a,null)@4 →",
	}},
	"null keys pass the repartition of a left join": {build: func(b builder) {
		s := kstream.SelectKey(in(b, "S"), func(string, string) *string { return nil })
		kstream.LeftJoinTable(s, plain(b), plusOr).To("out")
	}, steps: []string{"S(a,n)@1 → (null,n+null)@1"}},
	"null keys end at the repartition of an inner join": {build: func(b builder) {
		s := kstream.SelectKey(in(b, "S"), func(string, string) *string { return nil })
		kstream.JoinTable(s, plain(b), plus).To("out")
	}, steps: []string{"S(a,n)@1 →"}},
	"joiners that see the key": {build: func(b builder) {
		s, g := keyless(b, "S"), kstream.GlobalTable[string, string](b, "G")
		withKey := func(k *string, l, r string) string { return or(deref(k)) + ":" + plus(l, r) }
		withKeyOr := func(k *string, l, r string, has bool) string { return withKey(k, l, or(r, has)) }
		kstream.JoinTableWithKey(s, plain(b), withKey).To("out")
		kstream.LeftJoinTableWithKey(s, plain2(b), withKeyOr).To("out")
		kstream.JoinGlobalWithKey(s, g, own, withKey).To("out")
		kstream.LeftJoinGlobalWithKey(s, g, own, withKeyOr).To("out")
	}, dropped: 2, steps: []string{
		"T(a,t)@1 →", "G(a,g)@1 →", "S(a,s)@2 → (a,a:s+t)@2 (a,a:s+null)@2 (a,a:s+g)@2 (a,a:s+g)@2",
		"S(null,s)@3 → (null,null:s+null)@3 (null,null:s+null)@3",
	}},
	"null results": {build: func(b builder) {
		kstream.LeftJoinTable(keyless(b, "S"), plain(b), func(_, r string, has bool) *string {
			if !has {
				return nil
			}
			return &r
		}).To("out")
	}, steps: []string{"S(a,s)@1 → (a,null)@1", "T(a,t)@1 →", "S(a,s)@2 → (a,t)@2"}},
}

func plain2(b builder) ktable.Table[*string, string] { return kstream.Table[*string, string](b, "T2") }

func TestTableJoinTraces(t *testing.T) {
	for name, c := range tableJoinTraces {
		t.Run(name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.build(b)
			d := startDriver(t, b, processor.Config{})
			for _, step := range c.steps {
				input, want, _ := strings.Cut(step, "→")
				if d := cmp.Diff(strings.Fields(want), pipe(t, d, strings.TrimSpace(input))); d != "" {
					t.Errorf("%s (-want +got)\n%s", input, d)
				}
			}
			if d.Dropped() != c.dropped {
				t.Errorf("%d records dropped, want %d", d.Dropped(), c.dropped)
			}
		})
	}
}

// TestBufferRefusesNullKeys is Java's NullPointerException of a left join with
// grace.
func TestBufferRefusesNullKeys(t *testing.T) {
	b := kstream.NewBuilder()
	kstream.LeftJoinTable(keyless(b, "S"), history(b, 100), plusOr, with.TableGrace(ms(1))).To("out")
	d := startDriver(t, b, processor.Config{})
	err := d.Pipe(testdriver.Record{Topic: "S", Value: []byte("s"), Timestamp: 1})
	if !errors.Is(err, statestore.ErrNullKey) || !errors.Is(err, processor.ErrNull) || !strings.Contains(fmt.Sprint(err), "key cannot be null") {
		t.Errorf("got %v", err)
	}
}

// TestNullKeysOfTableJoins sees that a null key reaches no function that cannot
// take it, and passes where no function sees it.
func TestNullKeysOfTableJoins(t *testing.T) {
	withKey := func(k, l, r string, has bool) string { return k + l + r }
	for name, c := range map[string]struct {
		build func(builder)
		fails bool
	}{
		"joiner without key": {func(b builder) { kstream.LeftJoinTable(in(b, "S"), tableOf(b, "T"), plusOr).To("out") }, false},
		"joiner with key":    {func(b builder) { kstream.LeftJoinTableWithKey(in(b, "S"), tableOf(b, "T"), withKey).To("out") }, true},
		"selector": {func(b builder) {
			kstream.JoinGlobal(in(b, "S"), kstream.GlobalTable[string, string](b, "G"), beforeColon, plus).To("out")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.build(b)
			err := startDriver(t, b, processor.Config{}).Pipe(testdriver.Record{Topic: "S", Value: []byte("s"), Timestamp: 1})
			if c.fails != errors.Is(err, processor.ErrNull) || c.fails && !strings.Contains(err.Error(), "a stream over *string can") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestTableJoinNames checks the indices a join with a table burns and the names
// it gives.
func TestTableJoinNames(t *testing.T) {
	hash := func(s stream) stream { return kstream.SelectKey(s, value) }
	for _, c := range []struct {
		name  string
		op    func(b builder, s stream)
		burns int
		names []string // must all appear in the description
	}{
		{"inner", func(b builder, s stream) { kstream.JoinTable(s, tableOf(b, "t"), plus) }, 3 + 1,
			[]string{"KSTREAM-JOIN-0000000004 (stores: [t-STATE-STORE-0000000001])"}},
		{"left", func(b builder, s stream) { kstream.LeftJoinTable(s, tableOf(b, "t"), plusOr) }, 3 + 1, []string{"KSTREAM-LEFTJOIN-0000000004 "}},
		{"named", func(b builder, s stream) { kstream.JoinTable(s, tableOf(b, "t"), plus, with.Name("jn")) }, 3 + 1, []string{"Processor: jn "}},
		{"global", func(b builder, s stream) {
			kstream.JoinGlobal(hash(s), kstream.GlobalTable[string, string](b, "g"), beforeColon, plus)
		}, 3 + 1 + 1, []string{"KSTREAM-LEFTJOIN-0000000005 (stores: [])"}},
		{"rekeyed", func(b builder, s stream) { kstream.JoinTable(hash(s), tableOf(b, "t"), plus) }, 1 + 3 + 3 + 1,
			[]string{"topic: KSTREAM-KEY-SELECT-0000000001-repartition)", "KSTREAM-FILTER-0000000006", "KSTREAM-JOIN-0000000008 "}},
		{"named and rekeyed", func(b builder, s stream) { kstream.JoinTable(hash(s), tableOf(b, "t"), plus, with.Name("jn")) }, 1 + 3 + 3 + 1,
			[]string{"topic: jn-repartition)", "jn-repartition-filter"}},
		{"two joins of a rekeyed stream", func(b builder, s stream) {
			r := hash(s)
			kstream.JoinTable(kstream.JoinTable(r, tableOf(b, "t"), plus), tableOf(b, "u"), plus)
			kstream.JoinTable(r, tableOf(b, "v"), plus)
		}, 1 + 3 + 3 + 1 + 3 + 1 + 3 + 3 + 1, []string{"KSTREAM-JOIN-0000000008 ", "KSTREAM-JOIN-0000000012 ", "KSTREAM-JOIN-0000000019 "}},
		{"buffer", func(b builder, s stream) {
			kstream.JoinTable(s, versionedOf(b, "t", "vt", 10), plus, with.TableGrace(ms(10)))
		}, 2 + 1, []string{"KSTREAM-JOIN-0000000003 (stores: [KSTREAM-JOIN-0000000003-Buffer, vt])"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.op(b, in(b, "s"))
			in(b, "probe")
			text := describe(t, b)
			if want := fmt.Sprintf("KSTREAM-SOURCE-%010d (topics: [probe])", c.burns+1); !strings.Contains(text, want) {
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

func TestTableJoinErrors(t *testing.T) {
	grace := with.TableGrace(ms(10))
	for _, c := range []struct {
		name  string
		build func(builder)
		kind  dsl.Kind
		text  string
	}{
		{"grace of a table that is not versioned", func(b builder) { kstream.JoinTable(in(b, "s"), tableOf(b, "t"), plus, grace) },
			dsl.KindArgument, "JoinTable: KTable must be versioned to use a grace period in a stream table join."},
		{"grace of a filter of one", func(b builder) {
			kstream.LeftJoinTable(in(b, "s"), tableOf(b, "t").Filter(yes), plusOr, grace)
		}, dsl.KindArgument, "KTable must be versioned to use a grace period in a stream table join."},
		{"history shorter than grace", func(b builder) { kstream.JoinTable(in(b, "s"), versionedOf(b, "t", "vt", 9), plus, grace) },
			dsl.KindArgument, "History retention must be at least grace period."},
		{"function", func(b builder) { kstream.JoinTable[string, string, string, string](in(b, "s"), tableOf(b, "t"), nil) }, dsl.KindNull, "the function is nil"},
		{"selector", func(b builder) {
			kstream.JoinGlobal(in(b, "s"), kstream.GlobalTable[string, string](b, "g"), nil, plus)
		}, dsl.KindNull, "the function is nil"},
		{"serde", func(b builder) { kstream.JoinTable(in(b, "s"), tableOf(b, "t"), plus, with.KeySerde("x")) }, dsl.KindSerde, "key serde is"},
		{"builders", func(b builder) { kstream.JoinTable(in(b, "s"), tableOf(kstream.NewBuilder(), "t"), plus) }, dsl.KindArgument, "different builders"},
		{"partitions", func(b builder) {
			l := in(b, "s").Repartition(with.Name("l"), with.Partitions(3))
			r := kstream.ToTable(in(b, "r").Repartition(with.Name("r"), with.Partitions(4)))
			kstream.JoinTable(l, r, plus)
		}, dsl.KindWrapped, "Following topics do not have the same number of partitions: [{l-repartition=3, r-repartition=4}]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.build(b)
			_, err := b.Build(processor.Config{})
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Fatalf("got %v, want %q", err, c.text)
			}
			if kinds := kindsOf(err); c.kind != dsl.KindWrapped && !kinds[c.kind] {
				t.Errorf("%v is of the kinds %v, want %d", err, kinds, c.kind)
			}
		})
	}
}
