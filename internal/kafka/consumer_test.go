package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/millrace/millrace/internal/kafka"
)

// pollUntil polls until the condition on all that was read holds.
func pollUntil(t *testing.T, con *kafka.Consumer, cond func(kafka.Fetches) bool) kafka.Fetches {
	t.Helper()
	ctx := deadline(t)
	all := kafka.Fetches{Committed: map[kafka.TopicPartition]kafka.OffsetAndMeta{}}
	for !cond(all) {
		if ctx.Err() != nil {
			t.Fatalf("waited in vain, read %+v", all)
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		f := con.Poll(short)
		cancel()
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		all.Batches = append(all.Batches, f.Batches...)
		for tp, o := range f.Committed {
			all.Committed[tp] = o
		}
		con.AllowRebalance()
	}
	return all
}

func values(f kafka.Fetches) []string {
	var out []string
	for _, b := range f.Batches {
		for _, r := range b.Records {
			out = append(out, string(r.Value))
		}
	}
	return out
}

func next(f kafka.Fetches, tp kafka.TopicPartition) int64 {
	n := int64(-1)
	for _, b := range f.Batches {
		if b.TopicPartition == tp {
			n = b.Next
		}
	}
	return n
}

var in0 = kafka.TopicPartition{Topic: "in"}

func TestPositionPassesTransactionMarkers(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	transact(t, c, "in", kgo.TryCommit, "a", "b")
	transact(t, c, "in", kgo.TryAbort, "x")
	con := join(t, c, newSpread(t, "a"), func(cfg *kafka.ConsumerConfig) { cfg.ReadCommitted = true })
	f := pollUntil(t, con, func(f kafka.Fetches) bool { return next(f, in0) >= 5 })
	if diff := cmp.Diff([]string{"a", "b"}, values(f)); diff != "" {
		t.Error(diff)
	}
	if n := next(f, in0); n != 5 { // a b commit x abort
		t.Errorf("position %d, want 5, past the abort marker", n)
	}
}

func TestCommitIsReadBackWithMetadata(t *testing.T) {
	c := cluster(t, map[string]int{"in": 2})
	fill(t, c, "in", "a", "b", "c")
	s := newSpread(t, "a")
	con := join(t, c, s, nil)
	f := pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 3 })
	if len(f.Committed) != 0 {
		t.Errorf("committed %v before any commit", f.Committed)
	}
	want := map[kafka.TopicPartition]kafka.OffsetAndMeta{in0: {Offset: 2, LeaderEpoch: 0, Metadata: "AgAAAYvP5WgA"}}
	if err := con.CommitOffsets(deadline(t), want); err != nil {
		t.Fatal(err)
	}
	got, err := con.Committed(deadline(t), in0, kafka.TopicPartition{Topic: "in", Partition: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := con.Close(deadline(t), kafka.LeaveGroup); err != nil {
		t.Fatal(err)
	}
	again := join(t, c, newSpread(t, "b"), nil)
	f = pollUntil(t, again, func(f kafka.Fetches) bool { return len(values(f)) > 0 })
	if diff := cmp.Diff(want, f.Committed); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c"}, values(f)); diff != "" {
		t.Error(diff)
	}
}

func TestMembersShareCooperatively(t *testing.T) {
	c := cluster(t, map[string]int{"in": 4})
	a, b := newSpread(t, "a"), newSpread(t, "b")
	poller(t, join(t, c, a, nil))
	await(t, "a owns all", func() bool { return a.has() == "in-0 in-1 in-2 in-3" }, a)
	conB := join(t, c, b, nil)
	poller(t, conB)
	half := func() bool {
		return len(strings.Fields(a.has())) == 2 && len(strings.Fields(b.has())) == 2
	}
	await(t, "a and b own half each", half, a, b)
	a.mu.Lock()
	defer a.mu.Unlock()
	revoked := 0
	for _, e := range a.events {
		if strings.HasPrefix(e, "revoked") {
			revoked++
		}
		if strings.HasPrefix(e, "lost") {
			t.Errorf("a lost partitions: %v", a.events)
		}
	}
	if revoked != 1 {
		t.Errorf("a had %d revocations, want one of the two moved partitions: %v", revoked, a.events)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.data, "for b by a") {
		t.Errorf("b's user data %q does not come from the leader a", b.data)
	}
}

func TestSubscriptionBytes(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	joined := make(chan *kmsg.JoinGroupRequest, 10)
	c.ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		joined <- req.(*kmsg.JoinGroupRequest)
		return nil, nil, false
	})
	con := join(t, c, newSpread(t, "a"), func(cfg *kafka.ConsumerConfig) {
		cfg.Topics = []string{"not-yet-there", "in"}
		cfg.Rack = "r1"
	})
	poller(t, con)
	var req *kmsg.JoinGroupRequest
	select {
	case req = <-joined:
	case <-deadline(t).Done():
		t.Fatal("no join")
	}
	if req.ProtocolType != "consumer" || len(req.Protocols) != 1 || req.Protocols[0].Name != "stream" {
		t.Fatalf("protocols %q %+v", req.ProtocolType, req.Protocols)
	}
	want := "0003" + "00000002" + "0002696e" + "000d" + fmt.Sprintf("%x", "not-yet-there") +
		"00000002" + "6101" + "00000000" + "ffffffff" + "0002" + fmt.Sprintf("%x", "r1")
	if got := fmt.Sprintf("%x", req.Protocols[0].Metadata); got != want {
		t.Errorf("subscription\n%s, want\n%s", got, want)
	}
}

func TestLeaderCreatesTopicThatMembersSubscribed(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	fill(t, c, "in", "a")
	s := newSpread(t, "a")
	s.prepare = func(_ context.Context, counts map[string]int32) error {
		if _, ok := counts["app-x-repartition"]; !ok && c.TopicInfo("app-x-repartition") == nil {
			if err := c.CreateTopic("app-x-repartition", 2, nil); err != nil {
				return err
			}
		}
		counts["app-x-repartition"] = 2
		return nil
	}
	con := join(t, c, s, func(cfg *kafka.ConsumerConfig) { cfg.Topics = []string{"in", "app-x-repartition"} })
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 1 })
	fill(t, c, "app-x-repartition", "b")
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 1 })
}

func TestPatternMatchesWholeNameAndLiteralTopics(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1, "orders-eu": 1, "orders-eu-old": 1, "my.topic": 1, "myxtopic": 1})
	s := newSpread(t, "a")
	poller(t, join(t, c, s, func(cfg *kafka.ConsumerConfig) {
		cfg.Pattern, cfg.Topics = "orders-..", []string{"my.topic"}
	}))
	await(t, "the matching topics", func() bool { return s.has() == "my.topic-0 orders-eu-0" }, s)
}

func TestResetPolicies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reset kafka.Reset
		want  string // "" when the partition fails
	}{
		{"earliest", kafka.Reset{}, "old new"},
		{"latest", kafka.Reset{Kind: kafka.ResetLatest}, "new"},
		{"none", kafka.Reset{Kind: kafka.ResetNone}, ""},
		{"duration past the record", kafka.Reset{Kind: kafka.ResetByDuration, Ago: time.Hour}, "new"},
		{"duration before the record", kafka.Reset{Kind: kafka.ResetByDuration, Ago: 1_000_000 * time.Hour}, "old new"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := cluster(t, map[string]int{"in": 1, "go": 1})
			fill(t, c, "in", "old")
			fill(t, c, "go", "go")
			con := join(t, c, newSpread(t, "a"), func(cfg *kafka.ConsumerConfig) {
				cfg.Topics = []string{"in", "go"}
				cfg.Reset = func(topic string) kafka.Reset {
					if topic == "in" {
						return tt.reset
					}
					return kafka.Reset{}
				}
			})
			f := pollUntil(t, con, func(f kafka.Fetches) bool {
				fill(t, c, "in", "new") // again and again: when the end is looked up is not ours to know
				return slices.Contains(values(f), "new") || slices.ContainsFunc(f.Batches, func(b kafka.Batch) bool { return b.Err != nil })
			})
			if tt.want == "" {
				b := f.Batches[slices.IndexFunc(f.Batches, func(b kafka.Batch) bool { return b.Err != nil })]
				if !errors.Is(b.Err, kafka.ErrNoOffset) || b.TopicPartition != in0 {
					t.Fatalf("batch %+v, want ErrNoOffset for in-0", b)
				}
				return
			}
			got := slices.Compact(slices.DeleteFunc(values(f), func(v string) bool { return v == "go" }))
			if strings.Join(got, " ") != tt.want {
				t.Errorf("read %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPositionOutOfRangeIsReset(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	fill(t, c, "in", "a", "b", "c", "d")
	con := join(t, c, newSpread(t, "a"), nil)
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 4 })
	if err := con.CommitOffsets(deadline(t), map[kafka.TopicPartition]kafka.OffsetAndMeta{in0: {Offset: 1, LeaderEpoch: -1}}); err != nil {
		t.Fatal(err)
	}
	if err := con.Close(deadline(t), kafka.LeaveGroup); err != nil {
		t.Fatal(err)
	}
	if err := c.DeleteRecords("in", 0, 3); err != nil {
		t.Fatal(err)
	}

	again := join(t, c, newSpread(t, "b"), nil)
	f := pollUntil(t, again, func(f kafka.Fetches) bool { return len(values(f)) > 0 })
	if diff := cmp.Diff([]string{"d"}, values(f)); diff != "" {
		t.Error(diff)
	}
	if b := f.Batches[0]; !b.Reset || b.Next != 3 || b.Err != nil {
		t.Errorf("first batch %+v, want a reset to 3", b)
	}
	if err := again.Close(deadline(t), kafka.LeaveGroup); err != nil {
		t.Fatal(err)
	}

	none := join(t, c, newSpread(t, "c"), func(cfg *kafka.ConsumerConfig) {
		cfg.Reset = func(string) kafka.Reset { return kafka.Reset{Kind: kafka.ResetNone} }
	})
	f = pollUntil(t, none, func(f kafka.Fetches) bool { return len(f.Batches) > 0 })
	if b := f.Batches[0]; !errors.Is(b.Err, kafka.ErrOutOfRange) {
		t.Errorf("batch %+v, want ErrOutOfRange", b)
	}
}

func TestSeekAndPause(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1, "other": 1})
	fill(t, c, "in", "a", "b")
	con := join(t, c, newSpread(t, "a"), func(cfg *kafka.ConsumerConfig) { cfg.Topics = []string{"in", "other"} })
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 2 })
	con.Pause(in0)
	con.Seek(map[kafka.TopicPartition]int64{in0: 1})
	fill(t, c, "other", "o")
	f := pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) > 0 })
	if diff := cmp.Diff([]string{"o"}, values(f)); diff != "" {
		t.Errorf("paused partition was read: %s", diff)
	}
	con.Resume(in0)
	f = pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) > 0 })
	if diff := cmp.Diff([]string{"b"}, values(f)); diff != "" {
		t.Error(diff)
	}
}

func TestFencedMemberCannotCommit(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	fill(t, c, "in", "a")
	s := newSpread(t, "a")
	con := join(t, c, s, nil)
	commit := map[kafka.TopicPartition]kafka.OffsetAndMeta{in0: {Offset: 1}}
	if err := con.CommitOffsets(deadline(t), commit); !errors.Is(err, kafka.ErrMigrated) {
		t.Errorf("commit before joining: %v, want ErrMigrated", err)
	}
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 1 })

	// An admin removes the member behind its back.
	id, _ := con.GroupMetadata()
	leave := kmsg.NewPtrLeaveGroupRequest()
	leave.Group = "g"
	leave.MemberID = id
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID = id
	leave.Members = append(leave.Members, m)
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if _, err := leave.RequestWith(deadline(t), cl); err != nil {
		t.Fatal(err)
	}
	if err := con.CommitOffsets(deadline(t), commit); !errors.Is(err, kafka.ErrMigrated) {
		t.Errorf("commit of a removed member: %v, want ErrMigrated", err)
	}
	con.AllowRebalance()
	lost := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Contains(s.events, "lost[in-0]")
	}
	await(t, "the loss to be told", lost, s)
	await(t, "the member to be back", func() bool { return s.has() == "in-0" }, s)
}

func TestAbandonStartsFromCommittedOffsets(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	fill(t, c, "in", "a", "b")
	s := newSpread(t, "a")
	con := join(t, c, s, nil)
	pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) == 2 })
	if err := con.CommitOffsets(deadline(t), map[kafka.TopicPartition]kafka.OffsetAndMeta{in0: {Offset: 1}}); err != nil {
		t.Fatal(err)
	}
	con.Abandon()
	f := pollUntil(t, con, func(f kafka.Fetches) bool { return len(values(f)) > 0 })
	if diff := cmp.Diff([]string{"b"}, values(f)); diff != "" {
		t.Error(diff)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff([]string{"assigned[in-0]", "lost[in-0]", "assigned[in-0]"}, s.events); diff != "" {
		t.Error(diff)
	}
}

func TestFailingBalanceIsReported(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	s := newSpread(t, "a")
	boom := errors.New("no partition count for x")
	s.prepare = func(context.Context, map[string]int32) error { return boom }
	con := join(t, c, s, nil)
	for ctx := deadline(t); ; con.AllowRebalance() {
		if f := con.Poll(ctx); f.Err != nil {
			if !errors.Is(f.Err, boom) {
				t.Errorf("error %v does not name the cause", f.Err)
			}
			return
		}
	}
}

func TestRejoinRebalances(t *testing.T) {
	c := cluster(t, map[string]int{"in": 1})
	s := newSpread(t, "a")
	con := join(t, c, s, nil)
	poller(t, con)
	rounds := func(n int) func() bool {
		return func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.data) >= n }
	}
	await(t, "the first assignment", rounds(1), s)
	con.Rejoin()
	await(t, "another assignment", rounds(2), s)
}

func TestCloseRemainsOrLeaves(t *testing.T) {
	for _, tt := range []struct {
		leave   kafka.Leave
		members int
	}{{kafka.RemainInGroup, 1}, {kafka.LeaveGroup, 0}} {
		c := cluster(t, map[string]int{"in": 1})
		s := newSpread(t, "a")
		con := join(t, c, s, nil)
		poller(t, con)
		await(t, "the assignment", func() bool { return s.has() != "" }, s)
		if err := con.Close(deadline(t), tt.leave); err != nil {
			t.Fatal(err)
		}
		if n := len(c.GroupInfo("g").Members); n != tt.members {
			t.Errorf("leave=%v: %d members stay in the group, want %d", tt.leave, n, tt.members)
		}
		if s.has() == "" {
			t.Error("the listener was told of a revocation by Close")
		}
	}
}
