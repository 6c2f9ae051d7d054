package kafka_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/internal/kafka"
)

func newAdmin(t *testing.T, cfg kafka.Config) *kafka.Admin {
	t.Helper()
	a, err := kafka.NewAdmin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func TestPing(t *testing.T) {
	c := cluster(t, nil)
	if err := newAdmin(t, config(c)).Ping(deadline(t)); err != nil {
		t.Error(err)
	}
	// A port that was just closed refuses.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	err = newAdmin(t, kafka.Config{Brokers: []string{addr}, ConnectTimeout: 200 * time.Millisecond}).Ping(deadline(t))
	if !errors.Is(err, kafka.ErrUnreachable) || !kafka.Retriable(err) {
		t.Fatalf("error %v, want a retriable ErrUnreachable", err)
	}
	for _, want := range []string{addr, "refused", "bootstrap.servers"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newAdmin(t, kafka.Config{Brokers: []string{addr}}).Ping(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestWrongPassword(t *testing.T) {
	c := cluster(t, nil, kfake.EnableSASL(), kfake.Superuser("PLAIN", "u", "right"), kfake.Superuser("SCRAM-SHA-256", "u", "right"))
	for _, mech := range []string{"PLAIN", "SCRAM-SHA-256"} {
		cfg := config(c)
		cfg.SASL = &kafka.SASL{Mechanism: mech, User: "u", Password: "right"}
		if err := newAdmin(t, cfg).Ping(deadline(t)); err != nil {
			t.Errorf("%s: %v", mech, err)
		}
		cfg.SASL = &kafka.SASL{Mechanism: mech, User: "u", Password: "wrong"}
		err := newAdmin(t, cfg).Ping(deadline(t))
		if !errors.Is(err, kafka.ErrNotAuthorized) || kafka.Retriable(err) || !strings.Contains(err.Error(), "password") {
			t.Errorf("%s, wrong password: %v", mech, err)
		}
	}
	cfg := config(c)
	cfg.SASL = &kafka.SASL{Mechanism: "GSSAPI"}
	if _, err := kafka.NewAdmin(cfg); err == nil || !strings.Contains(err.Error(), "SCRAM-SHA-256") {
		t.Errorf("unknown mechanism: %v", err)
	}
}

func TestTopics(t *testing.T) {
	c := cluster(t, map[string]int{"in": 2})
	a := newAdmin(t, config(c))
	ctx := deadline(t)
	if err := a.CreateTopic(ctx, "log", 3, -1, map[string]string{"cleanup.policy": "compact"}); err != nil {
		t.Fatal(err)
	}
	if err := a.CreateTopic(ctx, "log", 3, -1, nil); !errors.Is(err, kafka.ErrTopicExists) || !strings.Contains(err.Error(), "log") {
		t.Errorf("creating log again: %v", err)
	}
	got, err := a.DescribeTopics(ctx, "in", "log", "none")
	want := map[string]kafka.TopicInfo{"in": {Name: "in", Partitions: 2, Replicas: 1}, "log": {Name: "log", Partitions: 3, Replicas: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
	all, err := a.DescribeTopics(ctx)
	if diff := cmp.Diff(want, all); err != nil || diff != "" {
		t.Error(diff, err)
	}
	configs, err := a.DescribeConfigs(ctx, "log")
	if err != nil || configs["cleanup.policy"] != "compact" {
		t.Errorf("configs %v, %v", configs, err)
	}
	if _, err := a.DescribeConfigs(ctx, "none"); !errors.Is(err, kafka.ErrUnknownTopic) {
		t.Errorf("configs of an unknown topic: %v", err)
	}
	if err := a.DeleteTopics(ctx, "log", "none"); err != nil {
		t.Error(err)
	}
	if got, err = a.DescribeTopics(ctx, "log"); err != nil || len(got) != 0 {
		t.Errorf("deleted topic: %v, %v", got, err)
	}
}

func TestOffsets(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	a := newAdmin(t, config(c))
	ctx := deadline(t)
	fill(t, c, "in", "a", "b", "c")
	// An open transaction: the stable offset stays behind.
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.TransactionalID("open"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(ctx, &kgo.Record{Topic: "in", Value: []byte("open")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := a.DeleteRecords(ctx, map[kafka.TopicPartition]int64{in0: 1}); err != nil {
		t.Fatal(err)
	}
	for spec, want := range map[kafka.Spec]int64{kafka.Earliest: 1, kafka.Latest: 4, kafka.Stable: 3} {
		got, err := a.ListOffsets(ctx, spec, in0)
		if diff := cmp.Diff(map[kafka.TopicPartition]int64{in0: want}, got); err != nil || diff != "" {
			t.Error(spec, diff, err)
		}
	}
	at, err := a.OffsetsAt(ctx, 1000, in0)
	if err != nil || at[in0] != 1 {
		t.Errorf("offset at 1000 ms: %v, %v, want 1", at, err)
	}
	no := kafka.TopicPartition{Topic: "none", Partition: 3}
	if _, err := a.ListOffsets(ctx, kafka.Latest, in0, no); !errors.Is(err, kafka.ErrUnknownTopic) || !strings.Contains(err.Error(), "none-3") {
		t.Errorf("offsets of an unknown topic: %v", err)
	}
	if got, err := a.GroupOffsets(ctx, "nobody"); err != nil || len(got) != 0 {
		t.Errorf("offsets of an unknown group: %v, %v", got, err)
	}
}

func TestGroupOffsetsHaveMetadata(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	fill(t, c, "in", "a")
	con := join(t, c, newSpread(t, "a"), nil)
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 1 })
	want := map[kafka.TopicPartition]kafka.OffsetAndMeta{in0: {Offset: 1, LeaderEpoch: 3, Metadata: "AQ=="}}
	if err := con.CommitOffsets(deadline(t), want); err != nil {
		t.Fatal(err)
	}
	got, err := newAdmin(t, config(c)).GroupOffsets(deadline(t), "g")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
}
