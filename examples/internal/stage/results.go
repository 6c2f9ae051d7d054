package stage

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Read hands the records that a topic holds now to each, in the order of each
// partition.
func (s *Stage) Read(ctx context.Context, topic string, each func(key, value []byte)) error {
	ends, err := s.admin.ListEndOffsets(ctx, topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return fmt.Errorf("find the end of topic %s: %w", topic, err)
	}
	starts, err := s.admin.ListStartOffsets(ctx, topic)
	if err == nil {
		err = starts.Error()
	}
	if err != nil {
		return fmt.Errorf("find the start of topic %s: %w", topic, err)
	}
	open := make(map[int32]int64) // partitions not read to their end yet
	ends.Each(func(o kadm.ListedOffset) {
		if start, _ := starts.Lookup(topic, o.Partition); start.Offset < o.Offset {
			open[o.Partition] = o.Offset
		}
	})
	if len(open) == 0 {
		return nil
	}
	return s.consume(ctx, topic, func(r *kgo.Record) bool {
		end, ok := open[r.Partition]
		if !ok || r.Offset >= end {
			return true // written after the look at the ends
		}
		if !r.Attrs.IsControl() {
			each(r.Key, r.Value)
		}
		if r.Offset == end-1 {
			delete(open, r.Partition)
		}
		return len(open) > 0
	})
}

// Follow hands the records of a topic to each, from the first and as they
// come, until the context ends, which is no error.
func (s *Stage) Follow(ctx context.Context, topic string, each func(key, value []byte)) error {
	err := s.consume(ctx, topic, func(r *kgo.Record) bool {
		if !r.Attrs.IsControl() {
			each(r.Key, r.Value)
		}
		return true
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// consume reads a topic from the start until next returns false. It sees the
// markers of transactions too, since one may be the last record there is.
func (s *Stage) consume(ctx context.Context, topic string, next func(*kgo.Record) bool) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(s.brokers...), kgo.ConsumeTopics(topic), kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return fmt.Errorf("make a consumer for %s: %w", s, err)
	}
	defer c.Close()
	for {
		fetches := c.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read topic %s: %w", topic, err)
		}
		for iter := fetches.RecordIter(); !iter.Done(); {
			if !next(iter.Next()) {
				return nil
			}
		}
	}
}
