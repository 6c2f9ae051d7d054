package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ProtocolName is the name of the assignor in the group protocol, shared with
// Java's StreamsPartitionAssignor so that both can be in one group.
const ProtocolName = "stream"

// Member is what the leader of a group knows of one member.
type Member struct {
	ID         string
	InstanceID string // empty unless static
	Topics     []string
	// UserData is the member's opaque subscription; see internal/assign.
	UserData []byte
	// Owned partitions, sorted, as of the given generation of the group
	// (-1: none yet).
	Owned      []TopicPartition
	Generation int32
	Rack       string
}

// Assignment is what the leader gives to one member.
type Assignment struct {
	// Partitions in any order; they arrive sorted.
	Partitions []TopicPartition
	UserData   []byte
}

// Assignor is asked by the group protocol. Its methods run on goroutines of
// the client, also while polled records are being processed, so an
// implementation must not touch tasks.
type Assignor interface {
	// Subscription returns the user data for the next join. It should change
	// with every call that is meant to make the group rebalance.
	Subscription() []byte
	// Balance runs on the leader only and must give every member an
	// assignment. Partitions holds the counts of the subscribed topics known
	// to this client. An error makes the member rejoin after a pause and is
	// reported by the next poll.
	Balance(ctx context.Context, members []Member, partitions map[string]int32) (map[string]Assignment, error)
}

// balancer adapts an Assignor to the client library's classic group protocol:
// it frames user data in the consumer protocol exactly as Java does
// (subscription version 3, assignment version 3).
type balancer struct {
	c *Consumer
}

func (b *balancer) ProtocolName() string { return ProtocolName }
func (b *balancer) IsCooperative() bool  { return true }

// JoinGroupMetadata lists the configured topics even when the broker does not
// know them: repartition topics are subscribed before the leader creates them.
func (b *balancer) JoinGroupMetadata(interests []string, owned map[string][]int32, generation int32) []byte {
	owned = b.c.claim(owned)
	topics := interests
	if b.c.cfg.Pattern == "" {
		topics = slices.Sorted(slices.Values(b.c.cfg.Topics))
	}
	meta := kmsg.NewConsumerMemberMetadata()
	meta.Version = 3
	meta.Topics = topics
	meta.UserData = b.c.cfg.Assignor.Subscription()
	meta.Generation = generation
	if b.c.cfg.Rack != "" {
		meta.Rack = &b.c.cfg.Rack
	}
	for _, topic := range sortedKeys(owned) {
		o := kmsg.NewConsumerMemberMetadataOwnedPartition()
		o.Topic, o.Partitions = topic, owned[topic]
		meta.OwnedPartitions = append(meta.OwnedPartitions, o)
	}
	return meta.AppendTo(nil)
}

func (b *balancer) ParseSyncAssignment(raw []byte) (map[string][]int32, error) {
	var got kmsg.ConsumerMemberAssignment
	if err := got.ReadFrom(raw); err != nil {
		return nil, fmt.Errorf("read the group assignment: %w", err)
	}
	m := make(map[string][]int32, len(got.Topics))
	for _, t := range got.Topics {
		m[t.Topic] = append(m[t.Topic], t.Partitions...)
	}
	return b.c.synced(m, got.UserData), nil
}

// claim waits for the first poll and returns the partitions that the member may
// say it owns. They are none once its membership broke off: the client library
// joins again as a new member and would go on where it was, although others
// may have processed the same partitions in between (Java's
// ConsumerCoordinator.onJoinPrepare counts them as lost).
func (c *Consumer) claim(owned map[string][]int32) map[string][]int32 {
	select {
	case <-c.started:
	case <-c.ctx.Done():
		return nil
	}
	id, _ := c.cl.GroupMetadata()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disowned = len(owned) > 0 && (c.disowned || id != c.memberID)
	if c.disowned {
		return nil
	}
	return owned
}

// synced takes what the leader assigned. A disowned member pretends that it
// got nothing: the client then drops all it had, which the listener is told as
// a loss, and joins once more, now to start from committed offsets.
func (c *Consumer) synced(m map[string][]int32, userData []byte) map[string][]int32 {
	id, _ := c.cl.GroupMetadata()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.memberID = id
	if c.assigned = nil; c.disowned {
		return map[string][]int32{}
	}
	c.assigned = &Assigned{All: flatten(m), UserData: userData}
	return m
}

// Abandon gives up all partitions as if the member had been fenced: the
// listener is told of their loss, then the member joins anew. It is for when
// something else than the group, such as the producer, says that the
// partitions are processed elsewhere.
func (c *Consumer) Abandon() {
	c.mu.Lock()
	c.disowned = true
	c.mu.Unlock()
	c.Rejoin()
}

func (b *balancer) MemberBalancer(joined []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	topics := make(map[string]struct{})
	members := make([]Member, 0, len(joined))
	for _, j := range joined {
		meta := kmsg.NewConsumerMemberMetadata()
		if err := meta.ReadFrom(j.ProtocolMetadata); err != nil {
			return nil, nil, fmt.Errorf("read the subscription of group member %s: %w", j.MemberID, err)
		}
		m := Member{ID: j.MemberID, Topics: meta.Topics, UserData: meta.UserData, Generation: meta.Generation}
		if j.InstanceID != nil {
			m.InstanceID = *j.InstanceID
		}
		if meta.Rack != nil {
			m.Rack = *meta.Rack
		}
		for _, o := range meta.OwnedPartitions {
			for _, p := range o.Partitions {
				m.Owned = append(m.Owned, TopicPartition{o.Topic, p})
			}
		}
		slices.SortFunc(m.Owned, TopicPartition.Compare)
		for _, t := range meta.Topics {
			topics[t] = struct{}{}
		}
		members = append(members, m)
	}
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	return &memberBalancer{b.c, members}, topics, nil
}

// memberBalancer is one balance of the leader.
type memberBalancer struct {
	c       *Consumer
	members []Member
}

// Balance is never called: BalanceOrError takes its place.
func (m *memberBalancer) Balance(map[string]int32) kgo.IntoSyncAssignment { return plan(nil) }

func (m *memberBalancer) BalanceOrError(counts map[string]int32) (kgo.IntoSyncAssignment, error) {
	for topic, n := range counts {
		if n == 0 {
			delete(counts, topic) // not known to the broker when last asked
		}
	}
	got, err := m.c.cfg.Assignor.Balance(m.c.ctx, m.members, counts)
	if err != nil {
		return nil, fmt.Errorf("assign partitions of group %s: %w", m.c.cfg.Group, err)
	}
	return plan(got), nil
}

// plan encodes the leader's decision.
type plan map[string]Assignment

// IntoSyncAssignment is called once per balance.
func (p plan) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment {
	out := make([]kmsg.SyncGroupRequestGroupAssignment, 0, len(p))
	for _, id := range sortedKeys(p) {
		byTopic := nest(p[id].Partitions)
		enc := kmsg.NewConsumerMemberAssignment()
		enc.Version = 3
		enc.UserData = p[id].UserData
		for _, topic := range sortedKeys(byTopic) {
			t := kmsg.NewConsumerMemberAssignmentTopic()
			t.Topic, t.Partitions = topic, byTopic[topic]
			slices.Sort(t.Partitions)
			enc.Topics = append(enc.Topics, t)
		}
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = id, enc.AppendTo(nil)
		out = append(out, a)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
