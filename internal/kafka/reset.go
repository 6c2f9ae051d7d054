package kafka

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ResetKind is a choice of auto.offset.reset.
type ResetKind int

const (
	// ResetEarliest starts at the beginning of the log.
	ResetEarliest ResetKind = iota
	// ResetLatest starts at its end.
	ResetLatest
	// ResetNone fails the partition with ErrNoOffset or ErrOutOfRange.
	ResetNone
	// ResetByDuration starts at the first record not older than Ago, seen
	// from the wall clock (KIP-1106).
	ResetByDuration
)

// Reset says where a partition without a valid position starts.
type Reset struct {
	Kind ResetKind
	Ago  time.Duration
}

// since is where ResetByDuration starts; negative times mean something else to
// the broker.
func (r Reset) since() int64 { return max(0, time.Now().Add(-r.Ago).UnixMilli()) }

func (c *Consumer) resetOf(topic string) Reset {
	if c.cfg.Reset == nil {
		return Reset{}
	}
	return c.cfg.Reset(topic)
}

// patterns spells the subscription as regular expressions: the literal topics
// quoted, so that one client can take both.
func patterns(cfg ConsumerConfig) []string {
	out := make([]string, 0, len(cfg.Topics)+1)
	for _, t := range cfg.Topics {
		out = append(out, "^"+regexp.QuoteMeta(t)+"$")
	}
	return append(out, "^(?:"+cfg.Pattern+")$") // Java matches the whole name
}

// onOffsetsFetched keeps the committed offsets of newly assigned partitions
// for the next Poll, which returns them ahead of any record.
func (c *Consumer) onOffsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.committed == nil {
		c.committed = make(map[TopicPartition]OffsetAndMeta)
	}
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				tp := TopicPartition{t.Topic, p.Partition}
				delete(c.committed, tp)
				if p.ErrorCode != 0 || p.Offset < 0 {
					continue
				}
				o := OffsetAndMeta{Offset: p.Offset, LeaderEpoch: p.LeaderEpoch}
				if p.Metadata != nil {
					o.Metadata = *p.Metadata
				}
				c.committed[tp] = o
			}
		}
	}
	return nil
}

// adjustOffsets sets where partitions without a commit start. The committed
// ones are those that onOffsetsFetched has just seen.
func (c *Consumer) adjustOffsets(_ context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic, ps := range offsets {
		for p := range ps {
			tp := TopicPartition{topic, p}
			if _, ok := c.committed[tp]; ok {
				continue
			}
			switch r := c.resetOf(topic); r.Kind {
			case ResetEarliest:
				ps[p] = kgo.NewOffset().AtStart()
			case ResetLatest:
				ps[p] = kgo.NewOffset().AtEnd()
			case ResetByDuration:
				ps[p] = kgo.NewOffset().AfterMilli(r.since())
			case ResetNone:
				delete(ps, p)
				c.failed = append(c.failed, Batch{TopicPartition: tp, Next: -1, Epoch: -1,
					HighWatermark: -1, LastStable: -1, LogStart: -1,
					Err: fmt.Errorf("start %s in group %s: %w", tp, c.cfg.Group, ErrNoOffset)})
			}
		}
	}
	return offsets, nil
}

// recover turns a position that is not in the log into a jump, where the reset
// policy says so. What it cannot mend stays in b.Err.
func (c *Consumer) recover(ctx context.Context, b *Batch) {
	var loss *kgo.ErrDataLoss
	if errors.As(b.Err, &loss) { // the client has moved the position already
		b.Err, b.Reset, b.Next = nil, true, loss.ResetTo
		return
	}
	if !errors.Is(b.Err, kerr.OffsetOutOfRange) {
		return
	}
	to, err := c.resetOffset(ctx, b.TopicPartition)
	if err != nil {
		b.Err = fmt.Errorf("%w (reset: %w)", b.Err, err)
		return
	}
	c.Seek(map[TopicPartition]int64{b.TopicPartition: to})
	b.Err, b.Reset, b.Next = nil, true, to
}

func (c *Consumer) resetOffset(ctx context.Context, tp TopicPartition) (int64, error) {
	var at map[TopicPartition]int64
	var err error
	switch r := c.resetOf(tp.Topic); r.Kind {
	case ResetEarliest:
		at, err = c.adm.ListOffsets(ctx, Earliest, tp)
	case ResetLatest:
		at, err = c.adm.ListOffsets(ctx, Latest, tp)
	case ResetByDuration:
		at, err = c.adm.OffsetsAt(ctx, r.since(), tp)
	default:
		err = errors.New("auto.offset.reset is none")
	}
	return at[tp], err
}
