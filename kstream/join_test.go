package kstream_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	_ "github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// joining makes a join of two streams.
type joining func(l, r stream, w window.Join, opts ...with.Join) stream

func or(v string, has bool) string {
	if !has {
		return "null"
	}
	return v
}

func inner(l, r stream, w window.Join, opts ...with.Join) stream {
	return kstream.Join(l, r, func(l, r string) string { return l + "+" + r }, w, opts...)
}

func left(l, r stream, w window.Join, opts ...with.Join) stream {
	return kstream.LeftJoin(l, r, func(l, r string, has bool) string { return l + "+" + or(r, has) }, w, opts...)
}

func outer(l, r stream, w window.Join, opts ...with.Join) stream {
	return kstream.OuterJoin(l, r, func(l string, hasL bool, r string, hasR bool) string { return or(l, hasL) + "+" + or(r, hasR) }, w, opts...)
}

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// joinTrace is inputs to a join, each "side(key,value)@time", and after "→" what
// Java 4.3.1 sends for it.
type joinTrace struct {
	join    joining
	window  window.Join
	steps   []string
	dropped int64
	// expired is what a store in memory drops besides: only there a record that
	// is too old to be kept is counted.
	expired int64
}

var joinTraces = map[string]joinTrace{
	"asymmetric window": {join: inner, window: window.Within(0).Before(ms(2)).After(ms(5)), steps: []string{
		"L(a,l)@10 →", "R(a,7)@7 →", "R(a,8)@8 → (a,l+8)@10", "R(a,15)@15 → (a,l+15)@15", "R(a,16)@16 →",
		"L(a,m)@17 → (a,m+15)@17 (a,m+16)@17",
	}},
	"order of the other side's records": {join: inner, window: window.Within(ms(5)), steps: []string{
		"R(a,1)@4 →", "R(a,2)@2 →", "R(a,3)@2 →", "R(b,4)@2 →", "L(a,l)@3 → (a,l+2)@3 (a,l+3)@3 (a,l+1)@4",
	}},
	"inner join drops nulls": {join: inner, window: window.Within(ms(5)), dropped: 4, steps: []string{
		"L(null,l)@1 →", "L(a,null)@1 →", "R(null,r)@1 →", "R(a,null)@1 →", "L(a,l)@1 →", "R(a,r)@1 → (a,l+r)@1",
	}},
	"left join of nulls": {join: left, window: window.Within(ms(5)), dropped: 3, steps: []string{
		"L(null,l)@1 → (null,l+null)@1", "L(a,null)@1 →", "R(null,r)@1 →", "R(a,null)@1 →",
	}},
	"outer join of nulls": {join: outer, window: window.Within(ms(5)), dropped: 3, steps: []string{
		"L(null,l)@1 → (null,l+null)@1", "L(a,null)@1 →", "R(null,r)@1 → (null,null+r)@1", "R(a,null)@1 →", "L(null,null)@1 →",
	}},
	"outside the window but within grace": {join: left, window: window.Within(ms(5)).Grace(ms(3)), expired: 1, steps: []string{
		"L(a,l1)@10 →", "L(b,l2)@18 →", "L(c,l3)@19 → (a,l1+null)@10", "R(a,r1)@12 → (a,l1+r1)@12", "L(d,l4)@5 → (d,l4+null)@5",
	}},
	"right before left": {join: outer, window: window.Within(ms(5)), steps: []string{
		"L(a,l1)@10 →", "R(b,r1)@10 →", "R(c,r2)@9 →", "L(d,l2)@15 → (c,null+r2)@9", "L(d,l3)@16 → (b,null+r1)@10 (a,l1+null)@10",
	}},
	"the smallest time is the last one seen": {join: left, window: window.Within(ms(5)), steps: []string{
		"L(a,la)@0 →", "L(b,lb)@2 →", "L(c,lc)@4 →", "R(z,x)@6 → (a,la+null)@0", "R(z,x)@7 →", "R(z,x)@8 →", "R(z,x)@9 →",
		"R(z,x)@10 → (b,lb+null)@2 (c,lc+null)@4",
	}},
	"no test for lateness": {join: inner, window: window.Within(ms(5)), steps: []string{
		"R(a,r10)@10 →", "R(a,r18)@18 →", "L(a,l9)@9 → (a,l9+r10)@10", "L(a,l8)@8 → (a,l8+r10)@10", "R(a,r20)@20 →", "L(a,l5)@5 →",
	}},
	"dropped records advance the time": {join: left, window: window.Within(ms(5)), dropped: 1, steps: []string{
		"L(a,la)@0 →", "R(z,null)@20 →", "L(b,lb)@3 → (b,lb+null)@3", "L(c,lc)@20 → (a,la+null)@0",
	}},
	"a match removes all of its key and time": {join: left, window: window.Within(ms(5)), steps: []string{
		"L(a,1)@10 →", "L(a,2)@10 →", "L(a,3)@12 →", "L(b,4)@10 →", "R(a,r)@6 → (a,1+r)@10 (a,2+r)@10",
		"L(z,z)@30 → (b,4+null)@10 (a,3+null)@12",
	}},
	"the scan ends within a row": {join: outer, window: window.Within(ms(5)).Before(ms(15)), steps: []string{
		"R(d,1)@0 →", "L(x,2)@0 →", "L(a,3)@2 →", "L(a,4)@2 →", "R(c,5)@6 →", "L(y,6)@6 → (x,2+null)@0",
		"L(w,7)@9 → (a,3+null)@2 (a,4+null)@2",
	}},
	"duplicates without a partner": {join: left, window: window.Within(ms(5)), steps: []string{
		"L(a,1)@10 →", "L(a,2)@10 →", "L(z,z)@30 → (a,1+null)@10 (a,2+null)@10", "L(z,z)@60 → (z,z+null)@30",
	}},
}

func TestJoinTraces(t *testing.T) {
	for name, c := range joinTraces {
		for _, backend := range []string{"memory", "disk"} {
			t.Run(name+" in "+backend, func(t *testing.T) {
				b := kstream.NewBuilder(processor.Config{InMemoryStores: backend == "memory"})
				c.join(in(b, "L"), in(b, "R"), c.window).To("out")
				d := startDriver(t, b, processor.Config{})
				for _, step := range c.steps {
					input, want, _ := strings.Cut(step, "→")
					if d := cmp.Diff(strings.Fields(want), pipe(t, d, strings.TrimSpace(input))); d != "" {
						t.Errorf("%s (-want +got)\n%s", input, d)
					}
				}
				dropped := c.dropped
				if backend == "memory" {
					dropped += c.expired
				}
				if d.Dropped() != dropped {
					t.Errorf("%d records dropped, want %d", d.Dropped(), dropped)
				}
			})
		}
	}
}

// describe describes a program that has been built.
func describe(t *testing.T, b builder) string {
	t.Helper()
	topology, err := b.Build(processor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return topology.Describe()
}

func startDriver(t *testing.T, b builder, config processor.Config) *testdriver.Driver {
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

// pipe writes "topic(key,value)@time" and returns what comes out of the topic
// out in the same manner.
func pipe(t *testing.T, d *testdriver.Driver, input string) []string {
	t.Helper()
	var r testdriver.Record
	var rest string
	topic, rest, _ := strings.Cut(input, "(")
	pair, ts, _ := strings.Cut(rest, ")@")
	k, v, _ := strings.Cut(pair, ",")
	if _, err := fmt.Sscan(ts, &r.Timestamp); err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	r.Topic, r.Key, r.Value = topic, bytesOf(k), bytesOf(v)
	d.TakeWritten()
	if err := d.Pipe(r); err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	out := []string{}
	for _, r := range d.TakeWritten()["out"] {
		out = append(out, fmt.Sprintf("(%s,%s)@%d", textOf(r.Key), textOf(r.Value), r.Timestamp))
	}
	return out
}

func bytesOf(text string) []byte {
	if text == "null" {
		return nil
	}
	return []byte(text)
}

func textOf(data []byte) string {
	if data == nil {
		return "null"
	}
	return string(data)
}

// TestSelfJoin joins a stream with itself over two stores and over one: the
// results are the same.
func TestSelfJoin(t *testing.T) {
	for name, w := range map[string]window.Join{
		"symmetric": window.Within(ms(10)), "before": window.Within(0).Before(ms(10)),
		"grace": window.Within(ms(5)).Grace(ms(20)),
	} {
		t.Run(name, func(t *testing.T) {
			var results [][]string
			for _, optimize := range []string{"none", "single.store.self.join"} {
				b := kstream.NewBuilder()
				s := in(b, "in")
				inner(s, s, w).To("out")
				d := startDriver(t, b, processor.Config{Optimize: optimize})
				if text := describe(t, b); strings.Contains(text, "KSTREAM-JOINOTHER") != (optimize == "none") {
					t.Errorf("%s:\n%s", optimize, text)
				}
				var all []string
				for i, input := range []string{"in(a,1)@1", "in(a,2)@5", "in(b,3)@6", "in(a,4)@30", "in(a,5)@22", "in(a,6)@30", "in(null,7)@31", "in(a,null)@32", "in(a,8)@2", "in(a,9)@29"} {
					for _, r := range pipe(t, d, input) {
						all = append(all, fmt.Sprint(i, r))
					}
				}
				results = append(results, all)
			}
			if len(results[0]) < 5 {
				t.Errorf("only %v", results[0])
			}
			if d := cmp.Diff(results[0], results[1]); d != "" {
				t.Errorf("(-two stores +one store)\n%s", d)
			}
		})
	}
}
