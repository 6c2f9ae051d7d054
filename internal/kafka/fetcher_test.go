package kafka_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/millrace/millrace/internal/kafka"
)

var log0 = kafka.TopicPartition{Topic: "log"}

func fetcher(t *testing.T, c *kfake.Cluster, committed bool) *kafka.Fetcher {
	t.Helper()
	cfg := config(c)
	cfg.ReadCommitted = committed
	f, err := kafka.NewFetcher(t.Context(), kafka.FetcherConfig{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// restore reads from an offset to the present end and returns values and end.
func restore(t *testing.T, c *kfake.Cluster, committed bool, from int64) (string, int64) {
	t.Helper()
	f := fetcher(t, c, committed)
	ends, err := f.Admin().ListOffsets(deadline(t), kafka.Latest, log0)
	if err != nil {
		t.Fatal(err)
	}
	f.Add(log0, from)
	var got []string
	at := from
	err = f.ReadTo(deadline(t), ends, func(b kafka.Batch) error {
		for _, r := range b.Records {
			got = append(got, string(r.Value))
		}
		at = b.Next
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(got, " "), at
}

func TestRestoreEnds(t *testing.T) {
	for _, tt := range []struct {
		name      string
		committed bool
		prepare   func(*testing.T, *kfake.Cluster)
		from      int64
		want      string
		end       int64
	}{
		{"empty topic", false, func(*testing.T, *kfake.Cluster) {}, 0, "", 0},
		{"in sync", false, func(t *testing.T, c *kfake.Cluster) { fill(t, c, "log", "a", "b") }, 2, "", 2},
		{"part", false, func(t *testing.T, c *kfake.Cluster) { fill(t, c, "log", "a", "b", "c") }, 1, "b c", 3},
		{"tail is a commit marker", true, func(t *testing.T, c *kfake.Cluster) {
			transact(t, c, "log", kgo.TryCommit, "a", "b")
		}, 0, "a b", 3},
		{"only the marker is left", true, func(t *testing.T, c *kfake.Cluster) {
			transact(t, c, "log", kgo.TryCommit, "a", "b")
		}, 2, "", 3},
		{"tail is aborted data and its marker", true, func(t *testing.T, c *kfake.Cluster) {
			fill(t, c, "log", "a")
			transact(t, c, "log", kgo.TryAbort, "x", "y")
		}, 0, "a", 4},
		{"aborted data, read uncommitted", false, func(t *testing.T, c *kfake.Cluster) {
			transact(t, c, "log", kgo.TryAbort, "x", "y")
		}, 0, "x y", 3},
		{"compacted", false, func(t *testing.T, c *kfake.Cluster) {
			fill(t, c, "log", "z", "a", "b", "a", "c", "b")
			c.Compact()
		}, 0, "z b a c b", 6}, // the last batch is never cleaned,
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := cluster(t, nil)
			if err := c.CreateTopic("log", 1, map[string]string{"cleanup.policy": "compact", "retention.ms": "-1"}); err != nil {
				t.Fatal(err)
			}
			tt.prepare(t, c)
			got, at := restore(t, c, tt.committed, tt.from)
			if got != tt.want || at != tt.end {
				t.Errorf("read %q up to %d, want %q up to %d", got, at, tt.want, tt.end)
			}
		})
	}
}

// TestRestorePassesEmptiedTail answers a fetch with a batch whose records
// compaction has removed: only the batch header tells where it ended.
func TestRestorePassesEmptiedTail(t *testing.T) {
	c := cluster(t, map[string]int{"log": 1})
	fill(t, c, "log", "a", "b", "c")
	batch := kmsg.RecordBatch{Magic: 2, LastOffsetDelta: 2, NumRecords: 0, Length: 49, PartitionLeaderEpoch: 0,
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1}
	bytes := batch.AppendTo(nil)
	binary.BigEndian.PutUint32(bytes[17:], crc32.Checksum(bytes[21:], crc32.MakeTable(crc32.Castagnoli)))
	c.ControlKey(int16(kmsg.Fetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := kreq.(*kmsg.FetchRequest)
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		for _, rt := range req.Topics {
			t := kmsg.NewFetchResponseTopic()
			t.Topic, t.TopicID = rt.Topic, rt.TopicID
			p := kmsg.NewFetchResponseTopicPartition()
			p.HighWatermark, p.LastStableOffset = 3, 3
			p.RecordBatches = bytes
			t.Partitions = append(t.Partitions, p)
			resp.Topics = append(resp.Topics, t)
		}
		return resp, nil, true
	})
	f := fetcher(t, c, false)
	f.Add(log0, 0)
	err := f.ReadTo(deadline(t), map[kafka.TopicPartition]int64{log0: 3}, func(b kafka.Batch) error {
		if len(b.Records) != 0 || b.Next != 3 {
			t.Errorf("batch %+v, want none up to 3", b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOutOfRangeTellsLogStart(t *testing.T) {
	c := cluster(t, map[string]int{"log": 1})
	fill(t, c, "log", "a", "b", "c")
	if err := c.DeleteRecords("log", 0, 2); err != nil {
		t.Fatal(err)
	}
	f := fetcher(t, c, false)
	f.Add(log0, 1)
	bs, err := f.Poll(deadline(t))
	if err != nil || len(bs) != 1 {
		t.Fatalf("batches %+v, %v", bs, err)
	}
	if b := bs[0]; !errors.Is(b.Err, kafka.ErrOutOfRange) || b.LogStart != 2 || b.Next != 1 {
		t.Errorf("batch %+v, want out of range with log start 2", b)
	}
	if f.Len() != 0 {
		t.Error("the partition is still being read")
	}
	f.Add(log0, 2)
	if bs, err = f.Poll(deadline(t)); err != nil || len(bs) != 1 || bs[0].Next != 3 {
		t.Errorf("after starting again at 2: %+v, %v", bs, err)
	}
}

func TestFetcherFollowsLikeAStandby(t *testing.T) {
	c := cluster(t, map[string]int{"log": 1, "log2": 1})
	f := fetcher(t, c, false)
	f.Add(log0, 0)
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if bs, err := f.Poll(short); err != nil || len(bs) != 0 {
		t.Fatalf("poll of an empty topic: %v, %v", bs, err)
	}
	for i := range 3 {
		fill(t, c, "log", fmt.Sprint(i))
		bs, err := f.Poll(deadline(t))
		if err != nil || len(bs) != 1 || bs[0].Next != int64(i+1) || string(bs[0].Records[0].Value) != fmt.Sprint(i) {
			t.Fatalf("round %d: %+v, %v", i, bs, err)
		}
	}
	// Seeking back while a request is under way must not mix the two.
	f.Add(log0, 1)
	bs, err := f.Poll(deadline(t))
	if err != nil || len(bs) != 1 || len(bs[0].Records) != 2 || bs[0].Records[0].Offset != 1 {
		t.Fatalf("after starting again at 1: %+v, %v", bs, err)
	}
	f.Remove(log0)
	fill(t, c, "log", "unseen")
	fill(t, c, "log2", "seen")
	f.Add(kafka.TopicPartition{Topic: "log2"}, 0)
	if bs, err = f.Poll(deadline(t)); err != nil || len(bs) != 1 || bs[0].Topic != "log2" {
		t.Fatalf("after removing log: %+v, %v", bs, err)
	}
}

func TestFetcherFollowsLeaderAndSurvivesErrors(t *testing.T) {
	c := cluster(t, map[string]int{"log": 1}, kfake.NumBrokers(2))
	fill(t, c, "log", "a")
	f := fetcher(t, c, false)
	f.Add(log0, 0)
	if bs, err := f.Poll(deadline(t)); err != nil || len(bs) != 1 {
		t.Fatalf("%v, %v", bs, err)
	}
	if err := c.MoveTopicPartition("log", 0, 1-c.LeaderFor("log", 0)); err != nil {
		t.Fatal(err)
	}
	fill(t, c, "log", "b")
	if bs, err := f.Poll(deadline(t)); err != nil || len(bs) != 1 || string(bs[0].Records[0].Value) != "b" {
		t.Fatalf("after the leader moved: %+v, %v", bs, err)
	}
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 2})
	fill(t, c, "log", "c")
	if bs, err := f.Poll(deadline(t)); err != nil || len(bs) != 1 || string(bs[0].Records[0].Value) != "c" {
		t.Fatalf("after faults: %+v, %v", bs, err)
	}
}

func TestFetcherGivesUpOnUnknownTopic(t *testing.T) {
	c := cluster(t, nil)
	f := fetcher(t, c, false)
	f.Add(kafka.TopicPartition{Topic: "gone", Partition: 2}, 7)
	bs, err := f.Poll(deadline(t))
	if err != nil || len(bs) != 1 || !errors.Is(bs[0].Err, kafka.ErrUnknownTopic) || !strings.Contains(bs[0].Err.Error(), "gone-2") {
		t.Fatalf("%+v, %v", bs, err)
	}
}

func TestReadToStopsAtEndInsideBatch(t *testing.T) {
	c := cluster(t, map[string]int{"log": 1})
	p := producer(t, c, kafka.ProducerConfig{})
	for _, v := range []string{"a", "b", "c", "d"} {
		if err := p.Produce(t.Context(), "log", 0, nil, []byte(v), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Flush(deadline(t)); err != nil {
		t.Fatal(err)
	}
	f := fetcher(t, c, false)
	f.Add(log0, 0)
	var got []string
	err := f.ReadTo(deadline(t), map[kafka.TopicPartition]int64{log0: 2}, func(b kafka.Batch) error {
		for _, r := range b.Records {
			got = append(got, string(r.Value))
		}
		return nil
	})
	if diff := cmp.Diff([]string{"a", "b"}, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
}
