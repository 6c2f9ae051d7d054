package assign

import (
	"cmp"
	"maps"
	"slices"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// Member is what counts of one group member for the assignment.
type Member struct {
	ID      string
	Process ProcessID
	// Owned are the partitions the member holds at the moment.
	Owned []kafka.TopicPartition
	// Sums are as in Subscription.
	Sums map[task.ID]int64
}

// Work is what there is to assign.
type Work struct {
	// Inputs are all tasks with their source partitions.
	Inputs map[task.ID][]kafka.TopicPartition
	// Stateful are the tasks that have logged stores.
	Stateful map[task.ID]bool
	// Standbys is how many copies of each stateful task other processes keep
	// (num.standby.replicas).
	Standbys int
}

// Share is what one member gets.
type Share struct {
	// Active tasks in order.
	Active []task.ID
	// Withheld active tasks are meant for this member, but another one still
	// owns a partition of them: it must give it up first, then the group
	// rebalances again (KIP-429). The member is to rejoin at once.
	Withheld []task.ID
	// Standby tasks in order, among them withheld ones of which the member's
	// process holds state already, so that it is not closed in between.
	Standby []task.ID
}

// Assign shares the work out among the members, by member id. The result
// depends on nothing but the arguments and keeps these rules:
//
//   - every task is active for (or withheld from) exactly one member;
//   - members differ by at most one active task, also in stateful ones;
//   - a task stays with the member, else with the process, that owns it, else
//     goes where the most state of it is, as far as balance allows: with
//     unchanged members and work, an assignment repeats itself;
//   - standbys go to other processes than the active task and than each other,
//     first to where state is; fewer processes than copies means fewer copies.
//
// It moves tasks without regard to how long the new owner must restore.
func Assign(members []Member, work Work) map[string]Share {
	out := make(map[string]Share, len(members))
	if len(members) == 0 {
		return out
	}
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	g := newGroup(members, work)

	stateful, stateless := g.split()
	g.place(stateful)
	g.place(stateless)
	standbys := g.placeStandbys(stateful)
	for _, p := range g.processes {
		actives := make(map[task.ID]int)
		p.spread(filter(stateful, g.activeAt, p), g.owner, actives)
		p.spread(filter(stateless, g.activeAt, p), g.owner, actives)
		copies := make(map[task.ID]int)
		p.spread(standbys[p], g.holder, copies)
		for i, m := range p.members {
			out[m.ID] = g.share(p, m, keysAt(actives, i), keysAt(copies, i))
		}
	}
	return out
}

// group is the state of one assignment.
type group struct {
	work      Work
	processes []*process // by id
	// owners of each partition: usually one.
	owners map[kafka.TopicPartition][]string
	// activeAt is where each task has been placed.
	activeAt map[task.ID]*process
}

// process is one of the group's processes with its members by id.
type process struct {
	id      ProcessID
	members []*Member
	loads   []int // active and standby tasks of each member
	actives int
	copies  int // standby tasks
}

func newGroup(members []Member, work Work) *group {
	g := &group{work: work, owners: make(map[kafka.TopicPartition][]string), activeAt: make(map[task.ID]*process)}
	byID := make(map[ProcessID]*process)
	for i := range members {
		m := &members[i]
		p := byID[m.Process]
		if p == nil {
			p = &process{id: m.Process}
			byID[m.Process] = p
			g.processes = append(g.processes, p)
		}
		p.members = append(p.members, m)
		p.loads = append(p.loads, 0)
		for _, tp := range m.Owned {
			g.owners[tp] = append(g.owners[tp], m.ID)
		}
	}
	slices.SortFunc(g.processes, func(a, b *process) int { return a.id.Compare(b.id) })
	return g
}

func (g *group) split() (stateful, stateless []task.ID) {
	for _, id := range slices.SortedFunc(maps.Keys(g.work.Inputs), compareTasks) {
		if g.work.Stateful[id] {
			stateful = append(stateful, id)
		} else {
			stateless = append(stateless, id)
		}
	}
	return stateful, stateless
}

// owns reports whether the member owns a partition of the task.
func (g *group) owns(m *Member, id task.ID) bool {
	for _, tp := range g.work.Inputs[id] {
		if slices.Contains(g.owners[tp], m.ID) {
			return true
		}
	}
	return false
}

// owner is the index of the member of p that runs the task now, or -1.
func (g *group) owner(p *process, id task.ID) int {
	return slices.IndexFunc(p.members, func(m *Member) bool { return g.owns(m, id) })
}

// holder is the index of the member of p that has state of the task, or -1.
func (g *group) holder(p *process, id task.ID) int {
	return slices.IndexFunc(p.members, func(m *Member) bool { _, ok := m.Sums[id]; return ok })
}

// wishes ranks the processes that would save work with a task: its present
// owner first, then those with state, the most of it first.
func (g *group) wishes(id task.ID) []*process {
	type wish struct {
		p    *process
		rank int64
	}
	var ws []wish
	for _, p := range g.processes {
		w := wish{p: p, rank: -1}
		if g.owner(p, id) >= 0 {
			w.rank = 1<<63 - 1
		}
		for _, m := range p.members {
			if sum, ok := m.Sums[id]; ok {
				w.rank = max(w.rank, rank(sum))
			}
		}
		if w.rank >= 0 {
			ws = append(ws, w)
		}
	}
	slices.SortStableFunc(ws, func(a, b wish) int { return cmp.Compare(b.rank, a.rank) })
	out := make([]*process, len(ws))
	for i, w := range ws {
		out[i] = w.p
	}
	return out
}

// rank makes sums comparable: running beats all, unknown little.
func rank(sum int64) int64 {
	switch {
	case sum == SumRunning:
		return 1<<63 - 2
	case sum < 0:
		return 0
	}
	return sum
}

// place gives each task to a process so that, counted per member, loads differ
// by at most one. Each process may take its even share; what division leaves
// over goes first to processes that wish for it.
func (g *group) place(tasks []task.ID) {
	q := quota{}
	total, members := len(tasks), 0
	for _, p := range g.processes {
		total += p.actives
		members += len(p.members)
	}
	q.even, q.over = total/members, total%members
	for _, p := range g.processes {
		q.over -= max(0, p.actives-q.even*len(p.members))
	}
	tasks = g.grant(tasks, &q, true, false)
	tasks = g.grant(tasks, &q, true, true)
	tasks = g.grant(tasks, &q, false, true)
	for _, id := range tasks {
		var best *process
		for _, p := range g.processes { // the emptiest per member, hence those under their share first
			if q.free(p, true) && (best == nil || p.actives*len(best.members) < best.actives*len(p.members)) {
				best = p
			}
		}
		g.put(id, best, &q)
	}
}

// quota says how much each process may take: even per member, and over more
// tasks in all, at most one of these per member.
type quota struct{ even, over int }

func (q *quota) free(p *process, extra bool) bool {
	room := q.even * len(p.members)
	return p.actives < room || extra && q.over > 0 && p.actives < room+len(p.members)
}

func (g *group) put(id task.ID, p *process, q *quota) {
	if p.actives >= q.even*len(p.members) {
		q.over--
	}
	p.actives++
	g.activeAt[id] = p
}

// grant places the tasks for which a process that wishes for it is free, in
// the first round only the one that wishes most, and returns the others.
func (g *group) grant(tasks []task.ID, q *quota, first, extra bool) (left []task.ID) {
	for _, id := range tasks {
		ws := g.wishes(id)
		if first && len(ws) > 1 {
			ws = ws[:1]
		}
		if i := slices.IndexFunc(ws, func(p *process) bool { return q.free(p, extra) }); i >= 0 {
			g.put(id, ws[i], q)
		} else {
			left = append(left, id)
		}
	}
	return left
}

// placeStandbys chooses the processes of the copies: where state is before
// where none is, then the least loaded per member.
func (g *group) placeStandbys(stateful []task.ID) map[*process][]task.ID {
	out := make(map[*process][]task.ID)
	for range g.work.Standbys {
		for _, id := range stateful {
			taken := func(p *process) bool { return p == g.activeAt[id] || slices.Contains(out[p], id) }
			if best := g.bestStandby(id, taken); best != nil {
				out[best] = append(out[best], id)
				best.copies++
			}
		}
	}
	return out
}

// bestStandby prefers a process with state as long as it is not more than one
// task per member busier than the least busy one.
func (g *group) bestStandby(id task.ID, taken func(*process) bool) *process {
	busy := func(p *process) float64 { return float64(p.actives+p.copies) / float64(len(p.members)) }
	var least, state *process
	for _, p := range g.processes {
		if taken(p) {
			continue
		}
		if least == nil || busy(p) < busy(least) {
			least = p
		}
		if g.holder(p, id) >= 0 && (state == nil || busy(p) < busy(state)) {
			state = p
		}
	}
	if state != nil && busy(state) <= busy(least)+1 {
		return state
	}
	return least
}

// spread deals tasks to the members of the process: to the one that was
// before, as far as the loads stay even, else to the least loaded.
func (p *process) spread(tasks []task.ID, before func(*process, task.ID) int, at map[task.ID]int) {
	total := len(tasks)
	for _, n := range p.loads {
		total += n
	}
	even, over := total/len(p.members), total%len(p.members)
	for _, n := range p.loads {
		over -= max(0, n-even)
	}
	put := func(id task.ID, i int) {
		if p.loads[i] >= even {
			over--
		}
		p.loads[i]++
		at[id] = i
	}
	for _, extra := range []bool{false, true} {
		var left []task.ID
		for _, id := range tasks {
			i := before(p, id)
			if i >= 0 && (p.loads[i] < even || extra && over > 0 && p.loads[i] == even) {
				put(id, i)
			} else {
				left = append(left, id)
			}
		}
		tasks = left
	}
	for _, id := range tasks {
		put(id, slices.Index(p.loads, slices.Min(p.loads)))
	}
}

// share applies the cooperative rule to one member's tasks.
func (g *group) share(p *process, m *Member, active, standby []task.ID) Share {
	var s Share
	for _, id := range active {
		if !g.heldElsewhere(m, id) {
			s.Active = append(s.Active, id)
			continue
		}
		s.Withheld = append(s.Withheld, id)
		if g.work.Stateful[id] && g.standbyBefore(p, id) {
			standby = append(standby, id)
		}
	}
	slices.SortFunc(standby, compareTasks)
	s.Standby = standby
	return s
}

// heldElsewhere reports whether any member but m owns a partition of the task.
func (g *group) heldElsewhere(m *Member, id task.ID) bool {
	for _, tp := range g.work.Inputs[id] {
		if slices.ContainsFunc(g.owners[tp], func(o string) bool { return o != m.ID }) {
			return true
		}
	}
	return false
}

// standbyBefore reports whether the process holds state of a task that none of
// its members runs.
func (g *group) standbyBefore(p *process, id task.ID) bool {
	return g.owner(p, id) < 0 && g.holder(p, id) >= 0
}
