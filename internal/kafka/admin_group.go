package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// GroupOffsets returns all committed offsets of a group; empty if the group
// does not exist.
func (a *Admin) GroupOffsets(ctx context.Context, group string) (map[TopicPartition]OffsetAndMeta, error) {
	resp, err := a.adm.FetchOffsets(ctx, group)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return map[TopicPartition]OffsetAndMeta{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("fetch offsets of group %s: %w", group, explain(err))
	}
	out := make(map[TopicPartition]OffsetAndMeta)
	for _, r := range resp.Sorted() {
		if r.Err != nil {
			return nil, fmt.Errorf("fetch offset of group %s for %s-%d: %w", group, r.Topic, r.Partition, explain(r.Err))
		}
		if r.At >= 0 {
			out[TopicPartition{r.Topic, r.Partition}] = OffsetAndMeta{r.At, r.LeaderEpoch, r.Metadata}
		}
	}
	return out, nil
}

// Committed returns the stable committed offsets of the partitions in a
// group; those without one are absent. While an open transaction is about to
// change one it tries again until the context ends.
func (a *Admin) Committed(ctx context.Context, group string, tps ...TopicPartition) (map[TopicPartition]OffsetAndMeta, error) {
	out := make(map[TopicPartition]OffsetAndMeta, len(tps))
	if len(tps) == 0 {
		return out, nil
	}
	for try := 1; ; try++ {
		err := a.fetchCommitted(ctx, group, tps, out)
		if err == nil {
			return out, nil
		}
		if !errors.Is(err, kerr.UnstableOffsetCommit) {
			return nil, fmt.Errorf("fetch committed offsets of group %s: %w", group, explain(err))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("fetch committed offsets of group %s: %w: %w", group, ctx.Err(), err)
		case <-time.After(backoff(try)):
		}
	}
}

func (a *Admin) fetchCommitted(ctx context.Context, group string, tps []TopicPartition, out map[TopicPartition]OffsetAndMeta) error {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = true
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group
	byTopic := nest(tps)
	for _, topic := range sortedKeys(byTopic) {
		t := kmsg.NewOffsetFetchRequestGroupTopic()
		t.Topic, t.Partitions = topic, byTopic[topic]
		g.Topics = append(g.Topics, t)
	}
	req.Groups = append(req.Groups, g)
	resp, err := req.RequestWith(ctx, a.cl)
	if err != nil {
		return err
	}
	for _, rg := range resp.Groups {
		if err := kerr.ErrorForCode(rg.ErrorCode); err != nil {
			return err
		}
		for _, t := range rg.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					return fmt.Errorf("%s-%d: %w", t.Topic, p.Partition, err)
				}
				if p.Offset < 0 {
					continue
				}
				o := OffsetAndMeta{Offset: p.Offset, LeaderEpoch: p.LeaderEpoch}
				if p.Metadata != nil {
					o.Metadata = *p.Metadata
				}
				out[TopicPartition{t.Topic, p.Partition}] = o
			}
		}
	}
	return nil
}
