package kstream_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	_ "github.com/millrace/millrace/statestore/pebblestore" // persistent stores
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

type (
	grouped      = kstream.Grouped[string, string]
	table[A any] = ktable.Table[window.Windowed[string], A]
)

const msec = time.Millisecond

var (
	windowKeys  = window.Serde(serde.String(), 10*msec)
	sessionKeys = window.SessionSerde(serde.String())
)

// fed is one input, "key:value@timestamp" with "~" for null, and what comes
// out for it, each "key[start,end]=value@timestamp" with "~" for a deletion.
type fed struct {
	in  string
	out []string
}

func then(in string, out ...string) fed { return fed{in, out} }

// windowTrace is a program over the topic in that writes to out.
type windowTrace struct {
	cache int64
	build func(grouped) func(builder)
	// keys is the serde of the results, of windows of 10 ms by default.
	keys    serde.Serde[window.Windowed[string]]
	steps   []fed
	dropped int64
}

func byTime[A any](f func(grouped) table[A]) func(grouped) func(builder) {
	return func(g grouped) func(builder) {
		t := f(g)
		return func(builder) { kstream.FromTable(t).To("out") }
	}
}

func concat(_, v, a string) string { return a + v }
func none() string                 { return "" }

func countIn(w window.Windows) func(grouped) func(builder) {
	return byTime(func(g grouped) table[int64] { return kstream.Count(g.WindowedBy(w)) })
}

func emittedCountIn(w window.Windows) func(grouped) func(builder) {
	return byTime(func(g grouped) table[int64] { return kstream.Count(g.WindowedBy(w).EmitOnClose()) })
}

var windowTraces = map[string]windowTrace{
	"null values are counted, null keys dropped": {build: countIn(window.Tumbling(10 * msec)), dropped: 1, steps: []fed{
		then("k:~@0", "k[0,10]=1@0"), then("k:v@3", "k[0,10]=2@3"), then("~:v@4")}},
	"sliding windows drop null values": {dropped: 1, steps: []fed{then("k:~@0")},
		build: byTime(func(g grouped) table[int64] { return kstream.Count(g.WindowedBySliding(window.Slide(10 * msec))) })},
	"grace is strict": {build: countIn(window.Tumbling(10 * msec).Grace(5 * msec)), dropped: 1, steps: []fed{
		then("k:v@0", "k[0,10]=1@0"), then("x:v@14", "x[10,20]=1@14"), then("k:v@9", "k[0,10]=2@9"),
		then("x:v@15", "x[10,20]=2@15"), then("k:v@9")}},
	"no window begins before 0": {build: countIn(window.Hopping(10*msec, 3*msec)), steps: []fed{
		then("k:v@4", "k[0,10]=1@4", "k[3,13]=1@4")}},
	"hopping windows ascend": {build: countIn(window.Hopping(10*msec, 4*msec)), steps: []fed{
		then("k:v@9", "k[0,10]=1@9", "k[4,14]=1@9", "k[8,18]=1@9")}},
	"a late record is dropped once for each window": {build: countIn(window.Hopping(10*msec, 5*msec)), dropped: 2, steps: []fed{
		then("k:v@40", "k[35,45]=1@40", "k[40,50]=1@40"), then("k:v@9")}},
	"stream time ignores null keys": {build: countIn(window.Tumbling(10 * msec)), dropped: 1, steps: []fed{
		then("k:a@1", "k[0,10]=1@1"), then("~:v@100"), then("k:b@2", "k[0,10]=2@2")}},
	"the unlimited window ignores earlier records": {keys: window.SerdeMillis(serde.String(), math.MaxInt64), build: countIn(window.Unlimited().From(time.UnixMilli(10))), steps: []fed{
		then("k:v@9"), then("k:v@10", "k[10,9223372036854775807]=1@10")}},

	"sessions are deleted before they merge": {keys: sessionKeys, build: byTime(func(g grouped) table[string] {
		return kstream.AggregateSessions(g.WindowedBySession(window.Sessions(10*msec).Grace(50*msec)), none, concat,
			func(_, a, b string) string { return a + "|" + b })
	}), steps: []fed{
		then("k:a@0", "k[0,0]=a@0"), then("k:b@0", "k[0,0]=|ab@0"), then("k:c@20", "k[20,20]=c@20"),
		then("k:d@10", "k[0,0]=~@0", "k[20,20]=~@20", "k[0,20]=||ab|cd@20")}},
	"reduced sessions merge before the new value": {keys: sessionKeys, build: byTime(func(g grouped) table[string] {
		return kstream.Reduce(g.WindowedBySession(window.Sessions(10*msec).Grace(50*msec)), func(a, b string) string { return "(" + a + "+" + b + ")" })
	}), steps: []fed{
		then("k:a@0", "k[0,0]=a@0"), then("k:b@20", "k[20,20]=b@20"),
		then("k:c@10", "k[0,0]=~@0", "k[20,20]=~@20", "k[0,20]=((a+b)+c)@20")}},
	"a record inside a session deletes it first": {keys: sessionKeys, build: countSessions, steps: []fed{
		then("k:a@0", "k[0,0]=1@0"), then("k:b@8", "k[0,0]=~@0", "k[0,8]=2@8"), then("k:c@4", "k[0,8]=~@8", "k[0,8]=3@8")}},
	"with cache a record inside a session is one update": {keys: sessionKeys, cache: 1 << 20, build: countSessions, steps: []fed{
		then("k:a@0", "k[0,0]=1@0"), then("k:b@8", "k[0,0]=~@0", "k[0,8]=2@8"), then("k:c@4", "k[0,8]=3@8")}},
	"late for every session": {keys: sessionKeys, build: countSessions, dropped: 1, steps: []fed{
		then("k:a@30", "k[30,30]=1@30"), then("j:a@20", "j[20,20]=1@20"), then("i:a@19")}},

	"sliding windows, cached": {cache: 1 << 20, build: byTime(func(g grouped) table[int64] {
		return kstream.Count(g.WindowedBySliding(window.Slide(10 * msec).Grace(50 * msec)))
	}), steps: []fed{
		then("k:a@3", "k[0,10]=1@3"), then("k:b@8", "k[4,14]=1@8", "k[0,10]=2@8"), then("k:c@15", "k[9,19]=1@15", "k[5,15]=2@15"),
		then("k:d@5", "k[4,14]=2@8", "k[5,15]=3@15", "k[6,16]=2@15", "k[0,10]=3@8")}},
	"sliding windows": {build: byTime(func(g grouped) table[string] {
		return kstream.Aggregate(g.WindowedBySliding(window.Slide(10*msec).Grace(50*msec)), none, concat)
	}), steps: []fed{
		then("k:a@20", "k[10,20]=a@20"), then("k:b@25", "k[21,31]=b@25", "k[15,25]=ab@25"),
		then("k:c@22", "k[21,31]=bc@25", "k[15,25]=abc@25", "k[12,22]=ac@22", "k[23,33]=b@25"),
		then("k:d@22", "k[21,31]=bcd@25", "k[15,25]=abcd@25", "k[12,22]=acd@22"),
		then("k:e@31", "k[23,33]=be@31", "k[21,31]=bcde@31", "k[26,36]=e@31")}},

	"closed sliding windows": {build: byTime(func(g grouped) table[int64] {
		return kstream.Count(g.WindowedBySliding(window.Slide(10 * msec)).EmitOnClose())
	}), steps: []fed{
		then("k:x@2"), then("k:x@9"), then("k:x@15", "k[0,10]=2@9", "k[3,13]=1@9"), then("k:x@21", "k[5,15]=2@15", "k[10,20]=1@15")}},
	"closed windows": {build: emittedCountIn(window.Tumbling(10 * msec)), dropped: 1, steps: []fed{
		then("b:v@1"), then("a:v@3"), then("a:v@12", "a[0,10]=1@3", "b[0,10]=1@1"), then("c:v@9"), then("a:v@19"),
		then("a:v@20", "a[10,20]=2@19")}},
	"without cache a jump loses closed windows": {build: emittedCountIn(window.Tumbling(10 * msec)), steps: []fed{
		then("b:v@1"), then("a:v@12", "b[0,10]=1@1"), then("a:v@45"), then("a:v@1000")}},
	"with cache a jump loses no closed windows": {cache: 1 << 20, build: emittedCountIn(window.Tumbling(10 * msec)), steps: []fed{
		then("b:v@1"), then("a:v@12", "b[0,10]=1@1"), then("a:v@45", "a[10,20]=1@12"), then("a:v@1000", "a[40,50]=1@45")}},
	"closed sessions": {keys: sessionKeys, build: byTime(func(g grouped) table[int64] {
		return kstream.Count(g.WindowedBySession(window.Sessions(5 * msec)).EmitOnClose())
	}), steps: []fed{
		then("a:v@0"), then("b:v@3"), then("c:v@5"), then("c:v@6", "a[0,0]=1@0"), then("c:v@8"), then("d:v@9", "b[3,3]=1@3"),
		then("d:v@30", "c[5,8]=3@8", "d[9,9]=1@9")}},
}

func countSessions(g grouped) func(builder) {
	return byTime(func(g grouped) table[int64] { return kstream.Count(g.WindowedBySession(window.Sessions(10 * msec))) })(g)
}

// TestWindowTraces compares results with those of the same programs in Java.
func TestWindowTraces(t *testing.T) {
	for name, trace := range windowTraces {
		t.Run(name, func(t *testing.T) {
			config, keys := processor.Config{CacheBytes: trace.cache}, trace.keys
			if keys == nil {
				keys = windowKeys
			}
			b := kstream.NewBuilder(config)
			trace.build(in(b, "in").GroupByKey())(b)
			d := driverOf(t, b, config)
			for _, step := range trace.steps {
				if err := feed(d, step.in); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(step.out, results(t, d, keys)); diff != "" {
					t.Errorf("after %s (-want +got):\n%s", step.in, diff)
				}
			}
			if got := d.Dropped(); got != trace.dropped {
				t.Errorf("dropped %d, want %d", got, trace.dropped)
			}
		})
	}
}

func driverOf(t *testing.T, b builder, config processor.Config) *testdriver.Driver {
	t.Helper()
	topology, err := b.Build(config)
	if err != nil {
		t.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// feed pipes "key:value@timestamp", to another topic as "topic/key:…".
func feed(d *testdriver.Driver, input string) error {
	rec := testdriver.Record{Topic: "in"}
	if topic, rest, ok := strings.Cut(input, "/"); ok {
		rec.Topic, input = topic, rest
	}
	input, ts, _ := strings.Cut(input, "@")
	k, v, _ := strings.Cut(input, ":")
	rec.Timestamp, _ = strconv.ParseInt(ts, 10, 64)
	if k != "~" {
		rec.Key = []byte(k)
	}
	if v != "~" {
		rec.Value = []byte(v)
	}
	return d.Pipe(rec)
}

// results are the records written to out since the last call.
func results(t *testing.T, d *testdriver.Driver, keys serde.Serde[window.Windowed[string]]) []string {
	t.Helper()
	var out []string
	for _, rec := range d.TakeWritten()["out"] {
		k, err := keys.Decode("out", rec.Key)
		if err != nil {
			t.Fatal(err)
		}
		v := "~"
		if len(rec.Value) == 8 {
			n, err := serde.Int64().Decode("out", rec.Value)
			if err != nil {
				t.Fatal(err)
			}
			v = strconv.FormatInt(n, 10)
		} else if rec.Value != nil {
			v = string(rec.Value)
		}
		out = append(out, fmt.Sprintf("%s[%d,%d]=%s@%d", k.Key, k.Start, k.End, v, rec.Timestamp))
	}
	return out
}

func TestWindowedKeysArePartitionedByTheirKey(t *testing.T) {
	b := kstream.NewBuilder()
	counts := kstream.FromTable(kstream.Count(in(b, "in").GroupByKey().WindowedBy(window.Tumbling(10 * msec))))
	counts.To("out")
	counts.To("chosen", with.Partitioner(func(string, processor.Record[window.Windowed[string], int64], int32) ([]int32, bool) {
		return nil, true
	}))
	d := driverOf(t, b, processor.Config{})
	if err := feed(d, "k:v@3"); err != nil {
		t.Fatal(err)
	}
	written := d.TakeWritten()
	if got := written["out"][0].Partition; got != 0 {
		t.Errorf("partition %d: the sink has left the choice to the producer, which hashes the window too", got)
	}
	if got := written["chosen"][0].Partition; got != -1 {
		t.Errorf("partition %d: the partitioner that was given has not decided", got)
	}
}

func TestNullValuesThatAFunctionCannotTake(t *testing.T) {
	b := kstream.NewBuilder()
	w := in(b, "in").GroupByKey().WindowedBy(window.Tumbling(10 * msec))
	kstream.FromTable(kstream.Reduce(w, join, with.Name("reduced"))).To("out")
	d := driverOf(t, b, processor.Config{})
	// Java's reducer is not called for the first value.
	if err := feed(d, "k:~@1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"k[0,10]=~@1"}, results(t, d, windowKeys)); diff != "" {
		t.Error(diff)
	}
	if err := feed(d, "k:a@2"); err != nil {
		t.Fatal(err)
	}
	err := feed(d, "k:~@3")
	if !errors.Is(err, processor.ErrNull) || !strings.Contains(err.Error(), "reduced") {
		t.Errorf("got %v, want a null value refused by the node reduced", err)
	}
}

func TestAggregatesThatBecomeNull(t *testing.T) {
	b := kstream.NewBuilder()
	w := in(b, "in").GroupByKey().WindowedBy(window.Tumbling(10 * msec))
	kstream.FromTable(kstream.Aggregate(w, func() *string { s := "#"; return &s }, func(_, v string, a *string) *string {
		if v == "2" {
			return nil
		}
		s := *a + v
		return &s
	}, with.ValueSerde(serde.Nullable(serde.String())))).To("out")
	d := driverOf(t, b, processor.Config{})
	var got []string
	for _, input := range []string{"k:1@5", "k:2@9", "k:3@2"} {
		if err := feed(d, input); err != nil {
			t.Fatal(err)
		}
		got = append(got, results(t, d, windowKeys)...)
	}
	if diff := cmp.Diff([]string{"k[0,10]=#1@5", "k[0,10]=~@9", "k[0,10]=#3@2"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWindowErrors: each error is one of the build and names the line of the
// operator.
func TestWindowErrors(t *testing.T) {
	for name, c := range map[string]struct {
		build func(grouped)
		want  string
	}{
		"size": {func(g grouped) { g.WindowedBy(window.Tumbling(0)) }, "WindowedBy: invalid window: the size must be positive"},
		"nil":  {func(g grouped) { g.WindowedBy(nil) }, "WindowedBy: the windows are nil"},
		"difference": {func(g grouped) { g.WindowedBySliding(window.Slide(-1 * msec)) },
			"WindowedBySliding: invalid window: the time difference must not be negative"},
		"gap": {func(g grouped) { g.WindowedBySession(window.Sessions(-1 * msec)) }, "WindowedBySession: invalid window: the gap must not be negative"},
		"unlimited": {func(g grouped) { g.WindowedBy(window.Unlimited()).EmitOnClose() },
			"EmitOnClose: ON_WINDOW_CLOSE emit strategy cannot be used for UnlimitedWindows"},
		"retention": {func(g grouped) {
			kstream.Count(g.WindowedBy(window.Tumbling(10*msec).Grace(5*msec)), with.Store("w"), with.Retention(12*msec))
		}, "Count: The retention period of the window store w must be no smaller than its window size plus the grace period. " +
			"Got size=[10], grace=[5], retention=[12]"},
		"no retention": {func(g grouped) {
			kstream.Count(g.WindowedBy(window.Tumbling(10*msec)), with.Store("w"), with.Retention(0))
		}, "Got size=[10], grace=[0], retention=[0]"},
		"sliding retention": {func(g grouped) {
			kstream.Count(g.WindowedBySliding(window.Slide(10*msec).Grace(5*msec)), with.Store("w"), with.Retention(24*msec))
		}, "must be no smaller than 2 * time difference plus the grace period. Got time difference=[10], grace=[5], retention=[24]"},
		"session retention": {func(g grouped) {
			kstream.Count(g.WindowedBySession(window.Sessions(10*msec).Grace(5*msec)), with.Store("w"), with.Retention(14*msec))
		}, "must be no smaller than the session inactivity gap plus the grace period. Got gap=[10], grace=[5], retention=[14]"},
		"merger": {func(g grouped) {
			kstream.AggregateSessions(g.WindowedBySession(window.Sessions(msec)), none, concat, nil)
		}, "AggregateSessions: the function is nil"},
		"cogroup retention": {func(g grouped) {
			kstream.Cogroup(g, concat).WindowedBy(window.Tumbling(10*msec)).Aggregate(none, with.Store("w"), with.Retention(9*msec))
		}, "Aggregate: The retention period of the window store w must"},
		"cogroup session": {func(g grouped) {
			kstream.Cogroup(g, concat).WindowedBySession(window.Sessions(msec)).Aggregate(none, nil)
		}, "Aggregate: the function is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.build(in(b, "in").GroupByKey())
			_, err := b.Build(processor.Config{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "window_test.go:") {
				t.Errorf("got %v, want %q with a line", err, c.want)
			}
		})
	}
}

// TestWindowsOfWindows: the table of an aggregation in windows is a table like
// others; the serde of its keys is derived at each step.
func TestWindowsOfWindows(t *testing.T) {
	b := kstream.NewBuilder()
	perMoment := kstream.Count(in(b, "in").GroupByKey().WindowedBy(window.Tumbling(10 * msec)))
	again := kstream.Count(kstream.FromTable(perMoment.Filter(func(_ window.Windowed[string], n int64) bool { return n > 1 })).
		GroupByKey().WindowedBy(window.Tumbling(20 * msec)))
	twice := kstream.FromTable(again)
	byKey := kstream.GroupBy(twice, func(w window.Windowed[window.Windowed[string]], _ int64) string { return w.Key.Key })
	kstream.FromTable(kstream.Count(byKey)).To("out")
	stored := kstream.ToTable(kstream.FromTable(perMoment), with.Store("stored"), with.KeySerde(windowKeys))
	kstream.FromTable(stored).To("stored-out")
	d := driverOf(t, b, processor.Config{ApplicationID: "app"})
	for _, input := range []string{"k:a@1", "k:b@2", "k:c@3"} {
		if err := feed(d, input); err != nil {
			t.Fatal(err)
		}
	}
	written := d.TakeWritten()
	if got := written["out"]; len(got) != 2 || string(got[1].Key) != "k" || got[1].Value[7] != 2 {
		t.Errorf("counts of updates: %+v", got)
	}
	if got := written["stored-out"]; len(got) != 3 || len(got[2].Key) != 9 || got[2].Partition != 0 {
		t.Errorf("stored windows: %+v", got)
	}
	var twofold bool
	for topic, records := range written {
		if strings.HasSuffix(topic, "-changelog") && len(records[0].Key) == 1+8+8+4 {
			twofold = true
		}
	}
	if !twofold {
		t.Error("no changelog has windows of windows for keys")
	}
}
