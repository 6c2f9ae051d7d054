package assign_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/millrace/millrace/internal/assign"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// cluster is a model of a group: members whose processes are named by a byte.
type cluster struct {
	members []assign.Member
	work    assign.Work
}

func (c *cluster) add(id string, proc byte) {
	c.members = append(c.members, assign.Member{ID: id, Process: assign.ProcessID{proc}, Sums: map[task.ID]int64{}})
}

// tasks adds sub-topology sub with n tasks that read topics t<sub>a and t<sub>b.
func (c *cluster) tasks(sub, n int32, stateful bool) {
	if c.work.Inputs == nil {
		c.work.Inputs, c.work.Stateful = map[task.ID][]kafka.TopicPartition{}, map[task.ID]bool{}
	}
	for p := range n {
		id := task.ID{Subtopology: sub, Partition: p}
		for _, x := range "ab" {
			c.work.Inputs[id] = append(c.work.Inputs[id], kafka.TopicPartition{Topic: fmt.Sprintf("t%d%c", sub, x), Partition: p})
		}
		c.work.Stateful[id] = stateful
	}
}

// settle rebalances as members do: adopt what is given, revoke what is not,
// until nobody is asked to join again.
func (c *cluster) settle(t interface{ Fatalf(string, ...any) }) (shares map[string]assign.Share, rounds int) {
	for rounds = 1; ; rounds++ {
		shares = assign.Assign(c.members, c.work)
		again := false
		for i := range c.members {
			m := &c.members[i]
			s := shares[m.ID]
			again = again || len(s.Withheld) > 0
			m.Owned, m.Sums = nil, map[task.ID]int64{}
			for _, id := range s.Standby {
				m.Sums[id] = 100
			}
			for _, id := range s.Active {
				m.Owned = append(m.Owned, c.work.Inputs[id]...)
				if c.work.Stateful[id] {
					m.Sums[id] = assign.SumRunning
				}
			}
		}
		if !again {
			return shares, rounds
		}
		if rounds > 3 {
			t.Fatalf("still not settled after %d rounds", rounds)
		}
	}
}

// check verifies what holds of every assignment.
func (c *cluster) check(t interface{ Fatalf(string, ...any) }, shares map[string]assign.Share) {
	owner := map[kafka.TopicPartition]string{}
	procOf := map[string]assign.ProcessID{}
	procs := map[assign.ProcessID]bool{}
	for _, m := range c.members {
		procOf[m.ID] = m.Process
		procs[m.Process] = true
		for _, tp := range m.Owned {
			owner[tp] = m.ID
		}
	}
	seen := map[task.ID]string{}
	holds := map[task.ID]map[assign.ProcessID]bool{}
	lo, hi, slo, shi := 1<<30, 0, 1<<30, 0
	for _, m := range c.members {
		s := shares[m.ID]
		n, stateful := 0, 0
		for _, id := range slices.Concat(s.Active, s.Withheld) {
			if by, ok := seen[id]; ok {
				t.Fatalf("task %s is given to %s and %s", id, by, m.ID)
			}
			seen[id] = m.ID
			holds[id] = map[assign.ProcessID]bool{m.Process: true}
			n++
			if c.work.Stateful[id] {
				stateful++
			}
		}
		lo, hi, slo, shi = min(lo, n), max(hi, n), min(slo, stateful), max(shi, stateful)
		for _, id := range s.Active {
			for _, tp := range c.work.Inputs[id] {
				if o, ok := owner[tp]; ok && o != m.ID {
					t.Fatalf("%s gets %s while %s owns %s", m.ID, id, o, tp)
				}
			}
		}
	}
	if len(seen) != len(c.work.Inputs) {
		t.Fatalf("%d of %d tasks are assigned", len(seen), len(c.work.Inputs))
	}
	if hi-lo > 1 || shi-slo > 1 {
		t.Fatalf("members have %d to %d tasks, %d to %d stateful ones", lo, hi, slo, shi)
	}
	c.checkStandbys(t, shares, holds, procOf, len(procs))
}

func (c *cluster) checkStandbys(t interface{ Fatalf(string, ...any) }, shares map[string]assign.Share,
	holds map[task.ID]map[assign.ProcessID]bool, procOf map[string]assign.ProcessID, procs int) {
	copies := map[task.ID]int{}
	for id, s := range shares {
		for _, st := range s.Standby {
			if slices.Contains(s.Withheld, st) {
				continue // kept in between only
			}
			if holds[st][procOf[id]] {
				t.Fatalf("two copies of %s in one process", st)
			}
			holds[st][procOf[id]] = true
			copies[st]++
		}
	}
	for id := range c.work.Inputs {
		want := 0
		if c.work.Stateful[id] {
			want = min(c.work.Standbys, procs-1)
		}
		if copies[id] != want {
			t.Fatalf("task %s has %d standbys, want %d", id, copies[id], want)
		}
	}
}

func TestAssignKeepsItsRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &cluster{}
		next := 0
		join := func() {
			c.add(fmt.Sprintf("m%02d", next), byte(rapid.IntRange(0, 3).Draw(t, "process")))
			next++
		}
		for range rapid.IntRange(1, 6).Draw(t, "members") {
			join()
		}
		for sub := range rapid.Int32Range(1, 3).Draw(t, "subtopologies") {
			c.tasks(sub, rapid.Int32Range(1, 7).Draw(t, "partitions"), rapid.Bool().Draw(t, "stateful"))
		}
		c.work.Standbys = rapid.IntRange(0, 2).Draw(t, "standbys")
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			c.check(t, assign.Assign(c.members, c.work))
			before, _ := c.settle(t)
			c.check(t, before)
			again, rounds := c.settle(t)
			if diff := cmp.Diff(before, again); diff != "" || rounds != 1 {
				t.Fatalf("nothing changed but the assignment: %s", diff)
			}
			if len(c.members) > 1 && rapid.Bool().Draw(t, "leave") {
				i := rapid.IntRange(0, len(c.members)-1).Draw(t, "who")
				c.members = slices.Delete(c.members, i, i+1)
			} else {
				join()
			}
		}
	})
}

func TestMovesAreFew(t *testing.T) {
	c := &cluster{}
	c.add("a", 1)
	c.tasks(0, 6, true)
	c.tasks(1, 6, false)
	c.settle(t)
	c.add("b", 2)
	before := slices.Clone(c.members[0].Owned)
	shares, rounds := c.settle(t)
	if rounds != 2 {
		t.Errorf("settled after %d rounds, want 2: revoke, then assign", rounds)
	}
	kept := 0
	for _, id := range shares["a"].Active {
		if slices.Contains(before, c.work.Inputs[id][0]) {
			kept++
		}
	}
	if kept != 6 || len(shares["b"].Active) != 6 {
		t.Errorf("a kept %d tasks and b got %d, want 6 each", kept, len(shares["b"].Active))
	}
}

func TestActiveGoesToStandbyAfterLoss(t *testing.T) {
	c := &cluster{work: assign.Work{Standbys: 1}}
	for i, id := range []string{"a", "b", "c"} {
		c.add(id, byte(i))
	}
	c.tasks(0, 6, true)
	c.settle(t)
	standby := map[task.ID]string{}
	for _, m := range c.members {
		for id, sum := range m.Sums {
			if sum != assign.SumRunning {
				standby[id] = m.ID
			}
		}
	}
	lost := c.members[0].Owned
	c.members = c.members[1:]
	shares, _ := c.settle(t)
	moved := 0
	for member, s := range shares {
		for _, id := range s.Active {
			if slices.Contains(lost, c.work.Inputs[id][0]) && standby[id] == member {
				moved++
			}
		}
	}
	if moved != 2 {
		t.Errorf("%d of the 2 lost tasks went to their standby", moved)
	}
}

func TestWithheldTaskKeepsItsStateAsStandby(t *testing.T) {
	c := &cluster{}
	c.add("a", 1)
	c.add("b", 2)
	c.tasks(0, 2, true)
	for _, id := range []task.ID{{}, {Partition: 1}} {
		c.members[0].Owned = append(c.members[0].Owned, c.work.Inputs[id]...)
		c.members[0].Sums[id] = assign.SumRunning
	}
	c.members[1].Sums[task.ID{Partition: 1}] = 40
	want := map[string]assign.Share{
		"a": {Active: []task.ID{{}}},
		"b": {Withheld: []task.ID{{Partition: 1}}, Standby: []task.ID{{Partition: 1}}},
	}
	if diff := cmp.Diff(want, assign.Assign(c.members, c.work)); diff != "" {
		t.Error(diff)
	}
}

func TestNobodyAndNothing(t *testing.T) {
	c := &cluster{}
	c.tasks(0, 2, true)
	if got := assign.Assign(nil, c.work); len(got) != 0 {
		t.Errorf("no members, yet %v", got)
	}
	c.add("a", 1)
	if got := assign.Assign(c.members, assign.Work{}); !cmp.Equal(got, map[string]assign.Share{"a": {}}) {
		t.Errorf("no work, yet %v", got)
	}
}
