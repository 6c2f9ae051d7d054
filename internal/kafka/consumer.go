package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ConsumerConfig configures a [Consumer]. Zero values of durations and sizes
// mean the default given at the field.
type ConsumerConfig struct {
	Config
	// Group is the group id (application.id).
	Group string
	// InstanceID makes the member static (group.instance.id).
	InstanceID string
	// Topics to subscribe to; they need not exist yet.
	Topics []string
	// Pattern, when not empty, subscribes to all topics that match one of it
	// and of Topics taken literally. The syntax is that of package regexp.
	Pattern string
	// Assignor and Listener are required.
	Assignor Assignor
	Listener Listener
	// Reset is asked where to start a partition that has no committed offset,
	// or whose position is out of range; nil means earliest.
	Reset func(topic string) Reset
	// SessionTimeout after which the broker expels a silent member; 45 s
	// (session.timeout.ms).
	SessionTimeout time.Duration
	// HeartbeatInterval; 3 s (heartbeat.interval.ms).
	HeartbeatInterval time.Duration
	// RebalanceTimeout is how long others wait for this member to rejoin; 5
	// min (max.poll.interval.ms).
	RebalanceTimeout time.Duration
	// FetchMaxWait is how long the broker may hold back an empty answer;
	// 500 ms (fetch.max.wait.ms).
	FetchMaxWait time.Duration
	// FetchMinBytes the broker waits for; 1 (fetch.min.bytes).
	FetchMinBytes int32
	// FetchMaxBytes of one answer; 50 MiB (fetch.max.bytes).
	FetchMaxBytes int32
	// FetchMaxPartitionBytes of one partition in an answer; 256 KiB
	// (max.partition.fetch.bytes, there 1 MiB). It bounds what pausing a
	// partition throws away.
	FetchMaxPartitionBytes int32
}

// Listener is told how the group's decisions change this member's partitions.
// Its methods run on a goroutine of the client, but never between the return
// of [Consumer.Poll] and the next [Consumer.AllowRebalance], and one at a
// time: what the polling goroutine does between the two needs no lock.
// A listener may commit, pause, resume and ask for a rejoin; it must not poll
// or close. After [Consumer.Close] has begun it is not called.
type Listener interface {
	// OnAssigned ends each rebalance, also one that changed nothing.
	OnAssigned(ctx context.Context, a Assigned)
	// OnRevoked takes partitions away in order: they may still be committed.
	OnRevoked(ctx context.Context, revoked []TopicPartition)
	// OnLost tells that the member was fenced: all its partitions may already
	// be processed elsewhere and cannot be committed.
	OnLost(ctx context.Context, lost []TopicPartition)
}

// Assigned is the outcome of a rebalance for this member. The slices are sorted.
type Assigned struct {
	// Added since the last assignment, and All that are now owned.
	Added, All []TopicPartition
	// UserData of the leader; active tasks in it follow the order of All.
	UserData []byte
}

// Fetches is what one poll brought.
type Fetches struct {
	Batches []Batch
	// Committed holds, once per assignment, the committed offsets of newly
	// assigned partitions, before the first batch of any of them. A partition
	// without a commit is absent.
	Committed map[TopicPartition]OffsetAndMeta
	// Err reports a failure of the group membership; the client goes on
	// trying by itself unless it is [ErrClosed].
	Err error
}

// Consumer is a member of a group that reads its topics. One goroutine polls;
// Rejoin, Close and the Listener's calls may come from others.
type Consumer struct {
	cfg ConsumerConfig
	cl  *kgo.Client
	adm *Admin
	// ctx ends when Close begins; it bounds the leader's Balance.
	ctx    context.Context
	cancel context.CancelFunc
	// kill ends the client library's own context, which keeps it from
	// leaving the group.
	kill    context.CancelFunc
	closing atomic.Bool
	started chan struct{} // closed by the first Poll
	start   sync.Once

	mu        sync.Mutex
	memberID  string                           // as last synced
	disowned  bool                             // the partitions held are not ours any more
	assigned  *Assigned                        // as last synced, without Added; nil if disowned
	committed map[TopicPartition]OffsetAndMeta // not yet returned by Poll
	failed    []Batch                          // not yet returned by Poll
}

// NewConsumer makes a consumer, which joins its group with the first Poll. The
// context's end does not end it: offsets can be committed until Close.
func NewConsumer(ctx context.Context, cfg ConsumerConfig) (*Consumer, error) {
	c := &Consumer{cfg: cfg, started: make(chan struct{})}
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	c.kill = kill
	c.ctx, c.cancel = context.WithCancel(life)
	cl, err := cfg.open("consumer", append(c.options(), kgo.WithContext(life))...)
	if err != nil {
		kill()
		return nil, err
	}
	c.cl = cl
	c.adm = newAdmin(cl, cfg.Config)
	return c, nil
}

func (c *Consumer) options() []kgo.Opt {
	cfg := c.cfg
	opts := []kgo.Opt{
		kgo.ConsumerGroup(cfg.Group),
		kgo.Balancers(&balancer{c}),
		kgo.DisableAutoCommit(),
		kgo.BlockRebalanceOnPoll(),
		kgo.KeepControlRecords(), // so that positions pass transaction markers as in Java
		kgo.RequireStableFetchOffsets(),
		kgo.FetchIsolationLevel(cfg.isolation()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.OnOffsetsFetched(c.onOffsetsFetched),
		kgo.AdjustFetchOffsetsFn(c.adjustOffsets),
		kgo.OnPartitionsAssigned(c.onAssigned),
		kgo.OnPartitionsRevoked(c.onRevoked),
		kgo.OnPartitionsLost(c.onLost),
		kgo.SessionTimeout(or(cfg.SessionTimeout, 45*time.Second)),
		kgo.HeartbeatInterval(or(cfg.HeartbeatInterval, 3*time.Second)),
		kgo.RebalanceTimeout(or(cfg.RebalanceTimeout, 5*time.Minute)),
		kgo.FetchMaxWait(or(cfg.FetchMaxWait, 500*time.Millisecond)),
		kgo.FetchMinBytes(or(cfg.FetchMinBytes, 1)),
		kgo.FetchMaxBytes(or(cfg.FetchMaxBytes, 50<<20)),
		kgo.FetchMaxPartitionBytes(or(cfg.FetchMaxPartitionBytes, 256<<10)),
	}
	if cfg.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(cfg.InstanceID))
	}
	if cfg.Rack != "" {
		opts = append(opts, kgo.Rack(cfg.Rack))
	}
	if cfg.Pattern == "" {
		return append(opts, kgo.ConsumeTopics(cfg.Topics...))
	}
	return append(opts, kgo.ConsumeRegex(), kgo.ConsumeTopics(patterns(cfg)...))
}

// Poll returns what was fetched and blocks until there is something or the
// context ends, which is no error: the result is then empty. Rebalances wait
// from its return until AllowRebalance. Batches of partitions that were
// revoked since are never returned.
func (c *Consumer) Poll(ctx context.Context) Fetches {
	c.start.Do(func() { close(c.started) })
	polled := c.cl.PollFetches(ctx)
	var out Fetches
	for _, f := range polled {
		for i := range f.Topics {
			for j := range f.Topics[i].Partitions {
				c.take(ctx, &out, f.Topics[i].Topic, &f.Topics[i].Partitions[j])
			}
		}
	}
	c.mu.Lock()
	out.Committed, c.committed = c.committed, nil
	out.Batches = append(out.Batches, c.failed...)
	c.failed = nil
	c.mu.Unlock()
	return out
}

// take sorts one partition of a poll into the result.
func (c *Consumer) take(ctx context.Context, out *Fetches, topic string, p *kgo.FetchPartition) {
	var session *kgo.ErrGroupSession
	switch {
	case p.Err == nil:
	case errors.Is(p.Err, kgo.ErrClientClosed):
		out.Err = explain(p.Err)
		return
	case topic == "" && ctx.Err() != nil && errors.Is(p.Err, ctx.Err()):
		return
	case errors.As(p.Err, &session):
		if !errors.Is(p.Err, context.Canceled) {
			out.Err = fmt.Errorf("group %s: %w", c.cfg.Group, explain(p.Err))
		}
		return
	}
	b := toBatch(topic, p)
	if b.Err != nil {
		c.recover(ctx, &b)
	}
	if len(b.Records) > 0 || b.Next >= 0 || b.Err != nil {
		out.Batches = append(out.Batches, b)
	}
}

// AllowRebalance ends what Poll began: the partitions may change until the
// next Poll returns.
func (c *Consumer) AllowRebalance() { c.cl.AllowRebalance() }

// Pause stops fetching the partitions until Resume; what is buffered of them
// is thrown away and fetched again. Partitions not owned are remembered too,
// so that a listener may pause what it was just given.
func (c *Consumer) Pause(tps ...TopicPartition) {
	if len(tps) > 0 {
		c.cl.PauseFetchPartitions(nest(tps))
	}
}

// Resume ends Pause.
func (c *Consumer) Resume(tps ...TopicPartition) {
	if len(tps) > 0 {
		c.cl.ResumeFetchPartitions(nest(tps))
	}
}

// Seek sets the positions of owned partitions; to be called between Poll and
// AllowRebalance or from the listener.
func (c *Consumer) Seek(to map[TopicPartition]int64) {
	set := make(map[string]map[int32]kgo.EpochOffset)
	for tp, o := range to {
		if set[tp.Topic] == nil {
			set[tp.Topic] = make(map[int32]kgo.EpochOffset)
		}
		set[tp.Topic][tp.Partition] = kgo.EpochOffset{Epoch: -1, Offset: o}
	}
	c.cl.SetOffsets(set)
}

// Rejoin makes the member join again, which rebalances the group if its
// subscription's user data changed or it is the leader.
func (c *Consumer) Rejoin() { c.cl.ForceRebalance() }

// GroupMetadata returns the member id and generation that fence commits; the
// id is empty and the generation -1 while not joined.
func (c *Consumer) GroupMetadata() (memberID string, generation int32) {
	return c.cl.GroupMetadata()
}

// Admin returns calls that use the consumer's connections; closing the
// consumer closes them.
func (c *Consumer) Admin() *Admin { return c.adm }

// Leave says whether closing gives up the group membership at once.
type Leave bool

const (
	// LeaveGroup gives the partitions to others at once.
	LeaveGroup Leave = true
	// RemainInGroup keeps them assigned until the session times out, so that
	// a quick restart moves nothing; the default of Java's classic client.
	RemainInGroup Leave = false
)

// Close ends the consumer. The listener is not called any more; commit before.
// The context bounds the wait for the broker's answer to leaving.
func (c *Consumer) Close(ctx context.Context, leave Leave) error {
	if c.closing.Swap(true) {
		return nil
	}
	c.cancel()
	defer c.kill()
	c.cl.AllowRebalance()
	if leave == RemainInGroup || c.cfg.InstanceID != "" {
		c.kill()
		c.cl.Close()
		return nil
	}
	err := c.cl.LeaveGroupContext(ctx)
	c.cl.Close()
	if err != nil {
		return fmt.Errorf("leave group %s: %w", c.cfg.Group, explain(err))
	}
	return nil
}

func (c *Consumer) onAssigned(ctx context.Context, _ *kgo.Client, added map[string][]int32) {
	c.mu.Lock()
	got := c.assigned
	c.mu.Unlock()
	if got == nil || c.closing.Load() {
		return
	}
	c.cfg.Listener.OnAssigned(ctx, Assigned{Added: flatten(added), All: slices.Clone(got.All), UserData: got.UserData})
}

func (c *Consumer) onRevoked(ctx context.Context, cl *kgo.Client, revoked map[string][]int32) {
	c.mu.Lock()
	lost := c.disowned
	c.mu.Unlock()
	tps := flatten(revoked)
	switch {
	case len(tps) == 0 || c.closing.Load():
	case lost:
		c.onLost(ctx, cl, revoked)
	default:
		c.cfg.Listener.OnRevoked(ctx, tps)
	}
}

func (c *Consumer) onLost(ctx context.Context, _ *kgo.Client, lost map[string][]int32) {
	c.mu.Lock()
	c.disowned = false
	c.mu.Unlock()
	if tps := flatten(lost); len(tps) > 0 && !c.closing.Load() {
		c.cfg.Listener.OnLost(ctx, tps)
	}
}
