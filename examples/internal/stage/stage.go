// Package stage owns what the examples need around their application: a
// broker, topics with records in them, a look at how far the application has
// come, and its results. It speaks to the broker with the plain Kafka client,
// as a program beside the application would. It refuses to know what the
// application computes.
package stage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/internal/devcluster"
)

// patience is how long a broker may take to answer for the first time.
const patience = 5 * time.Second

// Stage is a connection to a cluster, which may run in this process.
type Stage struct {
	brokers  []string
	embedded *devcluster.Cluster
	client   *kgo.Client
	admin    *kadm.Client

	mu   sync.Mutex
	lost error // the first record that could not be sent
}

// Open connects to the brokers; without any it starts a cluster in this
// process, which ends with Close.
func Open(ctx context.Context, brokers []string) (*Stage, error) {
	s := &Stage{brokers: brokers}
	for _, b := range brokers {
		if host, port, err := net.SplitHostPort(b); err != nil || host == "" || port == "" {
			return nil, fmt.Errorf("broker %q is not host:port", b)
		}
	}
	if len(brokers) == 0 {
		// When ctx ends the application still needs the cluster to commit.
		c, err := devcluster.Start(context.WithoutCancel(ctx), devcluster.Options{})
		if err != nil {
			return nil, err
		}
		s.embedded, s.brokers = c, c.Brokers()
	}
	// Record partitions are chosen by the caller of Send.
	client, err := kgo.NewClient(kgo.SeedBrokers(s.brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.DialTimeout(patience), kgo.MetadataMinAge(50*time.Millisecond))
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("make a client for %s: %w", s, err)
	}
	s.client, s.admin = client, kadm.NewClient(client)
	ping, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := client.Ping(ping); err != nil {
		s.Close()
		return nil, fmt.Errorf("no Kafka broker answers at %s: start one there, or leave the brokers out to use an embedded cluster: %w", s, err)
	}
	return s, nil
}

// Brokers are the addresses for the application.
func (s *Stage) Brokers() []string { return s.brokers }

// Embedded reports whether the cluster runs in this process.
func (s *Stage) Embedded() bool { return s.embedded != nil }

// String lists the brokers.
func (s *Stage) String() string { return strings.Join(s.brokers, ",") }

// Close disconnects and ends an embedded cluster, whose data is then gone.
func (s *Stage) Close() {
	if s.client != nil {
		s.client.Close()
	}
	if s.embedded != nil {
		s.embedded.Close()
	}
}

// Topic makes sure that a topic exists and returns its number of partitions,
// which is the given one unless the topic was there already.
func (s *Stage) Topic(ctx context.Context, name string, partitions int32, configs map[string]string) (int32, error) {
	set := make(map[string]*string, len(configs))
	for k, v := range configs {
		set[k] = &v
	}
	_, err := s.admin.CreateTopic(ctx, partitions, -1, set, name)
	if err == nil {
		return partitions, nil
	}
	if !errors.Is(err, kerr.TopicAlreadyExists) {
		return 0, fmt.Errorf("create topic %s with %d partitions: %w", name, partitions, err)
	}
	topics, err := s.admin.ListTopics(ctx, name)
	if err == nil {
		err = topics.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("look at topic %s: %w", name, err)
	}
	return int32(len(topics[name].Partitions)), nil
}

// Topics are the names of the topics there are, without Kafka's own.
func (s *Stage) Topics(ctx context.Context) ([]string, error) {
	topics, err := s.admin.ListTopics(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the topics of %s: %w", s, err)
	}
	return topics.Names(), nil
}

// Send hands a record over to be written; Flush tells whether it was.
func (s *Stage) Send(ctx context.Context, topic string, partition int32, key, value []byte, at time.Time) {
	s.client.Produce(ctx, &kgo.Record{Topic: topic, Partition: partition, Key: key, Value: value, Timestamp: at}, func(r *kgo.Record, err error) {
		if err == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.lost == nil {
			s.lost = fmt.Errorf("write to topic %s: %w", r.Topic, err)
		}
	})
}

// Flush waits until all records sent are written, and returns the first error
// of any.
func (s *Stage) Flush(ctx context.Context) error {
	if err := s.client.Flush(ctx); err != nil {
		return fmt.Errorf("write to %s: %w", s, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Remove deletes topics and the group of an application that has ended.
func (s *Stage) Remove(ctx context.Context, group string, topics ...string) error {
	deleted, err := s.admin.DeleteTopics(ctx, topics...)
	if err == nil {
		err = deleted.Error()
	}
	if err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
		return fmt.Errorf("delete topics %v: %w", topics, err)
	}
	if _, err := s.admin.DeleteGroup(ctx, group); err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return fmt.Errorf("delete group %s: %w", group, err)
	}
	return nil
}
