package ktable_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/ktable"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	_ "github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

type texts = ktable.Table[string, string]

func or(v string, has bool) string {
	if !has {
		return "null"
	}
	return v
}

func plus(l, r string) string               { return l + "+" + r }
func plusLeft(l, r string, has bool) string { return l + "+" + or(r, has) }
func plusOuter(l string, hasL bool, r string, hasR bool) string {
	return or(l, hasL) + "+" + or(r, hasR)
}

// reference is a row's foreign key: what stands behind its last dash.
func reference(_, v string) (string, bool) {
	i := strings.LastIndexByte(v, '-')
	return v[i+1:], i >= 0
}

func versioned(b *kstream.Builder, topic string, history int64) texts {
	return kstream.Table[string, string](b, topic,
		with.StoreSupplier(statestore.SupplyVersioned(topic+"s", nil, statestore.VersionedConfig{HistoryMs: history})))
}

// joinOf is a program over the tables A and B.
func joinOf(f func(a, b texts) texts) program {
	return func(b *kstream.Builder) {
		to(f(kstream.Table[string, string](b, "A"), kstream.Table[string, string](b, "B")), "out")
	}
}

// joinTraces are inputs, each "topic(key,value)@time", and after "→" what Java
// 4.3.1 sends.
var joinTraces = map[string]struct {
	program program
	steps   []string
	dropped int64
}{
	"inner": {program: joinOf(func(a, b texts) texts { return ktable.Join(a, b, plus) }), dropped: 2, steps: []string{
		"A(k,a1)@10 →", "B(k,b1)@5 → (k,a1+b1)@10", "A(k,null)@20 → (k,null)@20", "A(k,null)@21 → (k,null)@21", "B(k,null)@22 →",
		"B(k,b2)@3 →", "A(k,a2)@1 → (k,a2+b2)@3", "A(null,x)@30 →", "B(null,x)@30 →",
	}},
	"left": {program: joinOf(func(a, b texts) texts { return ktable.LeftJoin(a, b, plusLeft) }), steps: []string{
		"B(k,b1)@5 →", "B(k,null)@6 →", "A(k,a1)@10 → (k,a1+null)@10", "B(k,b2)@3 → (k,a1+b2)@10", "A(k,a2)@1 → (k,a2+b2)@3",
		"A(k,null)@2 → (k,null)@3", "A(k,null)@4 → (k,null)@4", "B(k,null)@5 →", "A(k,null)@6 →", "A(k,a3)@7 → (k,a3+null)@7",
		"A(k,null)@8 → (k,null)@8",
	}},
	"outer": {program: joinOf(func(a, b texts) texts { return ktable.OuterJoin(a, b, plusOuter) }), steps: []string{
		"B(k,b1)@5 → (k,null+b1)@5", "A(k,a1)@3 → (k,a1+b1)@5", "B(k,null)@4 → (k,a1+null)@4", "A(k,null)@9 → (k,null)@9", "A(k,null)@10 →",
		"B(k,null)@10 →", "A(k,a2)@11 → (k,a2+null)@11", "B(k,b2)@12 → (k,a2+b2)@12", "A(k,null)@13 → (k,null+b2)@13",
		"A(k,null)@14 → (k,null+b2)@14",
	}},
	"versioned tables": {program: func(b *kstream.Builder) {
		to(ktable.OuterJoin(versioned(b, "A", 100), versioned(b, "B", 100), plusOuter), "out")
	}, dropped: 2, steps: []string{
		"A(k,a10)@10 → (k,a10+null)@10", "B(k,b20)@20 → (k,a10+b20)@20", "A(k,a5)@5 →", "A(k,a10x)@10 → (k,a10x+b20)@20", "B(k,null)@15 →",
	}},
	"one versioned table": {program: func(b *kstream.Builder) {
		to(ktable.Join(versioned(b, "A", 100), kstream.Table[string, string](b, "B"), plus), "out")
	}, dropped: 1, steps: []string{
		"A(k,a10)@10 →", "B(k,b20)@20 → (k,a10+b20)@20", "A(k,a5)@5 →", "B(k,b5)@5 → (k,a10+b5)@10",
	}},
	"a result is read through its tables": {program: joinOf(func(a, b texts) texts {
		return ktable.LeftJoin(ktable.OuterJoin(a, b, plusOuter), ktable.Join(a, b, plus), plusLeft)
	}), steps: []string{
		"A(k,a)@1 → (k,a+null+null)@1", "B(k,b)@2 → (k,a+b+a+b)@2 (k,a+b+a+b)@2", "A(k,null)@3 → (k,null+b+null)@3 (k,null+b+null)@3",
	}},
	"old values of a result": {program: joinOf(func(a, b texts) texts {
		j := ktable.OuterJoin(a, b, plusOuter)
		return ktable.Reduce(ktable.GroupBy(j, func(k, v string) (string, string) { return k, v }),
			func(agg, v string) string { return agg + "," + v }, func(agg, v string) string { return agg + ",-" + v })
	}), steps: []string{
		"A(k,a)@1 → (k,a+null)@1", "B(k,b)@2 → (k,a+null,-a+null,a+b)@2", "A(k,null)@3 → (k,a+null,-a+null,a+b,-a+b,null+b)@3",
	}},
	"foreign key": {program: joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus) }), dropped: 3, steps: []string{
		"A(k1,1-x)@10 →", "B(x,bx)@5 → (k1,1-x+bx)@5", "B(x,bx2)@3 → (k1,1-x+bx2)@3", "A(k2,9-x)@1 → (k2,9-x+bx2)@3",
		"A(k1,1-y)@11 → (k1,null)@11", "A(k1,2-y)@12 →", "B(y,by)@100 → (k1,2-y+by)@100", "A(k1,nofk)@13 → (k1,null)@100", "A(k1,null)@14 →",
		"B(x,null)@2 → (k2,null)@2", "B(x,null)@3 → (k2,null)@3", "B(null,x)@4 →", "A(k3,nofk)@5 →", "A(k2,null)@6 → (k2,null)@6",
	}},
	"foreign key again": {program: joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus) }), steps: []string{
		"B(x,bx)@5 →", "A(k,1-x)@6 → (k,1-x+bx)@6", "A(k,1-x)@7 → (k,1-x+bx)@7", "B(x,bx)@8 → (k,1-x+bx)@8",
	}},
	"left foreign key": {program: joinOf(func(a, b texts) texts { return ktable.LeftJoinForeign(a, b, reference, plusLeft) }), steps: []string{
		"A(k,1-x)@10 → (k,1-x+null)@10", "B(x,bx)@5 → (k,1-x+bx)@5", "A(k,2-y)@11 → (k,2-y+null)@11", "A(k,nofk)@12 → (k,nofk+null)@12",
		"A(k,3-x)@13 → (k,3-x+bx)@13", "B(x,null)@14 → (k,3-x+null)@14", "B(x,null)@15 → (k,3-x+null)@15", "A(k,null)@16 → (k,null)@16",
		"A(k,null)@17 →",
	}},
	"subscribers come in the order of their keys": {program: joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus) }), steps: []string{
		"A(b,-x)@1 →", "A(aa,-x)@1 →", "A(c,-xx)@1 →", "A(a,-x)@1 →", "B(x,1)@2 → (a,-x+1)@2 (aa,-x+1)@2 (b,-x+1)@2",
	}},
	"foreign key of versioned tables": {program: func(b *kstream.Builder) {
		to(ktable.LeftJoinForeign(versioned(b, "A", 100), versioned(b, "B", 100), reference, plusLeft), "out")
	}, dropped: 2, steps: []string{
		"A(k,1-x)@10 → (k,1-x+null)@10", "B(x,b20)@20 → (k,1-x+b20)@20", "B(x,b15)@15 →", "A(k,2-x)@5 →", "A(k,3-x)@11 → (k,3-x+b20)@20",
	}},
	"foreign key that looks at the key": {program: joinOf(func(a, b texts) texts {
		return ktable.JoinForeign(a, b, func(k, _ string) (string, bool) { return k[:1], true }, plus)
	}), steps: []string{"A(x1,a)@1 →", "B(x,b)@2 → (x1,a+b)@2"}},
}

func TestJoinTraces(t *testing.T) {
	for name, c := range joinTraces {
		t.Run(name, func(t *testing.T) {
			d := driverOf(t, c.program, processor.Config{})
			for _, step := range c.steps {
				input, want, _ := strings.Cut(step, "→")
				if d := cmp.Diff(strings.Fields(want), send(t, d, strings.TrimSpace(input))); d != "" {
					t.Errorf("%s (-want +got)\n%s", input, d)
				}
			}
			if d.Dropped() != c.dropped {
				t.Errorf("%d records dropped, want %d", d.Dropped(), c.dropped)
			}
		})
	}
}

func driverOf(t *testing.T, p program, config processor.Config) *testdriver.Driver {
	t.Helper()
	b := kstream.NewBuilder(config)
	p(b)
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

// send writes "topic(key,value)@time" and returns what comes out of the topic
// out in the same manner.
func send(t *testing.T, d *testdriver.Driver, input string) []string {
	t.Helper()
	topic, rest, _ := strings.Cut(input, "(")
	pair, ts, _ := strings.Cut(rest, ")@")
	k, v, _ := strings.Cut(pair, ",")
	r := testdriver.Record{Topic: topic, Key: orNil(k), Value: orNil(v)}
	if _, err := fmt.Sscan(ts, &r.Timestamp); err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	d.TakeWritten()
	if err := d.Pipe(r); err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	out := []string{}
	for _, r := range d.TakeWritten()["out"] {
		out = append(out, fmt.Sprintf("(%s,%s)@%d", or(string(r.Key), r.Key != nil), or(string(r.Value), r.Value != nil), r.Timestamp))
	}
	return out
}

func orNil(text string) []byte {
	if text == "null" {
		return nil
	}
	return []byte(text)
}

// TestStaleAnswers answers a question about a row that has changed meanwhile:
// the answer is dropped.
func TestStaleAnswers(t *testing.T) {
	program := joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus, with.Name("fk")) })
	d := driverOf(t, program, processor.Config{ApplicationID: "app"})
	send(t, d, "B(x,b)@1")
	send(t, d, "A(k,1-x)@2")
	answers := d.Written("app-fk-subscription-response-topic")
	if len(answers) != 0 {
		t.Fatalf("%d answers left", len(answers))
	}
	if err := d.Pipe(testdriver.Record{Topic: "A", Key: []byte("k"), Value: []byte("1-x"), Timestamp: 3}); err != nil {
		t.Fatal(err)
	}
	old := d.TakeWritten()["app-fk-subscription-response-topic"]
	if len(old) != 1 || old[0].Partition != 0 {
		t.Fatalf("answers %+v", old)
	}
	send(t, d, "A(k,2-x)@4")
	if err := d.Pipe(old[0]); err != nil {
		t.Fatal(err)
	}
	if out := d.TakeWritten()["out"]; len(out) > 0 || d.Dropped() != 1 {
		t.Errorf("%v came out, %d dropped", out, d.Dropped())
	}
}

// TestUnknownVersions reads records of a later release.
func TestUnknownVersions(t *testing.T) {
	program := joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus, with.Name("fk")) })
	for topic, value := range map[string]string{
		"app-fk-subscription-registration-topic": "\x82\x02k\x00\x00\x00\x00", "app-fk-subscription-response-topic": "\x81v",
	} {
		d := driverOf(t, program, processor.Config{ApplicationID: "app"})
		err := d.Pipe(testdriver.Record{Topic: topic, Key: []byte("x"), Value: []byte(value)})
		if err == nil || !strings.Contains(err.Error(), "unknown version") {
			t.Errorf("%s: %v", topic, err)
		}
	}
}

// TestOldSubscriptions reads what a release before 3.4 wrote: no partition is
// known, so that the key decides.
func TestOldSubscriptions(t *testing.T) {
	program := joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus, with.Name("fk")) })
	d := driverOf(t, program, processor.Config{ApplicationID: "app"})
	if err := d.Pipe(testdriver.Record{Topic: "app-fk-subscription-registration-topic", Key: []byte("x"), Value: []byte("\x80\x02k"), Timestamp: 5}); err != nil {
		t.Fatal(err)
	}
	written := d.TakeWritten()
	answers := written["app-fk-subscription-response-topic"]
	if len(answers) != 1 || answers[0].Partition != -1 || string(answers[0].Key) != "k" || string(answers[0].Value) != "\x80" {
		t.Errorf("answers %+v", answers)
	}
	if out := written["out"]; len(out) != 1 || out[0].Value != nil {
		t.Errorf("results %+v", out)
	}
	if log := written["app-fk-subscription-store-changelog"]; len(log) != 1 || string(log[0].Value) != "\x80\x02k" {
		t.Errorf("changelog %+v", log)
	}
}

func TestForeignPartitioners(t *testing.T) {
	at := func(to ...int32) processor.Partitioner[string, struct{}] {
		return func(_ string, rec processor.Record[string, struct{}], _ int32) ([]int32, bool) { return to, to == nil }
	}
	run := func(p, other processor.Partitioner[string, struct{}]) (map[string][]testdriver.Record, error) {
		d := driverOf(t, joinOf(func(a, b texts) texts {
			return ktable.LeftJoinForeign(a, b, reference, plusLeft, with.Name("fk"), with.Partitioner(p), with.OtherPartitioner(other))
		}), processor.Config{ApplicationID: "app"})
		err := d.Pipe(testdriver.Record{Topic: "A", Key: []byte("k"), Value: []byte("1-x")})
		return d.TakeWritten(), err
	}
	written, err := run(at(0), at())
	if err != nil {
		t.Fatal(err)
	}
	question, answer := written["app-fk-subscription-registration-topic"], written["app-fk-subscription-response-topic"]
	if len(question) != 1 || question[0].Partition != -1 || len(answer) != 1 || answer[0].Partition != 0 {
		t.Errorf("question %+v, answer %+v", question, answer)
	}
	if _, err := run(at(0), at(0, 1)); err == nil || !strings.Contains(err.Error(), "chose 2 partitions for topic app-fk-subscription-registration-topic, want one") {
		t.Errorf("two partitions: %v", err)
	}
}

// TestHeadersOfSubscriptions sees that the changelog of subscriptions carries
// the headers of the left row, and answers those of what caused them.
func TestHeadersOfSubscriptions(t *testing.T) {
	program := joinOf(func(a, b texts) texts { return ktable.JoinForeign(a, b, reference, plus, with.Name("fk")) })
	for _, memory := range []bool{false, true} {
		d := driverOf(t, program, processor.Config{ApplicationID: "app", InMemoryStores: memory})
		pipe := func(topic, key, value, header string) map[string][]testdriver.Record {
			t.Helper()
			r := testdriver.Record{Topic: topic, Key: []byte(key), Value: orNil(value), Timestamp: 1, Headers: headerOf(header)}
			if err := d.Pipe(r); err != nil {
				t.Fatal(err)
			}
			return d.TakeWritten()
		}
		check := func(written map[string][]testdriver.Record, want map[string]string) {
			t.Helper()
			for topic, header := range want {
				list := written[topic]
				if len(list) != 1 {
					t.Errorf("%s: %d records", topic, len(list))
				} else if d := cmp.Diff(headerOf(header), list[0].Headers); d != "" {
					t.Errorf("%s: headers (-want +got)\n%s", topic, d)
				}
			}
		}
		check(pipe("A", "k", "1-x", "left"), map[string]string{
			"app-fk-subscription-registration-topic": "left", "app-fk-subscription-store-changelog": "left"})
		check(pipe("B", "x", "b", "right"), map[string]string{"app-fk-subscription-response-topic": "right", "out": "right"})
		check(pipe("A", "k", "null", "gone"), map[string]string{"app-fk-subscription-store-changelog": "gone", "out": "gone"})
	}
}

func headerOf(text string) []record.Header { return []record.Header{{Key: "h", Value: []byte(text)}} }

func TestJoinErrors(t *testing.T) {
	other := kstream.Table[string, string](kstream.NewBuilder(), "B")
	type custom struct{ n int }
	for name, c := range map[string]struct {
		join func(a, b texts)
		text string
	}{
		"builders":        {func(a, _ texts) { ktable.Join(a, other, plus) }, "two builders"},
		"foreign builder": {func(a, _ texts) { ktable.JoinForeign(a, other, reference, plus) }, "two builders"},
		"function":        {func(a, b texts) { ktable.LeftJoin[string, string, string, string](a, b, nil) }, "LeftJoin: the function is nil"},
		"extractor": {func(a, b texts) { ktable.JoinForeign[string, string, string](a, b, nil, plus) },
			"JoinForeign: the function is nil"},
		"partitioner": {func(a, b texts) { ktable.JoinForeign(a, b, reference, plus, with.Partitioner("x")) }, "the partitioner is a string"},
		"serde": {func(a, b texts) {
			l := ktable.MapValues(a, func(string) custom { return custom{} })
			ktable.JoinForeign(l, b, func(string, custom) (string, bool) { return "", true }, func(custom, string) string { return "" })
		}, "no value serde for ktable_test.custom"},
	} {
		t.Run(name, func(t *testing.T) {
			b := kstream.NewBuilder()
			c.join(kstream.Table[string, string](b, "A"), kstream.Table[string, string](b, "B"))
			_, err := b.Build(processor.Config{})
			if err == nil || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "join_test.go:") {
				t.Errorf("got %v, want %q with its line", err, c.text)
			}
		})
	}
}

// TestExplicitNamesOfJoins lists what the check of explicit naming says of
// joins that are not named.
func TestExplicitNamesOfJoins(t *testing.T) {
	b := kstream.NewBuilder(processor.Config{ExplicitNames: true})
	l, r := kstream.Table[string, string](b, "A", with.Store("a")), kstream.Table[string, string](b, "B", with.Store("b"))
	ktable.Join(l, r, plus, with.NoCache(), with.Serdes(serde.String(), serde.String()))
	_, err := b.Build(processor.Config{})
	var invalid *processor.TopologyError
	if !errors.As(err, &invalid) || !strings.Contains(invalid.Msg, "Following state store(s) has not been named: KTABLE-MERGE-STATE-STORE-0000000004\n") {
		t.Errorf("got %v", err)
	}
}

// TestRetypedJoins joins tables of any.
func TestRetypedJoins(t *testing.T) {
	d := driverOf(t, func(b *kstream.Builder) {
		serdes := with.Serdes(serde.String(), serde.String())
		l := ktable.Retype[any, any](kstream.Table[string, string](b, "A", serdes), dsl.Erased{})
		r := ktable.Retype[any, any](kstream.Table[string, string](b, "B", serdes), dsl.Erased{})
		f := func(l, r any) any { return fmt.Sprint(l, "+", r) }
		same := ktable.Join(l, r, f)
		foreign := ktable.JoinForeign(l, r, func(k, _ any) (any, bool) { return k, true }, f)
		kstream.FromTable(same).To("out", with.Serdes(anySerde{}, anySerde{}))
		kstream.FromTable(foreign).To("out", with.Serdes(anySerde{}, anySerde{}))
	}, processor.Config{})
	send(t, d, "A(k,a)@1")
	if d := cmp.Diff([]string{"(k,a+b)@2", "(k,a+b)@2"}, send(t, d, "B(k,b)@2")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
