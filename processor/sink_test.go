package processor_test

import (
	"errors"
	"testing"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// sendingHost is a task that keeps what its sinks send.
type sendingHost struct {
	processor.Host
	partitions int32
	sent       []processor.Outgoing
	rc         record.Context
}

func (h *sendingHost) RecordContext() *record.Context { return &h.rc }
func (h *sendingHost) TopicName(topic string) string  { return topic }
func (h *sendingHost) Partitions(string) (int32, error) {
	if h.partitions == 0 {
		return 0, errors.New("no such topic")
	}
	return h.partitions, nil
}
func (h *sendingHost) Send(out processor.Outgoing) error {
	h.sent = append(h.sent, out)
	return nil
}

type windowedKey = window.Windowed[string]

// windowedSink is a sink of counts by windowed key, as To makes it.
func windowedSink(t *testing.T, h *sendingHost, p processor.Partitioner[windowedKey, int64]) *processor.Sink[windowedKey, int64] {
	t.Helper()
	key := window.SerdeMillis(serde.String(), 500)
	s := processor.NewSink(processor.SinkConfig[windowedKey, int64]{Key: key, Value: serde.Int64(), Topic: "out",
		Partitioner: p, Windowed: key.(window.BaseKeySerde[windowedKey])})
	if err := s.Init(processor.NewNode("sink", s, h, nil, false)); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWindowedPartitions compares with WindowedStreamPartitioner of Java.
func TestWindowedPartitions(t *testing.T) {
	for n, want := range map[int32]int32{1: 0, 3: 2, 10: 2, 64: 32} {
		h := &sendingHost{partitions: n}
		s := windowedSink(t, h, nil)
		for _, start := range []int64{0, 1000, 99000} {
			rec := processor.Record[windowedKey, int64]{Key: windowedKey{Key: "k", Start: start, End: start + 500}, Value: 1, Headers: &record.Headers{}}
			if err := s.Receive(rec); err != nil {
				t.Fatal(err)
			}
		}
		for _, out := range h.sent {
			if out.Partition != want || len(out.Key) != 9 {
				t.Errorf("%d partitions: key %x went to %d, Java's to %d", n, out.Key, out.Partition, want)
			}
		}
	}
}

func TestWindowedPartitionsFail(t *testing.T) {
	h := &sendingHost{partitions: 3}
	s := windowedSink(t, h, nil)
	if err := s.Receive(processor.Record[windowedKey, int64]{KeyNull: true}); !errors.Is(err, processor.ErrNull) {
		t.Errorf("a null key: got %v", err)
	}
	h.partitions = 0
	if err := s.Receive(processor.Record[windowedKey, int64]{}); err == nil {
		t.Error("a topic without partitions was written")
	}
	h.partitions = 3
	s = windowedSink(t, h, func(string, processor.Record[windowedKey, int64], int32) ([]int32, bool) { return []int32{1}, false })
	if err := s.Receive(processor.Record[windowedKey, int64]{Key: windowedKey{Key: "k"}}); err != nil || h.sent[0].Partition != 1 {
		t.Errorf("the partitioner that was given has not decided: %v, %v", h.sent, err)
	}
}
