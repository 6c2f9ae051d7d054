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
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

// texts is a table of texts.
type texts = ktable.Table[string, string]

func tableOf(b builder, topic string, opts ...with.TableSource) texts {
	return kstream.Table[string, string](b, topic, append([]with.TableSource{with.Serdes(serde.String(), serde.String())}, opts...)...)
}

func versionedOf(b builder, topic, store string, history int64) texts {
	return tableOf(b, topic, with.StoreSupplier(statestore.SupplyVersioned(store, nil, statestore.VersionedConfig{HistoryMs: history})))
}

func piped(l, r string) string                                { return l + "|" + r }
func orNull(l, r string, has bool) string                     { return l + "|" + or(r, has) }
func outerOf(l string, hasL bool, r string, hasR bool) string { return or(l, hasL) + "|" + or(r, hasR) }

// beforeColon is what stands before a colon, if there is one.
func beforeColon(_, v string) (string, bool) {
	k, _, ok := strings.Cut(v, ":")
	return k, ok
}

// afterNullKeys is a function that takes null keys too.
func afterNullKeys(f func(k, v string) (string, bool)) func(*string, string) (string, bool) {
	return func(k *string, v string) (string, bool) { return f(or(deref(k)), v) }
}

func publish[V any](t ktable.Table[string, V]) { kstream.FromTable(t).To("out") }

// tablesOf is a program over the tables inL and inR.
func tablesOf(f func(l, r texts) texts) func(builder) {
	return func(b builder) { publish(f(tableOf(b, "inL"), tableOf(b, "inR"))) }
}

var joinedStore = []with.Table{with.Store("js"), with.Serdes(serde.String(), serde.String()), with.Name("jn")}

// replayed are the corpus's scenarios of joins with tables, written in Go. Each
// must be described as Java does and must write, for every input, the bytes
// that Java writes to every topic, changelogs and internal topics too.
var replayed = map[string]func(builder){
	"st-inner": func(b builder) { kstream.JoinTable(in(b, "inL"), tableOf(b, "inR"), piped).To("out") },
	"st-left":  func(b builder) { kstream.LeftJoinTable(in(b, "inL"), tableOf(b, "inR"), orNull).To("out") },
	"st-withkey": func(b builder) {
		l, r := kstream.From[*string, string](b, "inL"), kstream.Table[*string, string](b, "inR")
		kstream.LeftJoinTableWithKey(l, r, func(k *string, l, r string, has bool) string {
			return or(deref(k)) + "=" + orNull(l, r, has)
		}, with.Name("stj")).To("out")
	},
	"st-rekeyed": func(b builder) {
		l := kstream.SelectKey(kstream.From[*string, *string](b, "inL"), func(_, v *string) *string {
			if v == nil {
				return nil
			}
			first := (*v)[:1]
			return &first
		})
		r := kstream.Table[*string, string](b, "inR")
		kstream.JoinTable(l, r, func(l *string, r string) string { return piped(*l, r) }).To("out")
	},
	"st-filtered-table": func(b builder) {
		l, r := in(b, "inL"), tableOf(b, "inR").Filter(func(_, v string) bool { return v != "x" })
		kstream.LeftJoinTable(l, r, orNull).To("out")
	},
	"st-aggregate-table": func(b builder) {
		l := in(b, "inL")
		kstream.LeftJoinTable(l, kstream.Count(l.GroupByKey()), func(v string, n int64, has bool) string {
			return orNull(v, fmt.Sprint(n), has)
		}).To("out")
	},
	"st-versioned": func(b builder) {
		kstream.LeftJoinTable(in(b, "inL"), versionedOf(b, "inR", "vs", 1000), orNull).To("out")
	},
	"st-grace-inner": func(b builder) {
		kstream.JoinTable(in(b, "inL"), versionedOf(b, "inR", "vs", 1000), piped, with.Name("gj"), with.TableGrace(ms(10))).To("out")
	},
	"st-grace-left": func(b builder) {
		kstream.LeftJoinTable(in(b, "inL"), versionedOf(b, "inR", "vs", 1000), orNull, with.Name("gj"), with.TableGrace(ms(10))).To("out")
	},
	"global-inner": func(b builder) {
		l := kstream.From[*string, string](b, "inL")
		kstream.JoinGlobal(l, kstream.GlobalTable[string, string](b, "inG"), afterNullKeys(beforeColon), piped).To("out")
	},
	"global-left": func(b builder) {
		l := kstream.From[*string, string](b, "inL")
		kstream.LeftJoinGlobal(l, kstream.GlobalTable[string, string](b, "inG"), afterNullKeys(beforeColon), orNull).To("out")
	},
	"global-fed-by-program": func(b builder) {
		l := in(b, "inL")
		l.To("inG")
		kstream.LeftJoinGlobal(l, kstream.GlobalTable[string, string](b, "inG"), func(k, _ string) (string, bool) { return k, true }, orNull).To("out")
	},
	"tt-inner":        tablesOf(func(l, r texts) texts { return ktable.Join(l, r, piped) }),
	"tt-left":         tablesOf(func(l, r texts) texts { return ktable.LeftJoin(l, r, orNull) }),
	"tt-outer":        tablesOf(func(l, r texts) texts { return ktable.OuterJoin(l, r, outerOf) }),
	"tt-inner-stored": tablesOf(func(l, r texts) texts { return ktable.Join(l, r, piped, joinedStore...) }),
	"tt-outer-stored": tablesOf(func(l, r texts) texts { return ktable.OuterJoin(l, r, outerOf, joinedStore...) }),
	"tt-cached": func(b builder) {
		l, r := tableOf(b, "inL", with.Store("ls")), tableOf(b, "inR", with.Store("rs"))
		publish(ktable.OuterJoin(l, r, outerOf, with.Store("js")))
	},
	"tt-joiner-null": func(b builder) {
		publish(ktable.Join(tableOf(b, "inL"), tableOf(b, "inR"), func(l, r string) *string {
			if l == "2" {
				return nil
			}
			joined := piped(l, r)
			return &joined
		}, with.Store("js"), with.ValueSerde(serde.Nullable(serde.String()))))
	},
	"tt-self": func(b builder) {
		l := tableOf(b, "inL")
		publish(ktable.Join(l, l, piped))
	},
	"tt-multi": func(b builder) {
		l, r, q := tableOf(b, "inL"), tableOf(b, "inR"), tableOf(b, "inQ")
		publish(ktable.OuterJoin(ktable.LeftJoin(l, r, orNull), q, outerOf))
	},
	"tt-aggregates": func(b builder) {
		l, r := in(b, "inL"), in(b, "inR")
		counts := kstream.Count(l.GroupByKey())
		texts := kstream.Reduce(r.GroupByKey(), func(agg, v string) string { return agg + v })
		publish(ktable.OuterJoin(counts, texts, func(n int64, hasL bool, r string, hasR bool) string {
			return outerOf(fmt.Sprint(n), hasL, r, hasR)
		}))
	},
	"tt-versioned": func(b builder) {
		publish(ktable.OuterJoin(versionedOf(b, "inL", "ls", 100), versionedOf(b, "inR", "rs", 100), outerOf))
	},
	"fk-inner": tablesOf(func(l, r texts) texts { return ktable.JoinForeign(l, r, beforeColon, piped) }),
	"fk-left":  tablesOf(func(l, r texts) texts { return ktable.LeftJoinForeign(l, r, beforeColon, orNull) }),
	"fk-left-stored": tablesOf(func(l, r texts) texts {
		return ktable.LeftJoinForeign(l, r, beforeColon, orNull, with.Name("fkj"), with.Store("js"))
	}),
	"fk-cached": func(b builder) {
		l, r := tableOf(b, "inL", with.Store("ls")), tableOf(b, "inR", with.Store("rs"))
		publish(ktable.JoinForeign(l, r, beforeColon, piped, with.Store("js")))
	},
	"fk-partitioners": tablesOf(func(l, r texts) texts {
		first := processor.Partitioner[string, struct{}](func(_ string, rec processor.Record[string, struct{}], n int32) ([]int32, bool) {
			return []int32{0}, !rec.ValueNull || n < 1
		})
		return ktable.LeftJoinForeign(l, r, beforeColon, orNull, with.Name("p"), with.Partitioner(first), with.OtherPartitioner(first))
	}),
	"fk-self": func(b builder) {
		l := tableOf(b, "inL")
		publish(ktable.LeftJoinForeign(l, l, func(_, v string) (string, bool) { return v, true }, orNull))
	},
	"fk-then-group": func(b builder) {
		j := ktable.LeftJoinForeign(tableOf(b, "inL"), tableOf(b, "inR"), beforeColon, orNull, with.Store("js"))
		publish(ktable.Count(ktable.GroupBy(j, func(k, v string) (string, string) { return v[strings.Index(v, "|")+1:], k })))
	},
	"fk-versioned": func(b builder) {
		publish(ktable.LeftJoinForeign(versionedOf(b, "inL", "ls", 100), versionedOf(b, "inR", "rs", 100), beforeColon, orNull))
	},
}

// tableReplay is a scenario and what Java did with it.
type tableReplay struct {
	Config map[string]string
	Inputs []struct {
		Record struct {
			Topic      string
			Key, Value *string
			TS         int64
		}
	}
	Describe string
	Steps    []struct {
		Out map[string][]struct {
			Key, Value *string
			TS         *int64
			P          *int32
		}
	}
	Metrics map[string]int64
}

func readTableReplay(t *testing.T, name string) (r tableReplay) {
	t.Helper()
	for _, dir := range []string{"scenarios", "golden"} {
		data, err := os.ReadFile(filepath.Join("..", "compat-tests", "corpus", "dsl", dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestReplaysOfTableJoins(t *testing.T) {
	for name, build := range replayed {
		t.Run(name, func(t *testing.T) {
			want := readTableReplay(t, name)
			b := kstream.NewBuilder()
			build(b)
			config := processor.Config{ApplicationID: "oracle"}
			if want.Config["statestore.cache.max.bytes"] != "0" {
				config.CacheBytes = processor.DefaultCacheBytes
			}
			d := startDriver(t, b, config)
			if d := cmp.Diff(want.Describe, describe(t, b)); d != "" {
				t.Errorf("description (-Java +ours)\n%s", d)
			}
			for i, input := range want.Inputs {
				r := input.Record
				if err := d.Pipe(testdriver.Record{Topic: r.Topic, Key: bytesAt(r.Key), Value: bytesAt(r.Value), Timestamp: r.TS}); err != nil {
					t.Fatalf("input %d: %v", i, err)
				}
				if d := cmp.Diff(want.written(i), written(d)); d != "" {
					t.Errorf("input %d (-Java +ours)\n%s", i, d)
				}
			}
			if n := want.Metrics["dropped-records-total"]; d.Dropped() != n {
				t.Errorf("%d records dropped, want %d", d.Dropped(), n)
			}
		})
	}
}

func bytesAt(text *string) []byte {
	if text == nil {
		return nil
	}
	return []byte(*text)
}

// written are the records of one step, as "topic key value timestamp
// partition" with bytes in hexadecimal.
func (r *tableReplay) written(i int) (out []string) {
	for _, topic := range slices.Sorted(maps.Keys(r.Steps[i].Out)) {
		for _, w := range r.Steps[i].Out[topic] {
			ts, partition := int64(processor.NoTimestamp), int32(-1)
			if w.TS != nil {
				ts = *w.TS
			}
			if w.P != nil {
				partition = *w.P
			}
			out = append(out, fmt.Sprintf("%s %s %s %d %d", topic, or(deref(w.Key)), or(deref(w.Value)), ts, partition))
		}
	}
	return out
}

func deref(s *string) (string, bool) {
	if s == nil {
		return "", false
	}
	return *s, true
}

func written(d *testdriver.Driver) (out []string) {
	all := d.TakeWritten()
	for _, topic := range slices.Sorted(maps.Keys(all)) {
		for _, r := range all[topic] {
			out = append(out, fmt.Sprintf("%s %s %s %d %d", topic, or(hex.EncodeToString(r.Key), r.Key != nil),
				or(hex.EncodeToString(r.Value), r.Value != nil), r.Timestamp, r.Partition))
		}
	}
	return out
}
