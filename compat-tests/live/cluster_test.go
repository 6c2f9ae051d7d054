//go:build unix

package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// patience bounds each test; none is expected to take as long.
const patience = 4 * time.Minute

// partitions of the input and so of all topics.
const partitions = 4

// cluster is the real broker as one test sees it. The context ends when the
// time is over or a process fails.
type cluster struct {
	t       *testing.T
	ctx     context.Context
	fail    context.CancelCauseFunc
	brokers []string
	client  *kgo.Client
	admin   *kadm.Client
}

func connect(t *testing.T, brokers []string) *cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	c := &cluster{t: t, brokers: brokers}
	c.ctx, c.fail = context.WithCancelCause(ctx)
	t.Cleanup(func() { c.fail(nil) })
	var err error
	if c.client, err = kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.client.Close)
	c.admin = kadm.NewClient(c.client)
	return c
}

// must ends the test on an error, with what the context knows about it.
func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(errors.Join(err, context.Cause(c.ctx)))
	}
}

func (c *cluster) createTopics(names ...string) {
	c.t.Helper()
	created, err := c.admin.CreateTopics(c.ctx, partitions, 1, nil, names...)
	c.must(errors.Join(err, created.Error()))
}

// internal names an internal topic of an application.
func internal(app, kind string) string { return app + "-counts-" + kind }

// ends returns the end offsets of a topic by partition; nil as long as it does
// not exist.
func (c *cluster) ends(topic string) []int64 {
	c.t.Helper()
	listed, err := c.admin.ListEndOffsets(c.ctx, topic)
	if err == nil {
		err = listed.Error()
	}
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	c.must(err)
	out := make([]int64, partitions)
	for p := range out {
		o, ok := listed.Lookup(topic, int32(p))
		if !ok {
			c.t.Fatalf("no end of %s-%d", topic, p)
		}
		out[p] = o.Offset
	}
	return out
}

func sum(offsets []int64) (n int64) {
	for _, o := range offsets {
		n += o
	}
	return n
}

// committed returns all committed offsets of an application, none while the
// group has no coordinator yet.
func (c *cluster) committed(app string) kadm.OffsetResponses {
	c.t.Helper()
	offsets, err := c.admin.FetchOffsets(c.ctx, app)
	if err == nil {
		err = offsets.Error()
	}
	if errors.Is(err, kerr.GroupIDNotFound) || kerr.IsRetriable(err) && c.ctx.Err() == nil {
		return nil
	}
	c.must(err)
	return offsets
}

// until looks at the broker until the condition holds.
func (c *cluster) until(what string, holds func() bool) {
	c.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-c.ctx.Done():
			c.t.Fatalf("waiting for %s: %v", what, context.Cause(c.ctx))
		}
	}
}

// atEnd reports whether an application has committed all of a topic.
func (c *cluster) atEnd(app, topic string) bool {
	c.t.Helper()
	committed, ends := c.committed(app), c.ends(topic)
	for p, end := range ends {
		if at, ok := committed.Lookup(topic, int32(p)); !ok || at.At != end {
			return end == 0 && !ok
		}
	}
	return ends != nil
}

// drained waits until an application has counted all that its input holds. An
// application commits an input only after all that follows from it has been
// written, so one topic can be waited for after the other.
func (c *cluster) drained(app, input string) {
	c.t.Helper()
	for _, topic := range []string{input, internal(app, "repartition")} {
		c.until(fmt.Sprintf("%s to commit all of %s", app, topic), func() bool { return c.atEnd(app, topic) })
	}
}

// read returns the records of each partition of a topic from an offset to an
// end.
func (c *cluster) read(topic string, from, to []int64) [][]*kgo.Record {
	c.t.Helper()
	offsets, left := map[int32]kgo.Offset{}, 0
	for p := range to {
		if from[p] < to[p] {
			offsets[int32(p)] = kgo.NewOffset().At(from[p])
			left++
		}
	}
	out := make([][]*kgo.Record, partitions)
	if left == 0 {
		return out
	}
	consumer, err := kgo.NewClient(kgo.SeedBrokers(c.brokers...), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}))
	c.must(err)
	defer consumer.Close()
	for left > 0 {
		fetches := consumer.PollFetches(c.ctx)
		c.must(fetches.Err())
		fetches.EachRecord(func(r *kgo.Record) {
			if r.Offset < to[r.Partition] {
				out[r.Partition] = append(out[r.Partition], r)
			}
			if r.Offset == to[r.Partition]-1 {
				left--
			}
		})
	}
	return out
}

// all returns all records of a topic by partition.
func (c *cluster) all(topic string) [][]*kgo.Record {
	c.t.Helper()
	return c.read(topic, make([]int64, partitions), c.ends(topic))
}

// words of one line.
func words(r *kgo.Record) []string { return strings.Split(string(r.Value), " ") }
