package millrace_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/internal/kafka"
)

// fake is a cluster whose insides a test may touch.
type fake struct {
	*cluster
	kafka *kfake.Cluster
	port  int
	dir   string
}

func startFake(t *testing.T, topics map[string]int) *fake {
	t.Helper()
	checkGoroutines(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{port: l.Addr().(*net.TCPAddr).Port, dir: t.TempDir()}
	l.Close()
	f.boot(t)
	for topic, n := range topics {
		if err := f.kafka.CreateTopic(topic, int32(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { f.kafka.Close() })
	f.cluster = connect(t, ctx, f.kafka.ListenAddrs())
	return f
}

func (f *fake) boot(t *testing.T) {
	t.Helper()
	var err error
	f.kafka, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(f.port), kfake.DataDir(f.dir), kfake.MaxVersions(kversion.Stable()),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "100"}))
	if err != nil {
		t.Fatal(err)
	}
}

func TestBrokerRestart(t *testing.T) {
	c := startFake(t, map[string]int{"lines": 2, "word-counts": 2})
	cfg := millrace.Config{ApplicationID: "wc", StateDir: t.TempDir()}
	app := c.start(wordCount(t, cfg), cfg)
	app.await(millrace.Running)
	c.produce("lines", 0, rec{"k", "a b", 1})
	c.awaitTable("word-counts", map[string]string{"a": "1", "b": "1"}, number)
	app.awaitStats("a commit", func(s millrace.Stats) bool { return s.Workers[0].Commits > 0 })
	c.kafka.Close()
	c.boot(t)
	c.produce("lines", 1, rec{"k", "a", 2})
	c.awaitValues("word-counts", number, func(got map[string]string) bool { return got["a"] >= "2" && got["b"] >= "1" })
	app.stop()
}

func TestRestoreOfACompactedChangelog(t *testing.T) {
	c := startFake(t, map[string]int{"lines": 1, "word-counts": 1})
	if err := c.kafka.CreateTopic("wc-counts-changelog", 1, map[string]string{"cleanup.policy": "compact", "segment.bytes": "1"}); err != nil {
		t.Fatal(err)
	}
	cfg := millrace.Config{ApplicationID: "wc", StateDir: t.TempDir(), CacheBytes: millrace.NoCache}
	first := c.start(persistentCount(t, cfg), cfg)
	first.await(millrace.Running)
	now := time.Now().UnixMilli() // the cluster forgets what is old
	for i := range int64(20) {
		c.produce("lines", 0, rec{"a", "1", now + 2*i}, rec{"b", "1", now + 2*i + 1})
	}
	c.awaitTable("word-counts", map[string]string{"a": "20", "b": "20"}, number)
	first.stop()
	// The cluster leaves the last batch as it is; let it be one of its own.
	c.produce("wc-counts-changelog", 0, rec{"last", long(1), now + 50})
	c.kafka.Compact()
	remove(t, cfg.StateDir)
	left := 0
	c.follow("wc-counts-changelog", func(_ kafka.TopicPartition, key, value []byte) bool {
		left++
		return string(key) == "last"
	})
	if left != 3 {
		t.Fatalf("compaction left %d records, want the last of each key", left)
	}
	var seen restores
	cfg.OnRestore = seen.tell
	second := c.start(persistentCount(t, cfg), cfg)
	second.await(millrace.Running)
	c.produce("lines", 0, rec{"a", "1", now + 100}, rec{"b", "1", now + 101})
	c.awaitTable("word-counts", map[string]string{"a": "21", "b": "21"}, number)
	second.stop()
	if e := seen.last(t, "counts"); e.Records != 3 || e.End != 41 {
		t.Errorf("restored %+v", e)
	}
}

func TestRebalanceWhileRestoring(t *testing.T) {
	c := startFake(t, map[string]int{"lines": 4, "word-counts": 4})
	if err := c.kafka.CreateTopic("wc-counts-changelog", 4, nil); err != nil {
		t.Fatal(err)
	}
	const n = 20_000
	for p := range int32(4) {
		var rs []rec
		for i := range n {
			rs = append(rs, rec{fmt.Sprintf("x%d", i%100), long(int64(i)), int64(i)})
		}
		c.produce("wc-counts-changelog", p, rs...)
	}
	cfg := millrace.Config{ApplicationID: "wc"}
	a, b := cfg, cfg
	a.StateDir, b.StateDir = t.TempDir(), t.TempDir()
	var once sync.Once
	begun := make(chan struct{})
	a.OnRestore = func(e millrace.RestoreEvent) {
		if e.Phase == millrace.RestoreBatch {
			once.Do(func() { close(begun) })
		}
	}
	first := c.start(persistentCount(t, cfg), a)
	<-begun
	second := c.start(persistentCount(t, cfg), b)
	first.awaitStats("half of the tasks", func(s millrace.Stats) bool { return tasksOf(s) == 2 })
	second.awaitStats("half of the tasks", func(s millrace.Stats) bool { return tasksOf(s) == 2 })
	// Counting on from the last value shows that all was restored.
	want := map[string]string{}
	for i := range 100 {
		key := fmt.Sprintf("x%d", i)
		for p := range int32(4) {
			c.produce("lines", p, rec{key, "1", int64(i)})
		}
		want[key] = fmt.Sprint(n - 100 + i + 1)
	}
	counts := map[string]int{}
	c.follow("word-counts", func(_ kafka.TopicPartition, key, value []byte) bool {
		if number(value) != want[string(key)] {
			t.Errorf("%s is %s, want %s", key, number(value), want[string(key)])
		}
		counts[string(key)]++
		done := 0
		for _, n := range counts {
			done += n
		}
		return done == 400
	})
	if strings.Count(fmt.Sprint(counts), ":4") != 100 {
		t.Errorf("counts %v", counts)
	}
	first.stop()
	second.stop()
}
