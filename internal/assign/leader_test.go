package assign_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/assign"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

func member(id string, proc byte, endpoint string, owned ...kafka.TopicPartition) kafka.Member {
	s := assign.Subscription{Process: assign.ProcessID{proc}, Endpoint: endpoint, Sums: map[task.ID]int64{}}
	return kafka.Member{ID: id, UserData: s.Encode(), Owned: owned, Generation: 1}
}

func decode(t *testing.T, a kafka.Assignment) assign.Assignment {
	t.Helper()
	info, err := assign.DecodeAssignment(a.UserData)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := info.ActiveTasks(a.Partitions); err != nil {
		t.Fatal(err)
	}
	return info
}

func TestLeaderTellsTasksHostsAndFollowUp(t *testing.T) {
	c := &cluster{}
	c.tasks(0, 4, false)
	all := []kafka.TopicPartition{}
	for p := range int32(4) {
		all = append(all, c.work.Inputs[task.ID{Partition: p}]...)
	}
	g, err := assign.ReadGroup([]kafka.Member{member("a", 1, "h:1", all...), member("b", 2, "")})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := g.Assign(c.work)
	a, b := decode(t, out["a"]), decode(t, out["b"])
	if len(out["a"].Partitions) != 4 || a.NextRebalance != assign.NoRebalance {
		t.Errorf("a gets %v, next rebalance %d", out["a"].Partitions, a.NextRebalance)
	}
	if len(out["b"].Partitions) != 0 || b.NextRebalance != 0 {
		t.Errorf("b gets %v, next rebalance %d; want none and at once", out["b"].Partitions, b.NextRebalance)
	}
	want := map[string][]kafka.TopicPartition{"h:1": {{Topic: "t0a"}, {Topic: "t0a", Partition: 1}, {Topic: "t0b"}, {Topic: "t0b", Partition: 1}}}
	if diff := cmp.Diff(want, b.Hosts); diff != "" {
		t.Error(diff)
	}
	if !slices.IsSortedFunc(out["a"].Partitions, kafka.TopicPartition.Compare) || a.Version != 11 || a.Common != 11 {
		t.Errorf("assignment %+v of %v", a, out["a"].Partitions)
	}
}

func TestLeaderAnswersOldAndNewMembers(t *testing.T) {
	v5 := vectors(t, "classic/subscription_userdata/")["v5"]
	c := &cluster{}
	c.tasks(0, 4, false)
	old := kafka.Member{ID: "old", UserData: unhex(t, v5.Hex)}
	newer := kafka.Member{ID: "newer", UserData: unhex(t, "0000000c0000000d00")}
	for _, tt := range []struct {
		members []kafka.Member
		version int32
	}{
		{[]kafka.Member{member("a", 1, ""), old}, 5},
		{[]kafka.Member{member("a", 1, ""), newer}, 11},
	} {
		g, err := assign.ReadGroup(tt.members)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := g.Assign(c.work)
		for id, a := range out {
			if info := decode(t, a); info.Version != tt.version || info.Common != 11 || len(a.Partitions) != 4 {
				t.Errorf("%s got version %d, common %d, %d partitions; want %d, 11, 4", id, info.Version, info.Common, len(a.Partitions), tt.version)
			}
		}
	}
	if _, err := assign.ReadGroup([]kafka.Member{{ID: "bad", UserData: []byte{1}}}); err == nil {
		t.Error("a member without readable data was accepted")
	}
}

func TestShutdownAndFailure(t *testing.T) {
	m := member("a", 1, "")
	g, err := assign.ReadGroup([]kafka.Member{m})
	if err != nil || g.Shutdown() {
		t.Fatalf("shutdown without a request: %v", err)
	}
	s := assign.Subscription{Error: assign.ShutdownRequested}
	m.UserData = s.Encode()
	if g, err = assign.ReadGroup([]kafka.Member{m, member("b", 2, "")}); err != nil || !g.Shutdown() {
		t.Errorf("the request was not seen: %v", err)
	}
	want := vectors(t, "classic/assignment_userdata/")["v11_error_shutdown"].Hex
	for id, a := range g.Fail(assign.ShutdownRequested) {
		if got := fmt.Sprintf("%x", a.UserData); got != want || len(a.Partitions) != 0 {
			t.Errorf("%s is told %s, want %s", id, got, want)
		}
	}
}

func TestOlderClaimIsNotBelieved(t *testing.T) {
	tp := kafka.TopicPartition{Topic: "t0a"}
	stale, fresh := member("a", 1, "", tp), member("b", 2, "", tp)
	stale.Generation, fresh.Generation = 3, 4
	g, err := assign.ReadGroup([]kafka.Member{stale, fresh})
	if err != nil {
		t.Fatal(err)
	}
	ms := g.Members()
	if len(ms[0].Owned) != 0 || len(ms[1].Owned) != 1 {
		t.Errorf("a owns %v and b %v, want b alone", ms[0].Owned, ms[1].Owned)
	}
}
