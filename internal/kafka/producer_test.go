package kafka_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/murmur"
	"github.com/millrace/millrace/record"
)

func producer(t *testing.T, c *kfake.Cluster, cfg kafka.ProducerConfig) *kafka.Producer {
	t.Helper()
	cfg.Config = config(c)
	p, err := kafka.NewProducer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// readAll reads a topic from its beginning to its present end.
func readAll(t *testing.T, c *kfake.Cluster, committed bool, tps ...kafka.TopicPartition) map[kafka.TopicPartition][]record.Raw {
	t.Helper()
	cfg := config(c)
	cfg.ReadCommitted = committed
	f, err := kafka.NewFetcher(t.Context(), kafka.FetcherConfig{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ends, err := f.Admin().ListOffsets(deadline(t), kafka.Latest, tps...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tp := range tps {
		f.Add(tp, 0)
	}
	got := map[kafka.TopicPartition][]record.Raw{}
	err = f.ReadTo(deadline(t), ends, func(b kafka.Batch) error {
		got[b.TopicPartition] = append(got[b.TopicPartition], b.Records...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestProduceKeepsBytesNullsHeadersAndTime(t *testing.T) {
	c := cluster(t, map[string]int{"out": 2})
	p := producer(t, c, kafka.ProducerConfig{})
	big := slices.Repeat([]byte("x"), 300_000)
	key := []byte("k")
	send := func(k, v []byte, h ...record.Header) {
		if err := p.Produce(t.Context(), "out", 1, k, v, 123456789, h); err != nil {
			t.Fatal(err)
		}
	}
	send(key, []byte("v"), record.Header{Key: "h", Value: []byte("1")}, record.Header{Key: "h"}, record.Header{Key: "h", Value: []byte{}})
	key[0] = '!' // the caller may use its memory again at once
	send(nil, []byte{})
	send([]byte{}, nil)
	send([]byte("big"), big)
	if err := p.Flush(deadline(t)); err != nil {
		t.Fatal(err)
	}
	tp := kafka.TopicPartition{Topic: "out", Partition: 1}
	raw := func(offset int64, k, v []byte, h ...record.Header) record.Raw {
		return record.Raw{Offset: offset, Timestamp: 123456789, Key: k, Value: v, Headers: h}
	}
	want := []record.Raw{
		raw(0, []byte("k"), []byte("v"), record.Header{Key: "h", Value: []byte("1")}, record.Header{Key: "h"}, record.Header{Key: "h", Value: []byte{}}),
		raw(1, nil, []byte{}), raw(2, []byte{}, nil), raw(3, []byte("big"), big),
	}
	if diff := cmp.Diff(want, readAll(t, c, false, tp)[tp]); diff != "" {
		t.Error(diff)
	}
	if o, ok := p.Acked(tp); o != 3 || !ok {
		t.Errorf("acked %d %v, want 3", o, ok)
	}
	if _, ok := p.Acked(kafka.TopicPartition{Topic: "out"}); ok {
		t.Error("a partition without records was acknowledged")
	}
}

func TestProducerChoosesPartitionByKey(t *testing.T) {
	const parts, n = 5, 200
	c := cluster(t, map[string]int{"out": parts})
	p := producer(t, c, kafka.ProducerConfig{})
	for i := range n {
		if err := p.Produce(t.Context(), "out", kafka.ChoosePartition, fmt.Appendf(nil, "key-%d", i), nil, 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.Produce(t.Context(), "out", kafka.ChoosePartition, nil, []byte("v"), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Flush(deadline(t)); err != nil {
		t.Fatal(err)
	}
	var tps []kafka.TopicPartition
	for i := range int32(parts) {
		tps = append(tps, kafka.TopicPartition{Topic: "out", Partition: i})
	}
	keyed, null := 0, 0
	for tp, rs := range readAll(t, c, false, tps...) {
		for _, r := range rs {
			if r.Key == nil {
				null++
				continue
			}
			keyed++
			if want := murmur.Partition(r.Key, parts); want != tp.Partition {
				t.Errorf("key %s is in partition %d, want %d", r.Key, tp.Partition, want)
			}
		}
	}
	if keyed != n || null != n {
		t.Errorf("read %d records with key and %d without, want %d each", keyed, null, n)
	}
}

func TestFailureSticks(t *testing.T) {
	c := cluster(t, map[string]int{"out": 1})
	p := producer(t, c, kafka.ProducerConfig{MaxBatchBytes: 1000})
	send := func(v []byte) error { return p.Produce(t.Context(), "out", 0, []byte("k"), v, 1, nil) }
	if err := errors.Join(send([]byte("ok")), send(make([]byte, 5000))); err != nil {
		t.Fatal(err)
	}
	err := p.Flush(deadline(t))
	if err == nil {
		t.Fatal("a record too large was sent")
	}
	if again := send([]byte("later")); again != err {
		t.Errorf("produce after a failure: %v, want %v", again, err)
	}
	if again := p.Flush(deadline(t)); again != err {
		t.Errorf("flush after a failure: %v, want %v", again, err)
	}
	if rs := readAll(t, c, false, kafka.TopicPartition{Topic: "out"}); len(rs[kafka.TopicPartition{Topic: "out"}]) != 1 {
		t.Errorf("read %v, want the first record alone", rs)
	}
}

func TestFailureMayBeDropped(t *testing.T) {
	c := cluster(t, map[string]int{"out": 1})
	var got []kafka.Failure
	p := producer(t, c, kafka.ProducerConfig{MaxBatchBytes: 1000, OnFailure: func(f kafka.Failure) bool {
		got = append(got, f)
		return true
	}})
	big := make([]byte, 5000)
	h := []record.Header{{Key: "h", Value: []byte("1")}}
	for _, v := range [][]byte{[]byte("a"), big, []byte("b")} {
		if err := p.Produce(t.Context(), "out", 0, []byte("k"), v, 77, h); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Flush(deadline(t)); err != nil {
		t.Fatalf("a dropped failure sticks: %v", err)
	}
	if len(got) != 1 || got[0].Err == nil {
		t.Fatalf("%d failures, want one: %v", len(got), got[0].Err)
	}
	got[0].Err = nil
	want := kafka.Failure{Topic: "out", Key: []byte("k"), Value: big, Timestamp: 77, Headers: h}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
	tp := kafka.TopicPartition{Topic: "out"}
	if rs := readAll(t, c, false, tp)[tp]; len(rs) != 2 {
		t.Errorf("read %v, want a and b", rs)
	}
}

func TestUnknownTopicIsNamed(t *testing.T) {
	c := cluster(t, nil)
	p := producer(t, c, kafka.ProducerConfig{Linger: -1})
	if err := p.Produce(t.Context(), "nowhere", kafka.ChoosePartition, []byte("k"), nil, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Flush(deadline(t)); !errors.Is(err, kafka.ErrUnknownTopic) {
		t.Errorf("error %v, want ErrUnknownTopic", err)
	} else if want := "send to nowhere"; len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
		t.Errorf("error %q does not name the topic", err)
	}
}

func TestProduceAllocatesLittle(t *testing.T) {
	c := cluster(t, map[string]int{"out": 1}, kfake.BlackholeProduce())
	p := producer(t, c, kafka.ProducerConfig{Linger: time.Minute, MaxBufferedRecords: 1 << 20, MaxBufferedBytes: 1 << 30})
	k, v := []byte("some key"), make([]byte, 100)
	n := testing.AllocsPerRun(5000, func() {
		if err := p.Produce(t.Context(), "out", 0, k, v, 1, nil); err != nil {
			t.Fatal(err)
		}
	})
	if n >= 1 {
		t.Errorf("%v allocations a record, want less than one", n)
	}
}
