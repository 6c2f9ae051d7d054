package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// env is what tasks see of the process: the worker's producer and cache, and
// what all workers share.
type env struct {
	p     *Process
	ctx   context.Context
	log   *slog.Logger
	cache *statestore.Cache
	// producer is nil for the global task, which writes nothing.
	producer *kafka.Producer
}

// Send implements task.Env.
func (e *env) Send(out processor.Outgoing) error {
	if e.producer == nil {
		return fmt.Errorf("send to %s: global stores cannot write to topics", out.Topic)
	}
	ts := out.Timestamp
	if ts == processor.NoTimestamp {
		ts = time.Now().UnixMilli()
	}
	var headers []record.Header
	if out.Headers != nil {
		headers = out.Headers.All()
	}
	return e.producer.Produce(e.ctx, out.Topic, out.Partition, out.Key, out.Value, ts, headers)
}

// Partitions implements task.Env.
func (e *env) Partitions(topic string) (int32, error) { return e.p.counts.of(e.ctx, topic) }

// GlobalStore implements task.Env.
func (e *env) GlobalStore(name string) (statestore.Store, bool) { return e.p.GlobalStore(name) }

// Cache implements task.Env.
func (e *env) Cache() *statestore.Cache { return e.cache }

// Memory implements task.Env.
func (e *env) Memory() *statestore.Memory { return e.p.memory }

// Dir implements task.Env.
func (e *env) Dir(id task.ID) (string, error) { return e.p.dir.taskDir(id) }

// EmitInterval implements task.Env.
func (e *env) EmitInterval() int64 { return e.p.cfg.EmitInterval }

// Logger implements task.Env.
func (e *env) Logger() *slog.Logger { return e.log }

// countAge is how long a known number of partitions is believed; growing a
// topic's number of partitions is rare and takes effect this late (Java's
// producer learns of it after metadata.max.age.ms).
const countAge = 5 * time.Minute

// partitionCounts remembers how many partitions topics have that records are
// written to.
type partitionCounts struct {
	admin *kafka.Admin

	mu    sync.Mutex
	known map[string]partitionCount
}

type partitionCount struct {
	n    int32
	seen time.Time
}

func (c *partitionCounts) of(ctx context.Context, topic string) (int32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.known[topic]; ok && time.Since(k.seen) < countAge {
		return k.n, nil
	}
	topics, err := c.admin.DescribeTopics(ctx, topic)
	if err != nil {
		return 0, fmt.Errorf("count the partitions of topic %s: %w", topic, err)
	}
	info, ok := topics[topic]
	if !ok || info.Partitions == 0 {
		return 0, fmt.Errorf("write to topic %s: %w: create the topic before the application writes to it", topic, kafka.ErrUnknownTopic)
	}
	c.known[topic] = partitionCount{n: int32(info.Partitions), seen: time.Now()}
	return int32(info.Partitions), nil
}
