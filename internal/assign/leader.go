package assign

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// Group is the members of a group as their leader sees them.
type Group struct {
	members []kafka.Member
	subs    []Subscription
	// version is what all members can read, common what all could speak.
	version, common int32
}

// ReadGroup decodes the subscriptions of all members.
func ReadGroup(members []kafka.Member) (*Group, error) {
	g := &Group{members: members, version: Version, common: Version}
	for _, m := range members {
		s, err := DecodeSubscription(m.UserData)
		if err != nil {
			return nil, fmt.Errorf("group member %s: %w", m.ID, err)
		}
		if s.Version > Version {
			// A newer member: nothing else of its message can be read. It
			// counts as a process of its own and is answered in our version.
			h := fnv.New128a()
			h.Write([]byte(m.ID))
			h.Sum(s.Process[:0])
			s.Sums = nil
		}
		g.version = min(g.version, s.Version)
		g.common = min(g.common, s.Latest)
		g.subs = append(g.subs, s)
	}
	if g.version < 3 {
		g.common = -1
	}
	return g, nil
}

// Shutdown reports whether a member asks all to stop.
func (g *Group) Shutdown() bool {
	return slices.ContainsFunc(g.subs, func(s Subscription) bool { return s.Error == ShutdownRequested })
}

// Fail gives every member an empty assignment with an error code.
func (g *Group) Fail(code int32) map[string]kafka.Assignment {
	out := make(map[string]kafka.Assignment, len(g.members))
	for _, m := range g.members {
		info := Assignment{Version: g.version, Common: g.common, Error: code, NextRebalance: NoRebalance}
		out[m.ID] = kafka.Assignment{UserData: info.Encode()}
	}
	return out
}

// Assign shares the work out and encodes what each member is told. It also
// returns the shares, by member id.
func (g *Group) Assign(work Work) (map[string]kafka.Assignment, map[string]Share) {
	shares := Assign(g.Members(), work)
	hosts, standbyHosts := g.hosts(shares, work)
	out := make(map[string]kafka.Assignment, len(g.members))
	for _, m := range g.members {
		s := shares[m.ID]
		tps, ids := align(s.Active, work.Inputs)
		info := Assignment{Version: g.version, Common: g.common, Active: ids, NextRebalance: NoRebalance,
			Standby: make(map[task.ID][]kafka.TopicPartition), Hosts: hosts, StandbyHosts: standbyHosts}
		for _, id := range s.Standby {
			info.Standby[id] = sorted(work.Inputs[id])
		}
		if len(s.Withheld) > 0 {
			info.NextRebalance = 0
		}
		out[m.ID] = kafka.Assignment{Partitions: tps, UserData: info.Encode()}
	}
	return out, shares
}

// Members returns what Assign needs of the group. If two members claim a
// partition, the one of the older generation is not believed.
func (g *Group) Members() []Member {
	claimed := make(map[kafka.TopicPartition]int32)
	for _, m := range g.members {
		for _, tp := range m.Owned {
			if was, ok := claimed[tp]; !ok || m.Generation > was {
				claimed[tp] = m.Generation
			}
		}
	}
	out := make([]Member, len(g.members))
	for i, m := range g.members {
		out[i] = Member{ID: m.ID, Process: g.subs[i].Process, Sums: g.subs[i].Sums}
		for _, tp := range m.Owned {
			if m.Generation == claimed[tp] {
				out[i].Owned = append(out[i].Owned, tp)
			}
		}
	}
	return out
}

// hosts collects what each endpoint serves: the assignment aimed at, withheld
// tasks included, as Java tells it.
func (g *Group) hosts(shares map[string]Share, work Work) (active, standby map[string][]kafka.TopicPartition) {
	active, standby = make(map[string][]kafka.TopicPartition), make(map[string][]kafka.TopicPartition)
	for i, m := range g.members {
		endpoint := g.subs[i].Endpoint
		if endpoint == "" || CheckEndpoint(endpoint) != nil {
			continue
		}
		s := shares[m.ID]
		add := func(to map[string][]kafka.TopicPartition, ids []task.ID) {
			to[endpoint] = append(to[endpoint], nil...)
			for _, id := range ids {
				to[endpoint] = append(to[endpoint], work.Inputs[id]...)
			}
		}
		add(active, s.Active)
		add(active, s.Withheld)
		add(standby, slices.DeleteFunc(slices.Clone(s.Standby), func(id task.ID) bool { return slices.Contains(s.Withheld, id) }))
	}
	for _, hosts := range []map[string][]kafka.TopicPartition{active, standby} {
		for endpoint := range maps.Keys(hosts) {
			hosts[endpoint] = sorted(hosts[endpoint])
		}
	}
	return active, standby
}

func sorted(tps []kafka.TopicPartition) []kafka.TopicPartition {
	return slices.SortedFunc(slices.Values(tps), kafka.TopicPartition.Compare)
}
