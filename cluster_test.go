package millrace_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/millrace/millrace"
	"github.com/millrace/millrace/compat-tests/broker"
	"github.com/millrace/millrace/internal/devcluster"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/processor"
)

// patience bounds every wait of these tests; nothing is expected to take as
// long.
const patience = 40 * time.Second

// cluster is a broker and what tests do with it.
type cluster struct {
	t        *testing.T
	ctx      context.Context
	brokers  []string
	admin    *kafka.Admin
	producer *kafka.Producer
	// failed ends when an application has failed that should not.
	failed context.Context
	fail   context.CancelFunc
}

// realBroker makes the tests run on Apache Kafka itself instead of the cluster
// in the process, but for those that reach into its insides.
var realBroker = os.Getenv("MILLRACE_REQUIRE_JVM") == "1"

func TestMain(m *testing.M) { os.Exit(broker.Main(m)) }

func startCluster(t *testing.T, topics map[string]int) *cluster {
	t.Helper()
	checkGoroutines(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	t.Cleanup(cancel)
	if realBroker {
		c := connect(t, ctx, broker.Shared(t))
		for topic, n := range topics {
			if err := c.admin.CreateTopic(ctx, topic, n, -1, nil); err != nil {
				t.Fatal(err)
			}
		}
		c.awaitTopics(slices.Collect(maps.Keys(topics)))
		return c
	}
	c, err := devcluster.Start(ctx, devcluster.Options{Topics: topics, Configs: map[string]string{"group.min.session.timeout.ms": "100"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return connect(t, ctx, c.Brokers())
}

// awaitTopics waits until the broker has heard from its controller of topics
// that were made.
func (c *cluster) awaitTopics(names []string) {
	c.t.Helper()
	if len(names) == 0 {
		return
	}
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		infos, err := c.admin.DescribeTopics(c.ctx, names...)
		if err != nil {
			c.t.Fatal(err)
		}
		if len(infos) == len(names) {
			return
		}
		select {
		case <-ticker.C:
		case <-c.ctx.Done():
			c.t.Fatalf("of the topics %v only %v are there", names, infos)
		}
	}
}

func connect(t *testing.T, ctx context.Context, brokers []string) *cluster {
	t.Helper()
	cfg := kafka.Config{Brokers: brokers}
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	producer, err := kafka.NewProducer(kafka.ProducerConfig{Config: cfg, Linger: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(producer.Close)
	failed, fail := context.WithCancel(ctx)
	t.Cleanup(fail)
	return &cluster{t: t, ctx: ctx, brokers: brokers, admin: admin, producer: producer, failed: failed, fail: fail}
}

// rec is a record with text for key and value; "" stands for null.
type rec struct {
	key, value string
	ts         int64
}

func bytesOf(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// produce writes records to one partition and waits until they are there.
func (c *cluster) produce(topic string, partition int32, records ...rec) {
	c.t.Helper()
	for _, r := range records {
		if err := c.producer.Produce(c.ctx, topic, partition, bytesOf(r.key), bytesOf(r.value), r.ts, nil); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := c.producer.Flush(c.ctx); err != nil {
		c.t.Fatal(err)
	}
}

// follow hands the records of all partitions of a topic to done, from their
// start, until it returns true.
func (c *cluster) follow(topic string, done func(tp kafka.TopicPartition, key, value []byte) bool) {
	c.t.Helper()
	f, err := kafka.NewFetcher(c.ctx, kafka.FetcherConfig{Config: kafka.Config{Brokers: c.brokers}})
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(c.failed, patience)
	defer cancel()
	var tps []kafka.TopicPartition
	for n := range c.partitions(ctx, topic) {
		tps = append(tps, kafka.TopicPartition{Topic: topic, Partition: int32(n)})
	}
	starts, err := c.admin.ListOffsets(ctx, kafka.Earliest, tps...)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, tp := range tps {
		f.Add(tp, starts[tp])
	}
	for {
		batches, err := f.Poll(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		if ctx.Err() != nil {
			c.t.Fatalf("what was expected in topic %s did not come", topic)
		}
		for _, b := range batches {
			if b.Err != nil {
				c.t.Fatal(b.Err)
			}
			for _, r := range b.Records {
				if done(b.TopicPartition, r.Key, r.Value) {
					return
				}
			}
		}
	}
}

func (c *cluster) partitions(ctx context.Context, topic string) int {
	c.t.Helper()
	infos, err := c.admin.DescribeTopics(ctx, topic)
	if err != nil || infos[topic].Partitions == 0 {
		c.t.Fatalf("topic %s: %v, %v", topic, infos, err)
	}
	return infos[topic].Partitions
}

// awaitTable follows a topic until the latest value of each key is as wanted.
func (c *cluster) awaitTable(topic string, want map[string]string, text func([]byte) string) {
	c.t.Helper()
	defer func() {
		if c.t.Failed() {
			c.t.Logf("topic %s: want %v", topic, want)
		}
	}()
	c.awaitValues(topic, text, func(got map[string]string) bool { return maps.Equal(got, want) })
}

// reconnect makes a new producer, for a topic that was made anew.
func (c *cluster) reconnect() {
	c.t.Helper()
	producer, err := kafka.NewProducer(kafka.ProducerConfig{Config: kafka.Config{Brokers: c.brokers}, Linger: -1})
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(producer.Close)
	c.producer = producer
}

// awaitValues follows a topic until the latest values of the keys are right.
func (c *cluster) awaitValues(topic string, text func([]byte) string, right func(map[string]string) bool) {
	c.t.Helper()
	got := make(map[string]string)
	defer func() {
		if c.t.Failed() {
			c.t.Logf("topic %s: got %v", topic, got)
		}
	}()
	c.follow(topic, func(_ kafka.TopicPartition, key, value []byte) bool {
		got[string(key)] = text(value)
		return right(got)
	})
}

// revive forgets that an application failed, as a test wanted it to.
func (c *cluster) revive() {
	c.fail()
	c.failed, c.fail = context.WithCancel(c.ctx)
	c.t.Cleanup(c.fail)
}

// running is an application that runs in a test.
type running struct {
	t      *testing.T
	app    *millrace.App
	cancel context.CancelFunc
	done   chan struct{}
	err    error

	mu      sync.Mutex
	states  []millrace.State
	changed chan struct{}
}

// start runs an application. It ends with the test at the latest.
func (c *cluster) start(topology *processor.Topology, cfg millrace.Config) *running {
	c.t.Helper()
	r := &running{t: c.t, done: make(chan struct{}), changed: make(chan struct{})}
	cfg.Brokers = c.brokers
	if cfg.Linger == 0 {
		cfg.Linger = -1
	}
	if cfg.CommitInterval == 0 {
		cfg.CommitInterval = 50 * time.Millisecond
	}
	if cfg.PollTimeout == 0 {
		cfg.PollTimeout = 10 * time.Millisecond
	}
	if cfg.FetchMaxWait == 0 {
		cfg.FetchMaxWait = 50 * time.Millisecond
	}
	cfg.HeartbeatInterval = 100 * time.Millisecond
	if realBroker && cfg.SessionTimeout > 0 {
		cfg.SessionTimeout = max(cfg.SessionTimeout, 6*time.Second)
	}
	cfg.Logger = slog.New(slog.NewTextHandler(testLog{c.t, r.done}, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTime}))
	listener := cfg.OnState
	cfg.OnState = func(old, next millrace.State) {
		r.mu.Lock()
		r.states = append(r.states, next)
		close(r.changed)
		r.changed = make(chan struct{})
		r.mu.Unlock()
		if listener != nil {
			listener(old, next)
		}
	}
	app, err := millrace.New(topology, cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	r.app = app
	ctx, cancel := context.WithCancel(c.ctx)
	r.cancel = cancel
	go func() {
		defer close(r.done)
		if r.err = app.Run(ctx); r.err != nil {
			c.fail()
		}
	}()
	c.t.Cleanup(func() {
		cancel()
		r.join()
	})
	return r
}

func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{Key: a.Key, Value: slog.StringValue(a.Value.Time().Format("05.000"))}
	}
	return a
}

// testLog writes to the test's log as long as the application runs.
type testLog struct {
	t    *testing.T
	done chan struct{}
}

func (l testLog) Write(b []byte) (int, error) {
	select {
	case <-l.done:
	default:
		l.t.Log(strings.TrimRight(string(b), "\n"))
	}
	return len(b), nil
}

// await waits until the application is in a state.
func (r *running) await(state millrace.State) {
	r.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		if r.app.State() == state {
			return
		}
		select {
		case <-changed:
		case <-r.done:
			if r.app.State() != state {
				r.t.Fatalf("application ended with %v before it was %s", r.err, state)
			}
		case <-timeout.C:
			r.t.Fatalf("application is %s, not %s", r.app.State(), state)
		}
	}
}

// awaitStats waits until the application's numbers are as wanted. They are
// published by the clock, so this looks again and again.
func (r *running) awaitStats(what string, ok func(millrace.Stats) bool) {
	r.t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for !ok(r.app.Stats()) {
		select {
		case <-ticker.C:
		case <-r.done:
			r.t.Fatalf("application ended with %v before %s", r.err, what)
		case <-timeout.C:
			r.t.Fatalf("still waiting for %s: %+v", what, r.app.Stats())
		}
	}
}

// stop drains the application and expects no error.
func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	if err := r.join(); err != nil {
		r.t.Fatalf("application ended with %v", err)
	}
	if s := r.app.State(); s != millrace.NotRunning {
		r.t.Errorf("state after the end is %s", s)
	}
}

// join waits for the end and returns the application's error.
func (r *running) join() error {
	r.t.Helper()
	select {
	case <-r.done:
		return r.err
	case <-time.After(patience):
		buf := make([]byte, 1<<20)
		r.t.Fatalf("application does not end:\n%s", buf[:runtime.Stack(buf, true)])
		return nil
	}
}

// checkGoroutines fails the test if goroutines of the library are left at its
// end.
func checkGoroutines(t *testing.T) {
	t.Cleanup(func() {
		var left string
		for range 100 {
			if left = ours(); left == "" {
				return
			}
			time.Sleep(20 * time.Millisecond) // goroutines that are just returning
		}
		t.Errorf("goroutines left behind:\n%s", left)
	})
}

func ours() string {
	buf := make([]byte, 4<<20)
	var left []string
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "millrace/internal/") || strings.Contains(g, "franz-go/pkg/kgo") {
			left = append(left, g)
		}
	}
	return strings.Join(left, "\n\n")
}

func sortedTasks(s millrace.Stats) []string {
	var ids []string
	for _, w := range s.Workers {
		for _, t := range w.Tasks {
			ids = append(ids, t.ID+" "+t.State)
		}
	}
	slices.Sort(ids)
	return ids
}

func taskNames(format string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf(format, i))
	}
	return names
}
