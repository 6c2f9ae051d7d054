package millrace_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	_ "github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/with"
)

// persistentCount counts keys in one sub-topology with a store on disk.
func persistentCount(t *testing.T, cfg millrace.Config) *processor.Topology {
	t.Helper()
	b := kstream.NewBuilder()
	counts := kstream.Count(kstream.From[string, string](b, "lines").GroupByKey(), with.Store("counts"), with.Persistent())
	kstream.FromTable(counts).To("word-counts")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

// restores collects what OnRestore tells.
type restores struct {
	mu     sync.Mutex
	events []millrace.RestoreEvent
}

func (r *restores) tell(e millrace.RestoreEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// last returns what the last restore of the store has read.
func (r *restores) last(t *testing.T, store string) millrace.RestoreEvent {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	started := 0
	var end millrace.RestoreEvent
	for _, e := range r.events {
		if e.Store != store {
			continue
		}
		switch e.Phase {
		case millrace.RestoreStarted:
			started++
		case millrace.RestoreEnded:
			started--
			end = e
		}
	}
	if started != 0 || end.Store == "" {
		t.Errorf("restores do not end: %+v", r.events)
	}
	return end
}

func TestRestoreMatrix(t *testing.T) {
	const topic = "wc-counts-changelog"
	tp := kafka.TopicPartition{Topic: topic}
	for _, tt := range []struct {
		name string
		// between changes the world between two runs; the first one counted
		// a:2, b:1, c:1 with 4 updates in the changelog.
		between func(c *cluster, dir string)
		// records the second run reads back, from an offset.
		records, from int64
		// want after one more a, b and c.
		want map[string]string
	}{
		{"in sync", func(*cluster, string) {}, 0, 4, map[string]string{"a": "3", "b": "2", "c": "2"}},
		{"state directory lost", func(c *cluster, dir string) { remove(c.t, dir) }, 4, 0, map[string]string{"a": "3", "b": "2", "c": "2"}},
		{"changelog went on", func(c *cluster, _ string) {
			c.produce(topic, 0, rec{"b", long(10), 50}, rec{"c", "", 60})
		}, 2, 4, map[string]string{"a": "3", "b": "11", "c": "1"}},
		{"log start before the checkpoint", func(c *cluster, _ string) { c.deleteBefore(tp, 2) }, 0, 4, map[string]string{"a": "3", "b": "2", "c": "2"}},
		{"log start past the checkpoint", func(c *cluster, _ string) {
			c.produce(topic, 0, rec{"x", long(1), 50}, rec{"a", long(7), 60})
			c.deleteBefore(tp, 5)
		}, 1, 5, map[string]string{"a": "8", "b": "1", "c": "1"}},
		{"log start moved, state directory lost", func(c *cluster, dir string) {
			remove(c.t, dir)
			c.deleteBefore(tp, 2)
		}, 2, 2, map[string]string{"a": "3", "b": "1", "c": "2"}},
		{"topic made anew, shorter", func(c *cluster, _ string) {
			if err := c.admin.DeleteTopics(c.ctx, topic); err != nil {
				c.t.Fatal(err)
			}
			if err := c.admin.CreateTopic(c.ctx, topic, 1, -1, nil); err != nil {
				c.t.Fatal(err)
			}
			c.reconnect()
			c.produce(topic, 0, rec{"b", long(5), 1})
		}, 1, 0, map[string]string{"a": "1", "b": "6", "c": "1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startCluster(t, map[string]int{"lines": 1, "word-counts": 1})
			cfg := millrace.Config{ApplicationID: "wc", StateDir: t.TempDir(), CacheBytes: millrace.NoCache}
			// A broker deletes records of this topic only if its policy allows it.
			if err := c.admin.CreateTopic(c.ctx, topic, 1, -1, map[string]string{"cleanup.policy": "compact,delete"}); err != nil {
				t.Fatal(err)
			}
			var empty, seen restores
			cfg.OnRestore = empty.tell
			first := c.start(persistentCount(t, cfg), cfg)
			first.await(millrace.Running)
			c.produce("lines", 0, rec{"a", "1", 1}, rec{"b", "1", 2}, rec{"a", "1", 3}, rec{"c", "1", 4})
			c.awaitTable("word-counts", map[string]string{"a": "2", "b": "1", "c": "1"}, number)
			first.stop()
			if e := empty.last(t, "counts"); e.Records != 0 || e.End != 0 {
				t.Errorf("the first start restored %+v", e)
			}
			tt.between(c, cfg.StateDir)
			cfg.OnRestore = seen.tell
			second := c.start(persistentCount(t, cfg), cfg)
			second.await(millrace.Running)
			c.produce("lines", 0, rec{"a", "1", 10}, rec{"b", "1", 11}, rec{"c", "1", 12})
			c.awaitTable("word-counts", tt.want, number)
			second.stop()
			if e := seen.last(t, "counts"); e.Records != tt.records || e.Start != tt.from {
				t.Errorf("restored %+v, want %d records from %d", e, tt.records, tt.from)
			}
		})
	}
}

func remove(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "wc", "0_0")); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) deleteBefore(tp kafka.TopicPartition, offset int64) {
	c.t.Helper()
	if err := c.admin.DeleteRecords(c.ctx, map[kafka.TopicPartition]int64{tp: offset}); err != nil {
		c.t.Fatal(err)
	}
}

func TestReusedSourceTopicIsRestoredToTheCommit(t *testing.T) {
	c := startCluster(t, map[string]int{"names": 1, "out": 1})
	cfg := millrace.Config{ApplicationID: "table", StateDir: t.TempDir(), Optimize: "all"}
	build := func() *processor.Topology {
		b := kstream.NewBuilder()
		kstream.FromTable(kstream.Table[string, string](b, "names", with.Store("names"), with.InMemory())).To("out")
		topology, err := b.Build(cfg.Topology())
		if err != nil {
			t.Fatal(err)
		}
		return topology
	}
	if text := build().Describe(); !strings.Contains(text, "names") {
		t.Fatal(text)
	}
	app := c.start(build(), cfg)
	app.await(millrace.Running)
	c.produce("names", 0, rec{"a", "1", 1}, rec{"b", "2", 2})
	c.awaitTable("out", map[string]string{"a": "1", "b": "2"}, func(b []byte) string { return string(b) })
	app.stop()
	infos, err := c.admin.DescribeTopics(c.ctx)
	if err != nil || len(infos) != 2 {
		t.Errorf("topics %v, %v; want no changelog", infos, err)
	}
	c.produce("names", 0, rec{"a", "3", 3})
	var seen restores
	cfg.OnRestore = seen.tell
	again := c.start(build(), cfg)
	again.await(millrace.Running)
	c.awaitTable("out", map[string]string{"a": "3", "b": "2"}, func(b []byte) string { return string(b) })
	again.stop()
	if e := seen.last(t, "names"); e.Topic != "names" || e.End != 2 || e.Records != 2 {
		t.Errorf("restored %+v, want the two committed records", e)
	}
}
