package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Admin asks and changes what is not records: topics, offsets, groups. It is
// safe for concurrent use.
type Admin struct {
	cl      *kgo.Client
	adm     *kadm.Client
	brokers []string
	connect time.Duration
	login   bool // SASL is configured
}

// NewAdmin makes an admin client. It does not connect; see [Admin.Ping].
func NewAdmin(cfg Config) (*Admin, error) {
	cl, err := cfg.open("admin")
	if err != nil {
		return nil, err
	}
	return newAdmin(cl, cfg), nil
}

func newAdmin(cl *kgo.Client, cfg Config) *Admin {
	return &Admin{cl: cl, adm: kadm.NewClient(cl), brokers: cfg.Brokers, connect: or(cfg.ConnectTimeout, 10*time.Second), login: cfg.SASL != nil}
}

// Close releases the connections.
func (a *Admin) Close() { a.cl.Close() }

// Ping returns nil once any broker answers. It keeps trying for the configured
// connect timeout, then fails with [ErrUnreachable], naming the brokers.
// Refused credentials fail at once with [ErrNotAuthorized].
func (a *Admin) Ping(ctx context.Context) error {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, a.connect)
	defer cancel()
	var last error
	hangups := 0
	for try := 1; ; try++ {
		err := a.cl.Ping(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err // the cause says more than the deadline that ended the tries
		}
		if errors.Is(err, io.EOF) {
			hangups++
		}
		if errors.Is(err, kerr.SaslAuthenticationFailed) || a.login && hangups > 2 {
			return fmt.Errorf("log in to %s: %w", strings.Join(a.brokers, ","), refused(err))
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			return unreachable(a.brokers, time.Since(start), last)
		case <-time.After(backoff(try)):
		}
	}
}

// TopicInfo describes a topic that exists.
type TopicInfo struct {
	Name       string
	Partitions int
	// Replicas is the replication factor of partition 0.
	Replicas int
}

// DescribeTopics returns those of the named topics that exist; the others are
// absent from the map. Without names it returns all topics but Kafka's own.
// The rights to describe are needed for each.
func (a *Admin) DescribeTopics(ctx context.Context, names ...string) (map[string]TopicInfo, error) {
	topics, err := a.metadata(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("describe topics %v: %w", names, explain(err))
	}
	out := make(map[string]TopicInfo, len(topics))
	for name, t := range topics {
		err := kerr.ErrorForCode(t.ErrorCode)
		if errors.Is(err, kerr.UnknownTopicOrPartition) || len(names) == 0 && t.IsInternal {
			continue
		}
		if err != nil && !errors.Is(err, kerr.LeaderNotAvailable) {
			return nil, fmt.Errorf("describe topic %s: %w", name, explain(err))
		}
		info := TopicInfo{Name: name, Partitions: len(t.Partitions)}
		if len(t.Partitions) > 0 {
			info.Replicas = len(t.Partitions[0].Replicas)
		}
		out[name] = info
	}
	return out, nil
}

// metadata asks the broker itself; the admin library's calls answer from a
// cache that does not see what was just created or deleted.
func (a *Admin) metadata(ctx context.Context, names []string) (map[string]kmsg.MetadataResponseTopic, error) {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, a.cl)
	if err != nil {
		return nil, err
	}
	out := make(map[string]kmsg.MetadataResponseTopic, len(resp.Topics))
	for _, t := range resp.Topics {
		if t.Topic != nil {
			out[*t.Topic] = t
		}
	}
	return out, nil
}

// CreateTopic creates a topic with the given configs. A replication factor of
// -1 means the broker's default. [ErrTopicExists] if there is one.
func (a *Admin) CreateTopic(ctx context.Context, name string, partitions int, replicas int, configs map[string]string) error {
	set := make(map[string]*string, len(configs))
	for k, v := range configs {
		set[k] = &v
	}
	resp, err := a.adm.CreateTopics(ctx, int32(partitions), int16(replicas), set, name)
	if err == nil {
		r := resp[name]
		err = r.Err
		if err != nil && r.ErrMessage != "" {
			err = fmt.Errorf("%w (%s)", err, r.ErrMessage)
		}
	}
	if err != nil {
		return fmt.Errorf("create topic %s with %d partitions, replication factor %d: %w", name, partitions, replicas, explain(err))
	}
	return nil
}

// DeleteTopics deletes the topics; one that does not exist is no error.
func (a *Admin) DeleteTopics(ctx context.Context, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	resp, err := a.adm.DeleteTopics(ctx, names...)
	if err != nil {
		return fmt.Errorf("delete topics %v: %w", names, explain(err))
	}
	for _, r := range resp.Sorted() {
		if r.Err != nil && !errors.Is(r.Err, kerr.UnknownTopicOrPartition) {
			return fmt.Errorf("delete topic %s: %w", r.Topic, explain(r.Err))
		}
	}
	return nil
}

// DescribeConfigs returns the configs of one topic that have a value.
func (a *Admin) DescribeConfigs(ctx context.Context, topic string) (map[string]string, error) {
	resp, err := a.adm.DescribeTopicConfigs(ctx, topic)
	if err == nil {
		var rc kadm.ResourceConfig
		if rc, err = resp.On(topic, nil); err == nil {
			err = rc.Err
		}
		if err == nil {
			out := make(map[string]string, len(rc.Configs))
			for _, c := range rc.Configs {
				if c.Value != nil {
					out[c.Key] = *c.Value
				}
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("describe configs of topic %s: %w", topic, explain(err))
}

// Spec chooses the offsets that [Admin.ListOffsets] returns.
type Spec int

const (
	// Earliest is the first offset still in the log.
	Earliest Spec = iota
	// Latest is the high watermark: one past the last record, open
	// transactions included.
	Latest
	// Stable is the last stable offset: the end for read_committed readers.
	Stable
)

// ListOffsets returns the offset of each of the partitions. It fails if that
// of any one could not be found out.
func (a *Admin) ListOffsets(ctx context.Context, spec Spec, tps ...TopicPartition) (map[TopicPartition]int64, error) {
	ask := map[Spec]func(context.Context, ...string) (kadm.ListedOffsets, error){
		Earliest: a.adm.ListStartOffsets, Latest: a.adm.ListEndOffsets, Stable: a.adm.ListCommittedOffsets,
	}[spec]
	return a.listOffsets(ctx, ask, tps)
}

// OffsetsAt returns for each partition the offset of its first record with at
// least the timestamp (milliseconds since the epoch), or its end if none has.
func (a *Admin) OffsetsAt(ctx context.Context, timestamp int64, tps ...TopicPartition) (map[TopicPartition]int64, error) {
	return a.listOffsets(ctx, func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
		return a.adm.ListOffsetsAfterMilli(ctx, timestamp, topics...)
	}, tps)
}

func (a *Admin) listOffsets(ctx context.Context, ask func(context.Context, ...string) (kadm.ListedOffsets, error), tps []TopicPartition) (map[TopicPartition]int64, error) {
	out := make(map[TopicPartition]int64, len(tps))
	if len(tps) == 0 {
		return out, nil
	}
	topics := slices.Sorted(maps.Keys(nest(tps)))
	listed, err := ask(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("list offsets of %v: %w", topics, explain(err))
	}
	for _, tp := range tps {
		o, ok := listed.Lookup(tp.Topic, tp.Partition)
		if !ok {
			return nil, fmt.Errorf("list offsets of %s: %w", tp, ErrUnknownTopic)
		}
		if o.Err != nil {
			return nil, fmt.Errorf("list offsets of %s: %w", tp, explain(o.Err))
		}
		out[tp] = o.Offset
	}
	return out, nil
}

// DeleteRecords removes from each partition the records before the offset.
func (a *Admin) DeleteRecords(ctx context.Context, before map[TopicPartition]int64) error {
	if len(before) == 0 {
		return nil
	}
	var os kadm.Offsets
	for tp, o := range before {
		os.AddOffset(tp.Topic, tp.Partition, o, -1)
	}
	resp, err := a.adm.DeleteRecords(ctx, os)
	if err != nil {
		return fmt.Errorf("delete records of %d partitions: %w", len(before), explain(err))
	}
	for _, r := range resp.Sorted() {
		if r.Err != nil {
			return fmt.Errorf("delete records of %s-%d before offset %d: %w", r.Topic, r.Partition,
				before[TopicPartition{r.Topic, r.Partition}], explain(r.Err))
		}
	}
	return nil
}
