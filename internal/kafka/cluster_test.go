package kafka_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/millrace/millrace/internal/kafka"
)

// cluster starts a fake cluster whose topics have the given partition counts.
func cluster(t *testing.T, topics map[string]int, opts ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	opts = append([]kfake.Opt{
		kfake.NumBrokers(1), kfake.MaxVersions(kversion.Stable()),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}),
	}, opts...)
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for topic, n := range topics {
		if err := c.CreateTopic(topic, int32(n), nil); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func config(c *kfake.Cluster) kafka.Config {
	return kafka.Config{Brokers: c.ListenAddrs(), ConnectTimeout: 5 * time.Second, MetadataMinAge: 10 * time.Millisecond}
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// fill writes values to partition 0 of a topic, each with itself as key.
func fill(t *testing.T, c *kfake.Cluster, topic string, values ...string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, v := range values {
		r := &kgo.Record{Topic: topic, Key: []byte(v), Value: []byte(v), Timestamp: time.UnixMilli(1000)}
		if err := cl.ProduceSync(deadline(t), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

// transact writes values in one transaction.
func transact(t *testing.T, c *kfake.Cluster, topic string, commit kgo.TransactionEndTry, values ...string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.TransactionalID(fmt.Sprint("tx-", topic, len(values))))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		if err := cl.ProduceSync(deadline(t), &kgo.Record{Topic: topic, Value: []byte(v)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cl.EndTransaction(deadline(t), commit); err != nil {
		t.Fatal(err)
	}
}

// spread is an assignor that deals the partitions of all topics out in turn,
// withholding those that another member still owns. It also is the listener.
type spread struct {
	t       *testing.T
	name    string
	prepare func(ctx context.Context, counts map[string]int32) error

	mu     sync.Mutex
	round  byte
	owned  map[kafka.TopicPartition]bool
	events []string
	data   []string
	told   chan struct{} // signals each event
}

func newSpread(t *testing.T, name string) *spread {
	return &spread{t: t, name: name, owned: map[kafka.TopicPartition]bool{}, told: make(chan struct{}, 1000)}
}

func (s *spread) Subscription() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round++
	return []byte{s.name[0], s.round}
}

func (s *spread) Balance(ctx context.Context, members []kafka.Member, counts map[string]int32) (map[string]kafka.Assignment, error) {
	if s.prepare != nil {
		if err := s.prepare(ctx, counts); err != nil {
			return nil, err
		}
	}
	owner := map[kafka.TopicPartition]string{}
	out := map[string]kafka.Assignment{}
	for _, m := range members {
		out[m.ID] = kafka.Assignment{UserData: fmt.Appendf(nil, "for %c by %s", m.UserData[0], s.name)}
		for _, tp := range m.Owned {
			owner[tp] = m.ID
		}
	}
	i := 0
	for _, topic := range slices.Sorted(keys(counts)) {
		for p := range counts[topic] {
			tp := kafka.TopicPartition{Topic: topic, Partition: p}
			m := members[i%len(members)].ID
			i++
			if o := owner[tp]; o == "" || o == m {
				a := out[m]
				a.Partitions = append(a.Partitions, tp)
				out[m] = a
			}
		}
	}
	return out, nil
}

func (s *spread) note(what string, tps []kafka.TopicPartition, own bool) {
	s.mu.Lock()
	for _, tp := range tps {
		if own {
			s.owned[tp] = true
		} else {
			delete(s.owned, tp)
		}
	}
	s.events = append(s.events, fmt.Sprint(what, tps))
	s.mu.Unlock()
	s.told <- struct{}{}
}

func (s *spread) OnAssigned(_ context.Context, a kafka.Assigned) {
	s.mu.Lock()
	s.data = append(s.data, string(a.UserData))
	s.mu.Unlock()
	s.note("assigned", a.Added, true)
}
func (s *spread) OnRevoked(_ context.Context, tps []kafka.TopicPartition) {
	s.note("revoked", tps, false)
}
func (s *spread) OnLost(_ context.Context, tps []kafka.TopicPartition) { s.note("lost", tps, false) }

func (s *spread) has() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for tp := range s.owned {
		out = append(out, tp.String())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func keys[K comparable, V any](m map[K]V) func(func(K) bool) {
	return func(yield func(K) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// join makes a consumer with the assignor and lets it poll in the background
// until stop is called; what it reads is sent to the channel.
func join(t *testing.T, c *kfake.Cluster, s *spread, change func(*kafka.ConsumerConfig)) *kafka.Consumer {
	t.Helper()
	cfg := kafka.ConsumerConfig{Config: config(c), Group: "g", Topics: []string{"in"}, Assignor: s, Listener: s,
		HeartbeatInterval: 20 * time.Millisecond, FetchMaxWait: 50 * time.Millisecond}
	if change != nil {
		change(&cfg)
	}
	con, err := kafka.NewConsumer(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { con.Close(context.Background(), kafka.LeaveGroup) })
	return con
}

// poller polls in the background until the test ends.
func poller(t *testing.T, con *kafka.Consumer) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			con.Poll(ctx)
			con.AllowRebalance()
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// await waits for an event of one of the assignors until the condition holds.
func await(t *testing.T, what string, cond func() bool, of ...*spread) {
	t.Helper()
	told := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	for _, s := range of {
		go func() {
			for {
				select {
				case <-s.told:
					select {
					case told <- struct{}{}:
					default:
					}
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	for !cond() {
		select {
		case <-told:
		case <-ctx.Done():
			for _, s := range of {
				t.Logf("%s: %v owns %s", s.name, s.events, s.has())
			}
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}
