package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CommitOffsets commits as this member in its present generation and waits for
// the broker. [ErrMigrated] means that the member was fenced and nothing was
// committed; [ErrRebalancing] and [Retriable] failures may be tried again.
func (c *Consumer) CommitOffsets(ctx context.Context, offsets map[TopicPartition]OffsetAndMeta) error {
	if len(offsets) == 0 {
		return nil
	}
	if id, generation := c.cl.GroupMetadata(); id == "" || generation < 0 {
		return fmt.Errorf("commit %d offsets of group %s: not a member: %w", len(offsets), c.cfg.Group, ErrMigrated)
	}
	commit := make(map[string]map[int32]kgo.EpochOffset)
	for tp, o := range offsets {
		if commit[tp.Topic] == nil {
			commit[tp.Topic] = make(map[int32]kgo.EpochOffset)
		}
		commit[tp.Topic][tp.Partition] = kgo.EpochOffset{Epoch: o.LeaderEpoch, Offset: o.Offset}
	}
	ctx = kgo.PreCommitFnContext(ctx, func(req *kmsg.OffsetCommitRequest) error {
		if req.MemberID == "" || req.Generation < 0 {
			return ErrMigrated // an anonymous commit would pass the broker's fence
		}
		for i := range req.Topics {
			t := &req.Topics[i]
			for j := range t.Partitions {
				meta := offsets[TopicPartition{t.Topic, t.Partitions[j].Partition}].Metadata
				t.Partitions[j].Metadata = &meta
			}
		}
		return nil
	})
	var failed error
	c.cl.CommitOffsetsSync(ctx, commit, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		failed = commitFailure(resp, err)
	})
	if failed != nil {
		return fmt.Errorf("commit %d offsets of group %s: %w", len(offsets), c.cfg.Group, failed)
	}
	return nil
}

// commitFailure is the first error of the answer; being fenced goes first,
// since it holds for all partitions.
func commitFailure(resp *kmsg.OffsetCommitResponse, err error) error {
	if err != nil || resp == nil {
		return explain(err)
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if e := kerr.ErrorForCode(p.ErrorCode); e != nil && err == nil {
				err = fmt.Errorf("%s-%d: %w", t.Topic, p.Partition, explain(e))
			}
		}
	}
	return err
}

// Committed asks the broker for committed offsets; a partition without one is
// absent. Offsets that an open transaction is about to change are waited for
// (UNSTABLE_OFFSET_COMMIT) until the context ends.
func (c *Consumer) Committed(ctx context.Context, tps ...TopicPartition) (map[TopicPartition]OffsetAndMeta, error) {
	return c.adm.Committed(ctx, c.cfg.Group, tps...)
}
