package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// lookEvery is the time between two looks at a group's offsets.
const lookEvery = 50 * time.Millisecond

// Progress is how far a group has come in one topic, over all partitions:
// Done of Total records.
type Progress struct{ Done, Total int64 }

// Drained waits until the group of an application has processed all records
// of the topics it reads, its repartition topics included, and reports after
// each look how far it is. Nothing else may write to the input topics in the
// meantime.
//
// Committed offsets are enough to be sure: an application commits an input only
// after all that follows from it has been written. So when the group's
// offsets, read first, equal the ends of all topics, read afterwards, nothing
// is under way between them any more.
func (s *Stage) Drained(ctx context.Context, group string, topics []string, report func(map[string]Progress)) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		progress, drained, err := s.progress(ctx, group, topics)
		if err != nil {
			return fmt.Errorf("see how far group %s has come: %w", group, err)
		}
		if progress != nil && report != nil {
			report(progress)
		}
		if drained {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// progress is nil as long as a topic does not exist.
func (s *Stage) progress(ctx context.Context, group string, topics []string) (map[string]Progress, bool, error) {
	committed, err := s.admin.FetchOffsets(ctx, group)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return nil, false, err
	}
	var offsets [2]kadm.ListedOffsets
	for i, list := range []func(context.Context, ...string) (kadm.ListedOffsets, error){s.admin.ListStartOffsets, s.admin.ListEndOffsets} {
		if offsets[i], err = list(ctx, topics...); err == nil {
			err = offsets[i].Error()
		}
		if errors.Is(err, kerr.UnknownTopicOrPartition) {
			return nil, false, nil // not made yet
		}
		if err != nil {
			return nil, false, err
		}
	}
	progress, drained := make(map[string]Progress), true
	offsets[1].Each(func(end kadm.ListedOffset) {
		at, _ := offsets[0].Lookup(end.Topic, end.Partition)
		done := at.Offset
		if c, ok := committed.Lookup(end.Topic, end.Partition); ok && c.At >= 0 {
			done = c.At
		}
		p := progress[end.Topic]
		p.Done, p.Total = p.Done+done, p.Total+end.Offset
		progress[end.Topic] = p
		drained = drained && done >= end.Offset
	})
	return progress, drained && len(progress) == len(topics), nil
}
