//go:build unix

package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/compat-tests/broker"
)

// TestOnARealBroker shares one broker between all tests.
func TestOnARealBroker(t *testing.T) {
	millrace := build(t)
	brokers := broker.Start(t, 1)
	t.Run("same as Java", func(t *testing.T) {
		for _, cache := range []int{0, 10 << 20} {
			t.Run(fmt.Sprint("cache=", cache), func(t *testing.T) { sameAsJava(connect(t, brokers), millrace, cache) })
		}
	})
	t.Run("one of two is killed", func(t *testing.T) { oneIsKilled(connect(t, brokers), millrace) })
	t.Run("restarted", func(t *testing.T) { handedOver(connect(t, brokers), "restart", millrace, millrace, millrace) })
	t.Run("taken over by Java and back", func(t *testing.T) { handedOver(connect(t, brokers), "takeover", millrace, java, millrace) })
}

// topicsOf are the topics of one application: what was written to them and how
// they are configured.
type topicsOf struct {
	app                            string
	repartition, changelog, output [][]*kgo.Record
	configs                        map[string]string
	commits                        map[string]string
}

func sameAsJava(c *cluster, millrace program, cache int) {
	t := c.t
	input := fmt.Sprint("lines-", cache)
	c.createTopics(input)
	lines := text(uint64(cache), input, 1500)
	c.must(c.client.ProduceSync(c.ctx, lines...).FirstErr())
	var apps []string
	var running []*process
	for _, run := range []program{java, millrace} {
		app := fmt.Sprintf("%s-%d", run.name, cache)
		apps = append(apps, app)
		c.createTopics(app + "-out")
		running = append(running, c.start(run, settings{app: app, client: app, dir: t.TempDir(), commit: 200, cache: cache}, input, app+"-out"))
	}
	var both []topicsOf
	for _, app := range apps {
		c.drained(app, input)
	}
	for _, p := range running {
		p.stop()
	}
	for _, app := range apps {
		both = append(both, c.topicsOf(app, input))
	}
	a, b := both[0], both[1]
	t.Logf("%d lines, %d words; %s wrote %d updates, %s %d", len(lines), length(a.repartition), a.app, length(a.output), b.app, length(b.output))
	equal(t, "configs of internal topics", a.configs, b.configs)
	equal(t, "committed offsets", a.commits, b.commits)
	want := count(lines)
	for _, side := range both {
		equal(t, "final table of "+side.app, want, table(side.output))
		equal(t, "final changelog of "+side.app, want, table(side.changelog))
	}
	equal(t, "repartition topic, words of one partition", perKey(a.repartition, own, whole), perKey(b.repartition, own, whole))
	equal(t, "repartition topic, all words in any order", sorted(perKey(a.repartition, every, whole)), sorted(perKey(b.repartition, every, whole)))
	equal(t, "last update of the output", last(perKey(a.output, every, stamped)), last(perKey(b.output, every, stamped)))
	equal(t, "last update of the changelog", last(perKey(a.changelog, every, whole)), last(perKey(b.changelog, every, whole)))
	if cache > 0 {
		return
	}
	// Words of several input partitions meet in an order that nothing binds; the
	// counts are the same all the same.
	equal(t, "output, words of one partition", perKey(a.output, own, whole), perKey(b.output, own, whole))
	equal(t, "changelog, words of one partition", perKey(a.changelog, own, whole), perKey(b.changelog, own, whole))
	equal(t, "output", perKey(a.output, every, value), perKey(b.output, every, value))
	equal(t, "changelog", perKey(a.changelog, every, value), perKey(b.changelog, every, value))
}

func equal[T any](t *testing.T, what string, a, b T) {
	t.Helper()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("%s:\n%.4000s", what, diff)
	}
}

func (c *cluster) topicsOf(app, input string) topicsOf {
	c.t.Helper()
	side := topicsOf{app: app, configs: map[string]string{}, commits: map[string]string{}}
	side.repartition, side.changelog = c.all(internal(app, "repartition")), c.all(internal(app, "changelog"))
	side.output = c.all(app + "-out")
	described, err := c.admin.DescribeTopicConfigs(c.ctx, internal(app, "repartition"), internal(app, "changelog"))
	c.must(err)
	for _, topic := range described {
		c.must(topic.Err)
		for _, cfg := range topic.Configs {
			side.configs[strings.TrimPrefix(topic.Name, app)+" "+cfg.Key] = cfg.MaybeValue() + " from " + cfg.Source.String()
		}
	}
	infos, err := c.admin.ListTopics(c.ctx)
	c.must(err)
	for name, info := range infos {
		if rest, ok := strings.CutPrefix(name, app); ok {
			side.configs[rest] = fmt.Sprintf("%d partitions, %d replicas", len(info.Partitions), info.Partitions.NumReplicas())
		}
	}
	c.committed(app).Each(func(o kadm.OffsetResponse) {
		meta, err := changelog.DecodeOffsetMetadata(o.Metadata)
		c.must(err)
		topic := strings.TrimPrefix(o.Topic, app)
		side.commits[fmt.Sprintf("%s-%d", topic, o.Partition)] = fmt.Sprintf("offset %d, %+v", o.At, meta)
	})
	if len(side.configs) < 20 || len(side.commits) != 2*partitions {
		c.t.Fatalf("found %d configs and the commits %v", len(side.configs), side.commits)
	}
	return side
}

// perKey is what a topic holds of each key in each partition, in order.
func perKey(topic [][]*kgo.Record, of func(string) bool, part func(*kgo.Record) string) map[string][]string {
	out := map[string][]string{}
	for p, records := range topic {
		for _, r := range records {
			if of(string(r.Key)) {
				at := fmt.Sprintf("%d %x", p, r.Key)
				out[at] = append(out[at], part(r))
			}
		}
	}
	return out
}

func every(string) bool { return true }

// value, stamped and whole are more and more of a record.
func value(r *kgo.Record) string { return fmt.Sprintf("%x null=%t", r.Value, r.Value == nil) }

func stamped(r *kgo.Record) string { return fmt.Sprintf("%s at %d", value(r), r.Timestamp.UnixMilli()) }

func whole(r *kgo.Record) string {
	out := stamped(r)
	for _, h := range r.Headers {
		out += fmt.Sprintf(" %s=%q null=%t", h.Key, h.Value, h.Value == nil)
	}
	return out
}

func sorted(m map[string][]string) map[string][]string {
	for _, values := range m {
		slices.Sort(values)
	}
	return m
}

func last(m map[string][]string) map[string]string {
	out := map[string]string{}
	for k, values := range m {
		out[k] = values[len(values)-1]
	}
	return out
}

func length(topic [][]*kgo.Record) (n int) {
	for _, records := range topic {
		n += len(records)
	}
	return n
}

// produce writes lines in small portions, so that they are processed while
// they come; the channel is closed at the end.
func (c *cluster) produce(lines []*kgo.Record) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for part := range slices.Chunk(lines, 20) {
			if err := c.client.ProduceSync(c.ctx, part...).FirstErr(); err != nil {
				c.fail(fmt.Errorf("write lines: %w", err))
				return
			}
		}
	}()
	return done
}

func (c *cluster) wait(done <-chan struct{}) {
	c.t.Helper()
	select {
	case <-done:
	case <-c.ctx.Done():
	}
	if c.ctx.Err() != nil {
		c.must(c.ctx.Err())
	}
}

// oneIsKilled lets two processes share the work and kills one with SIGKILL
// while records come. What it had processed after its last commit is processed
// again by the other: nothing else may be counted twice, and nothing be lost.
func oneIsKilled(c *cluster, millrace program) {
	const app, input, out = "killed", "killed-lines", "killed-out"
	t := c.t
	c.createTopics(input, out)
	lines := text(7, input, 5000)
	before, during := lines[:1000], lines[1000:]
	start := func(client string) *process {
		return c.start(millrace, settings{app: app, client: client, dir: t.TempDir(), commit: 100, cache: 0}, input, out)
	}
	survivor := start("survivor")
	survivor.await("tasks 8")
	victim := start("victim")
	victim.await("tasks 4")
	c.wait(c.produce(before))
	c.drained(app, input)
	owned := c.owned(app, "victim")
	if owned[input] == nil || owned[internal(app, "repartition")] == nil {
		t.Fatalf("the victim owns only %v", owned)
	}

	counted := sum(c.ends(out))
	written := c.produce(during)
	c.until("a third of the lines to be counted", func() bool { return sum(c.ends(out))-counted > int64(length([][]*kgo.Record{during}))*2 })
	victim.kill()
	// What is read now cannot be earlier than the kill, and the group gives the
	// victim's partitions to no one before its session has timed out.
	inFlight := c.inFlight(app, input, owned)
	seen := survivor.seen()
	t.Logf("killed after %d updates, with %d words in flight on %v", sum(c.ends(out)), total(inFlight), owned)

	c.wait(written)
	c.drained(app, input)
	survivor.stop()
	restored := survivor.restored(seen)
	if restored == 0 {
		t.Error("the survivor restored nothing")
	}
	batch, final := count(lines), table(c.all(out))
	again := int64(0)
	for word, n := range batch {
		if got := final[word]; got < n || got > n+inFlight[word] {
			t.Errorf("%s was counted %d times, want %d and at most %d more", word, got, n, inFlight[word])
		}
		again += final[word] - n
	}
	equal(t, "table and changelog", final, table(c.all(internal(app, "changelog"))))
	if len(final) != len(batch) {
		t.Errorf("%d words were counted, want %d", len(final), len(batch))
	}
	t.Logf("%d records restored, %d words counted again", restored, again)
}

func total(counts map[string]int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// owned returns the partitions that a client's members of the group own, by
// topic.
func (c *cluster) owned(app, client string) map[string][]int32 {
	c.t.Helper()
	groups, err := c.admin.DescribeGroups(c.ctx, app)
	c.must(err)
	out := map[string][]int32{}
	for _, m := range groups[app].Members {
		assigned, ok := m.Assigned.AsConsumer()
		if !strings.HasPrefix(m.ClientID, client) || !ok {
			continue
		}
		for _, t := range assigned.Topics {
			out[t.Topic] = append(out[t.Topic], t.Partitions...)
		}
	}
	return out
}

// inFlight counts the words between what is committed and the ends of the
// owned partitions: those of the lines, which will be split again, and those
// in the repartition topic, which will be counted again.
func (c *cluster) inFlight(app, input string, owned map[string][]int32) map[string]int64 {
	c.t.Helper()
	counts := map[string]int64{}
	committed := c.committed(app)
	for topic, of := range owned {
		from, to, ends := make([]int64, partitions), make([]int64, partitions), c.ends(topic)
		for _, p := range of {
			at, ok := committed.Lookup(topic, p)
			if !ok {
				c.t.Fatalf("nothing of %s-%d is committed", topic, p)
			}
			from[p], to[p] = at.At, ends[p]
		}
		for _, records := range c.read(topic, from, to) {
			for _, r := range records {
				// A record of the repartition topic is a line of one word.
				for _, w := range words(r) {
					counts[w]++
				}
			}
		}
	}
	return counts
}

// handedOver runs one program after the other as the same application. Each
// gets a part of the lines, and all but the last are ended in the midst of it.
// Nothing may be lost or counted twice: each word's updates are 1, 2, 3 and so
// on without a gap.
func handedOver(c *cluster, app string, programs ...program) {
	t := c.t
	input, out := app+"-lines", app+"-out"
	c.createTopics(input, out)
	var lines []*kgo.Record
	dirs := map[string]string{}
	for i, run := range programs {
		if dirs[run.name] == "" {
			dirs[run.name] = t.TempDir() // each finds its own stores again
		}
		// Nothing is committed but by the clean end.
		p := c.start(run, settings{app: app, client: fmt.Sprint(app, i), dir: dirs[run.name], commit: 600_000, cache: 0}, input, out)
		part := text(uint64(i), input, 1000)
		goal := total(count(lines)) + total(count(part))/2
		if lines = append(lines, part...); i == len(programs)-1 {
			goal = total(count(lines))
		}
		written := c.produce(part)
		c.until(fmt.Sprintf("%d updates", goal), func() bool { return sum(c.ends(out)) >= goal })
		p.stop()
		c.wait(written)
		t.Logf("%s ended after %d of %d updates", run.name, sum(c.ends(out)), total(count(lines)))
	}
	for _, topic := range []string{input, internal(app, "repartition")} {
		if !c.atEnd(app, topic) {
			t.Errorf("the last program left part of %s", topic)
		}
	}
	runs := map[string][]int64{}
	for word, n := range count(lines) {
		for i := range n {
			runs[word] = append(runs[word], i+1)
		}
	}
	equal(t, "updates", runs, sequences(c.all(out)))
	equal(t, "changelog", runs, sequences(c.all(internal(app, "changelog"))))
}
