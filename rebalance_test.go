package millrace_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/kafka"
)

// tasksOf counts the running tasks, or -1 while some are not.
func tasksOf(s millrace.Stats) int {
	n := 0
	for _, w := range s.Workers {
		for _, t := range w.Tasks {
			if t.State != "RUNNING" {
				return -1
			}
			n++
		}
	}
	return n
}

func TestTwoInstancesShareAndTakeOver(t *testing.T) {
	c := startCluster(t, map[string]int{"lines": 4, "word-counts": 4})
	cfg := millrace.Config{ApplicationID: "wc", SessionTimeout: 2 * time.Second}
	var mu sync.Mutex
	restored := map[string]int64{}
	config := func(name string) millrace.Config {
		own := cfg
		own.StateDir = t.TempDir()
		own.OnRestore = func(e millrace.RestoreEvent) {
			mu.Lock()
			defer mu.Unlock()
			if e.Phase == millrace.RestoreEnded {
				restored[name] += e.Records
			}
		}
		return own
	}
	a := c.start(wordCount(t, cfg), config("a"))
	a.awaitStats("all tasks", func(s millrace.Stats) bool { return tasksOf(s) == 8 })
	want := map[string]string{}
	for i := range 20 {
		word := fmt.Sprintf("w%d", i)
		c.produce("lines", int32(i%4), rec{"k", word + " " + word, int64(i)})
		want[word] = "2"
	}
	c.awaitTable("word-counts", want, number)

	t.Log("a second instance gets half of the tasks with their state")
	b := c.start(wordCount(t, cfg), config("b"))
	b.awaitStats("half of the tasks", func(s millrace.Stats) bool { return tasksOf(s) == 4 })
	a.awaitStats("half of the tasks", func(s millrace.Stats) bool { return tasksOf(s) == 4 })
	both := slices.Concat(sortedTasks(a.app.Stats()), sortedTasks(b.app.Stats()))
	slices.Sort(both)
	all := slices.Sorted(slices.Values(slices.Concat(taskNames("0_%d RUNNING", 4), taskNames("1_%d RUNNING", 4))))
	if !slices.Equal(both, all) {
		t.Fatalf("tasks %v, want %v", both, all)
	}
	for i := range 20 {
		c.produce("lines", int32(i%4), rec{"k", fmt.Sprintf("w%d", i), 100})
	}
	for word := range want {
		want[word] = "3"
	}
	c.awaitTable("word-counts", want, number)

	t.Log("the first dies without a commit; the second takes over and counts on")
	a.app.Abort()
	if err := a.join(); err == nil {
		t.Error("an aborted application returned no error")
	}
	c.revive()
	b.awaitStats("all tasks", func(s millrace.Stats) bool { return tasksOf(s) == 8 })
	for i := range 20 {
		c.produce("lines", int32(i%4), rec{"k", fmt.Sprintf("w%d", i), 200})
	}
	// At least once: what the dead instance had not committed is counted again.
	c.awaitValues("word-counts", number, func(got map[string]string) bool {
		for word := range want {
			if got[word] < "4" {
				return false
			}
		}
		return maps.Equal(keys(got), keys(want))
	})
	b.stop()
	mu.Lock()
	defer mu.Unlock()
	if restored["b"] == 0 {
		t.Error("the second instance restored nothing")
	}
}

func keys(m map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

func TestCleanEndHandsOverAtOnce(t *testing.T) {
	c := startCluster(t, map[string]int{"lines": 2, "word-counts": 2})
	cfg := millrace.Config{ApplicationID: "wc", Workers: 2}
	a, b := cfg, cfg
	a.StateDir, b.StateDir = t.TempDir(), t.TempDir()
	first := c.start(wordCount(t, cfg), a)
	first.awaitStats("two tasks for each worker", func(s millrace.Stats) bool {
		return tasksOf(s) == 4 && len(s.Workers) == 2 && len(s.Workers[0].Tasks) == 2
	})
	second := c.start(wordCount(t, cfg), b)
	second.awaitStats("half of the tasks", func(s millrace.Stats) bool { return tasksOf(s) == 2 })
	c.produce("lines", 0, rec{"k", "x y", 1}, rec{"k", "x", 2})
	c.awaitTable("word-counts", map[string]string{"x": "2", "y": "1"}, number)
	first.stop()
	second.awaitStats("all tasks", func(s millrace.Stats) bool { return tasksOf(s) == 4 })
	c.produce("lines", 0, rec{"k", "x y", 3})
	c.awaitTable("word-counts", map[string]string{"x": "3", "y": "2"}, number)
	second.stop()
	// A clean end repeats nothing: each update was written once.
	var updates []string
	c.follow("word-counts", func(_ kafka.TopicPartition, key, value []byte) bool {
		updates = append(updates, string(key)+number(value))
		return len(updates) >= 5 || string(key) == "y" && number(value) == "2" && slices.Contains(updates, "x3")
	})
	if slices.Sort(updates); len(slices.Compact(slices.Clone(updates))) != len(updates) {
		t.Errorf("updates repeated: %v", updates)
	}
}

func TestCommitCarriesTheTime(t *testing.T) {
	c := startCluster(t, map[string]int{"a": 1, "b": 1})
	app := c.start(forward(t, "a", "b"), millrace.Config{ApplicationID: "fw"})
	app.await(millrace.Running)
	c.produce("a", 0, rec{"k", "1", 7_000}, rec{"k", "2", 5_000})
	n := 0
	c.follow("b", func(kafka.TopicPartition, []byte, []byte) bool { n++; return n == 2 })
	app.stop()
	tp := kafka.TopicPartition{Topic: "a"}
	got, err := c.admin.Committed(c.ctx, "fw", tp)
	if err != nil {
		t.Fatal(err)
	}
	meta, err := changelog.DecodeOffsetMetadata(got[tp].Metadata)
	if err != nil || got[tp].Offset != 2 || meta.PartitionTime != 7_000 {
		t.Errorf("committed %+v with %+v, %v; want offset 2 and time 7000", got[tp], meta, err)
	}
}
