package millrace_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

func str(b []byte) string { return string(b) }

func TestInputsAreProcessedInTheOrderOfTime(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1, "b": 1, "out": 1})
	for i := range int64(50) {
		c.produce("a", 0, rec{"a", fmt.Sprint(2 * i), 2 * i})
		c.produce("b", 0, rec{"b", fmt.Sprint(2*i + 1), 2*i + 1})
	}
	cfg := millrace.Config{ApplicationID: "merge"}
	b := kstream.NewBuilder()
	kstream.From[string, string](b, "a").Merge(kstream.From[string, string](b, "b")).To("out")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	app := c.start(topology, cfg)
	n := 0
	c.follow("out", func(_ kafka.TopicPartition, _, value []byte) bool {
		if string(value) != fmt.Sprint(n) {
			t.Errorf("record %d is %s", n, value)
		}
		n++
		return n == 100
	})

	t.Log("an input without any record does not hold up the other")
	c.produce("a", 0, rec{"a", "alone", 200})
	c.follow("out", func(_ kafka.TopicPartition, _, value []byte) bool { return string(value) == "alone" })
	app.stop()
}

func TestInputThatNeverHadRecordsIsNotWaitedFor(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1, "b": 1, "out": 1})
	cfg := millrace.Config{ApplicationID: "merge"}
	b := kstream.NewBuilder()
	kstream.From[string, string](b, "a").Merge(kstream.From[string, string](b, "b")).To("out")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	c.produce("a", 0, rec{"a", "1", 1})
	app := c.start(topology, cfg)
	c.awaitTable("out", map[string]string{"a": "1"}, str)
	app.stop()
}

func TestPatternSubscription(t *testing.T) {
	c := startCluster(t, map[string]int{"in-a": 1, "in-b": 2, "other": 1, "out": 1})
	cfg := millrace.Config{ApplicationID: "pattern", MetadataMaxAge: 200 * time.Millisecond}
	b := kstream.NewBuilder()
	kstream.FromPattern[string, string](b, "in-.").To("out")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	app := c.start(topology, cfg)
	app.awaitStats("both tasks", func(s millrace.Stats) bool { return tasksOf(s) == 2 })
	c.produce("in-a", 0, rec{"a", "1", 1})
	c.produce("in-b", 1, rec{"b", "2", 2})
	c.produce("other", 0, rec{"x", "3", 3})
	c.awaitTable("out", map[string]string{"a": "1", "b": "2"}, str)

	t.Log("a topic that comes later is found")
	if err := c.admin.CreateTopic(c.ctx, "in-c", 3, -1, nil); err != nil {
		t.Fatal(err)
	}
	app.awaitStats("a third task", func(s millrace.Stats) bool { return tasksOf(s) == 3 })
	c.produce("in-c", 0, rec{"c", "4", 4})
	c.produce("in-c", 2, rec{"d", "5", 5})
	c.awaitTable("out", map[string]string{"a": "1", "b": "2", "c": "4", "d": "5"}, str)
	app.stop()
}

func TestGlobalTable(t *testing.T) {
	c := startCluster(t, map[string]int{"names": 3, "ids": 1, "out": 1})
	for p := range int32(3) {
		c.produce("names", p, rec{fmt.Sprint("k", p), "old", 1}, rec{fmt.Sprint("k", p), fmt.Sprint("name", p), 2})
	}
	cfg := millrace.Config{ApplicationID: "global", StateDir: t.TempDir()}
	var seen restores
	cfg.OnRestore = seen.tell
	b := kstream.NewBuilder()
	names := statestore.NewTimestamped("names", serde.String(), serde.String())
	kstream.GlobalTable[string, string](b, "names", with.Store("names"), with.InMemory())
	ids := kstream.From[string, string](b, "ids")
	kstream.ProcessFunc(ids, func(ctx *processor.Context[string, string], r processor.Record[string, string]) error {
		store, err := names.In(ctx)
		if err != nil {
			return err
		}
		name, ok, err := store.Get(r.Key)
		if !ok {
			name.Value = "unknown"
		}
		if err != nil {
			return err
		}
		return ctx.Forward(processor.WithValue(r, name.Value))
	}).To("out")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	app := c.start(topology, cfg)
	c.produce("ids", 0, rec{"k0", "?", 1}, rec{"k2", "?", 2}, rec{"k9", "?", 3})
	c.awaitTable("out", map[string]string{"k0": "name0", "k2": "name2", "k9": "unknown"}, str)

	t.Log("updates arrive while it runs")
	c.produce("names", 1, rec{"k9", "nine", 4}, rec{"k0", "", 5})
	for ts, got := int64(10), ""; got != "nine unknown"; ts++ {
		if c.ctx.Err() != nil {
			t.Fatalf("the updates do not arrive, last seen %s", got)
		}
		c.produce("ids", 0, rec{"k9", "?", ts}, rec{"k0", "?", ts})
		row, n := map[string]string{}, int64(0)
		c.follow("out", func(_ kafka.TopicPartition, key, value []byte) bool {
			row[string(key)] = string(value)
			n++
			return n == 3+2*(ts-9)
		})
		got = row["k9"] + " " + row["k0"]
	}
	app.stop()
	if e := seen.last(t, "names"); e.Task != "-1_-1" || e.Records != 2 {
		t.Errorf("restore of the global store %+v", e)
	}
}

func TestPunctuators(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1, "out": 1})
	cfg := millrace.Config{ApplicationID: "tick"}
	b := kstream.NewBuilder()
	in := kstream.From[string, string](b, "a")
	kstream.Process(in, func() *ticker { return &ticker{} }).To("out")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	app := c.start(topology, cfg)
	var once sync.Once
	got := map[string]bool{}
	c.produce("a", 0, rec{"k", "v", 5_000})
	c.follow("out", func(_ kafka.TopicPartition, key, value []byte) bool {
		got[string(key)+" "+string(value)] = true
		once.Do(func() { c.produce("a", 0, rec{"k", "v", 25_000}) })
		return got["stream 5000"] && got["stream 25000"] && got["wall tick"]
	})
	app.stop()
}

// ticker forwards a record whenever a punctuator fires.
type ticker struct{ processor.Base[string, string] }

func (k *ticker) Init(ctx *processor.Context[string, string]) error {
	send := func(key, value string) error {
		return ctx.Forward(processor.Record[string, string]{Key: key, Value: value})
	}
	if _, err := ctx.Every(10*time.Second, processor.StreamTime, func(now int64) error { return send("stream", fmt.Sprint(now)) }); err != nil {
		return err
	}
	_, err := ctx.Every(5*time.Millisecond, processor.WallClock, func(int64) error { return send("wall", "tick") })
	return err
}

func (k *ticker) Process(*processor.Context[string, string], processor.Record[string, string]) error {
	return nil
}

func TestLittleMemoryLosesNothing(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 2, "b": 2, "out": 2})
	const n = 5000
	for p := range int32(2) {
		var as, bs []rec
		for i := range int64(n) {
			as = append(as, rec{fmt.Sprint("a", p), fmt.Sprint(i), i})
			bs = append(bs, rec{fmt.Sprint("b", p), fmt.Sprint(i), n + i}) // all later than those of a
		}
		c.produce("b", p, bs...)
		c.produce("a", p, as...)
	}
	cfg := millrace.Config{ApplicationID: "small", BufferedBytes: 10_000, BufferedRecordsPerPartition: 10, MaxPartitionFetchBytes: 10_000}
	b := kstream.NewBuilder()
	kstream.From[string, string](b, "a").Merge(kstream.From[string, string](b, "b")).To("out")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	app := c.start(topology, cfg)
	next := map[string]int{}
	total := 0
	c.follow("out", func(_ kafka.TopicPartition, key, value []byte) bool {
		k := string(key)
		if string(value) != fmt.Sprint(next[k]) {
			t.Fatalf("%s: got %s, want %d", k, value, next[k])
		}
		if k[0] == 'b' && next["a"+k[1:]] != n {
			t.Fatalf("%s %s came before the earlier records of a", k, value)
		}
		next[k]++
		total++
		return total == 4*n
	})
	app.stop()
}

func TestRepartitionTopicIsPurged(t *testing.T) {
	c := startCluster(t, map[string]int{"lines": 1, "word-counts": 1})
	cfg := millrace.Config{ApplicationID: "wc", StateDir: t.TempDir(), PurgeInterval: time.Millisecond}
	app := c.start(wordCount(t, cfg), cfg)
	app.await(millrace.Running)
	tp := kafka.TopicPartition{Topic: "wc-counts-repartition"}
	for i := 1; ; i++ {
		c.produce("lines", 0, rec{"k", "a", int64(i)})
		c.awaitTable("word-counts", map[string]string{"a": fmt.Sprint(i)}, number)
		starts, err := c.admin.ListOffsets(c.ctx, kafka.Earliest, tp)
		if err != nil {
			t.Fatal(err)
		}
		if starts[tp] > 0 {
			break
		}
	}
	app.stop()
}
