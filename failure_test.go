package millrace_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// brittle copies numbers and fails on zero.
func brittle(t *testing.T, cfg millrace.Config) *processor.Topology {
	t.Helper()
	b := kstream.NewBuilder()
	numbers := kstream.FromWith(b, "numbers", serde.String(), serde.Int64())
	checked := kstream.TryMapValues(numbers, func(_ context.Context, n int64) (int64, error) {
		if n == 0 {
			return 0, errZero
		}
		return n, nil
	}, with.Name("check"))
	checked.To("checked")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

var errZero = errors.New("zero is not allowed")

func long(n int64) string {
	return string([]byte{byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

func TestPoisonRecordEndsTheApplication(t *testing.T) {
	for _, tt := range []struct {
		name, value, node string
		is                error
	}{
		{"undecodable", "short", "KSTREAM-SOURCE-0000000000", nil},
		{"user error", long(0), "check", errZero},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startCluster(t, map[string]int{"numbers": 1, "checked": 1})
			cfg := millrace.Config{ApplicationID: "poison"}
			app := c.start(brittle(t, cfg), cfg)
			app.await(millrace.Running)
			c.produce("numbers", 0, rec{"k", long(1), 1}, rec{"k", tt.value, 2})
			err := app.join()
			var failed *millrace.TaskError
			if !errors.As(err, &failed) {
				t.Fatalf("ended with %v, want a TaskError", err)
			}
			if failed.Task != "0_0" || failed.Node != tt.node || failed.Topic != "numbers" || failed.Offset != 1 ||
				tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%+v", failed)
			}
			if s := app.app.State(); s != millrace.Failed {
				t.Errorf("state %s", s)
			}
		})
	}
}

func TestPoisonRecordIsSkippedAndReported(t *testing.T) {
	c := startCluster(t, map[string]int{"numbers": 1, "checked": 1, "dead": 1})
	cfg := millrace.Config{ApplicationID: "poison", DeadLetterTopic: "dead"}
	letter := func(at processor.ErrorContext, err error) processor.Response {
		return processor.Response{Decision: processor.Continue, DeadLetters: []processor.Outgoing{millrace.DeadLetter("dead", at, err)}}
	}
	cfg.OnDeserializationError = letter
	cfg.OnProcessingError = func(at processor.ErrorContext, _ processor.Failing, err error) processor.Response {
		return letter(at, err)
	}
	app := c.start(brittle(t, cfg), cfg)
	app.await(millrace.Running)
	c.produce("numbers", 0, rec{"a", long(1), 1}, rec{"bad", "short", 2}, rec{"zero", long(0), 3}, rec{"b", long(2), 4}, rec{"end", "short", 5})
	c.awaitTable("checked", map[string]string{"a": "1", "b": "2"}, number)
	var dead []string
	c.follow("dead", func(_ kafka.TopicPartition, key, _ []byte) bool {
		dead = append(dead, string(key))
		return len(dead) == 3
	})
	if got := strings.Join(dead, " "); got != "bad zero end" {
		t.Errorf("dead letters %s", got)
	}
	app.awaitStats("the count of dropped records", func(s millrace.Stats) bool { return s.Dropped() == 3 })
	app.stop()
	tp := kafka.TopicPartition{Topic: "numbers"}
	if got, err := c.admin.Committed(c.ctx, "poison", tp); err != nil || got[tp].Offset != 5 {
		t.Errorf("committed %v, %v; want 5, past the skipped last record", got, err)
	}
}

func TestUndeliverableRecord(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprint("continue=", keep), func(t *testing.T) {
			c := startCluster(t, map[string]int{"a": 1, "b": 1})
			cfg := millrace.Config{ApplicationID: "big", MaxRequestBytes: 2000}
			var asked atomic.Int64
			if keep {
				cfg.OnProductionError = func(at processor.ErrorContext, out processor.Outgoing, err error) processor.Response {
					if at.Node == "out" && out.Topic == "b" && string(out.Key) == "big" {
						asked.Add(1)
					}
					return processor.Response{Decision: processor.Continue}
				}
			}
			app := c.start(forward(t, "a", "b"), cfg)
			app.await(millrace.Running)
			c.produce("a", 0, rec{"x", "1", 1}, rec{"big", strings.Repeat("x", 5000), 2}, rec{"y", "2", 3})
			if !keep {
				if err := app.join(); err == nil || !strings.Contains(err.Error(), "send to b") {
					t.Errorf("ended with %v", err)
				}
				return
			}
			c.awaitTable("b", map[string]string{"x": "1", "y": "2"}, func(b []byte) string { return string(b) })
			app.stop()
			if asked.Load() != 1 || app.app.Stats().Dropped() != 1 {
				t.Errorf("handler asked %d times, %d dropped", asked.Load(), app.app.Stats().Dropped())
			}
		})
	}
}

func TestFailedWorkerIsReplaced(t *testing.T) {
	c := startCluster(t, map[string]int{"numbers": 1, "checked": 1})
	cfg := millrace.Config{ApplicationID: "replace"}
	b := kstream.NewBuilder()
	var tries atomic.Int64
	numbers := kstream.FromWith(b, "numbers", serde.String(), serde.Int64())
	kstream.MapValues(numbers, func(n int64) int64 {
		if n == 0 && tries.Add(1) < 3 {
			panic("not yet")
		}
		return n
	}).To("checked")
	topology, err := b.Build(cfg.Topology())
	if err != nil {
		t.Fatal(err)
	}
	var uncaught atomic.Int64
	cfg.OnUncaught = func(err error) millrace.Action {
		var failed *millrace.TaskError
		if errors.As(err, &failed) && failed.Offset == 1 {
			uncaught.Add(1)
		}
		return millrace.ReplaceWorker
	}
	app := c.start(topology, cfg)
	app.await(millrace.Running)
	c.produce("numbers", 0, rec{"a", long(1), 1}, rec{"b", long(0), 2}, rec{"c", long(3), 3})
	c.awaitTable("checked", map[string]string{"a": "1", "b": "0", "c": "3"}, number)
	app.stop()
	if uncaught.Load() != 2 {
		t.Errorf("the handler was asked %d times, want twice", uncaught.Load())
	}
}

func TestOneInstanceEndsAll(t *testing.T) {
	c := startCluster(t, map[string]int{"numbers": 2, "checked": 2})
	cfg := millrace.Config{ApplicationID: "end"}
	cfg.OnUncaught = func(error) millrace.Action { return millrace.ShutdownApplication }
	a := c.start(brittle(t, cfg), cfg)
	a.await(millrace.Running)
	b := c.start(brittle(t, cfg), cfg)
	b.awaitStats("a task", func(s millrace.Stats) bool { return tasksOf(s) == 1 })
	a.awaitStats("a task", func(s millrace.Stats) bool { return tasksOf(s) == 1 })
	c.produce("numbers", 0, rec{"k", long(0), 1})
	errs := []error{a.join(), b.join()}
	var byTask, byOther int
	for _, err := range errs {
		var failed *millrace.TaskError
		switch {
		case errors.As(err, &failed):
			byTask++
		case errors.Is(err, millrace.ErrShutdownRequested):
			byOther++
		}
	}
	if byTask != 1 || byOther != 1 {
		t.Errorf("ended with %v", errs)
	}
}

func TestStartErrorsNameTheCure(t *testing.T) {
	c := startCluster(t, map[string]int{"lines": 2, "word-counts": 2, "wc-counts-repartition": 3, "wrong-counts-changelog": 5})
	if err := c.admin.DeleteTopics(c.ctx, "wrong-counts-repartition"); err != nil {
		t.Fatal(err)
	}
	run := func(topology *processor.Topology, cfg millrace.Config) error {
		t.Helper()
		app := c.start(topology, cfg)
		err := app.join()
		c.revive()
		return err
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := closed.Addr().String()
	closed.Close()
	for _, tt := range []struct {
		name string
		err  func() error
		is   error
		want []string
	}{
		{"missing topic", func() error { return run(forward(t, "nowhere", "b"), millrace.Config{ApplicationID: "app"}) },
			millrace.ErrUnknownTopic, []string{"nowhere", "create"}},
		{"repartition topic with another count", func() error {
			cfg := millrace.Config{ApplicationID: "wc"}
			return run(wordCount(t, cfg), cfg)
		}, nil, []string{"wc-counts-repartition has invalid partitions: expected: 2; actual: 3", "reset"}},
		{"changelog with another count", func() error {
			cfg := millrace.Config{ApplicationID: "wrong"}
			return run(wordCount(t, cfg), cfg)
		}, nil, []string{"wrong-counts-changelog has invalid partitions: expected: 2; actual: 5"}},
		{"nobody listens", func() error {
			saved := c.brokers
			defer func() { c.brokers = saved }()
			c.brokers = []string{nobody}
			return run(forward(t, "lines", "b"), millrace.Config{ApplicationID: "app", ConnectTimeout: 300 * time.Millisecond})
		}, millrace.ErrUnreachable, []string{nobody, "bootstrap.servers"}},
		{"different counts of joined topics", func() error {
			topology := forward(t, "lines", "b")
			if err := processor.AddSource(topology, "other", serde.String(), serde.String(), []string{"wc-counts-repartition"}); err != nil {
				t.Fatal(err)
			}
			topology.Copartition("in", "other")
			return run(topology, millrace.Config{ApplicationID: "app"})
		}, nil, []string{"Topics not co-partitioned", "lines=2", "wc-counts-repartition=3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.err()
			if err == nil {
				t.Fatal("no error")
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is no %v", err, tt.is)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
}

func TestStateDirErrors(t *testing.T) {
	c := startCluster(t, map[string]int{"lines": 1, "word-counts": 1})
	cfg := millrace.Config{ApplicationID: "wc", StateDir: t.TempDir()}
	first := c.start(persistentCount(t, cfg), cfg)
	first.await(millrace.Running)
	second := c.start(persistentCount(t, cfg), cfg)
	if err := second.join(); !errors.Is(err, millrace.ErrStateDirLocked) || !strings.Contains(err.Error(), cfg.StateDir) {
		t.Errorf("a second instance on the state directory gave %v", err)
	}
	c.revive()
	first.stop()
	data, err := os.ReadFile(filepath.Join(cfg.StateDir, "wc", "kafka-streams-process-metadata"))
	if err != nil || !strings.Contains(string(data), `{"processId":"`) {
		t.Errorf("process metadata %s, %v", data, err)
	}

	t.Log("a file stands where the directory should be")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.StateDir = file
	third := c.start(persistentCount(t, cfg), cfg)
	var path *fs.PathError
	if err := third.join(); !errors.As(err, &path) || !strings.Contains(err.Error(), "StateDir (state.dir)") {
		t.Errorf("an unusable state directory gave %v", err)
	}
}
