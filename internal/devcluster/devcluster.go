// Package devcluster runs a Kafka cluster inside the process, for examples and
// tries: no installation, loopback only, gone when closed. It owns how that
// cluster is set up so that it behaves like a real one towards an application,
// and is the one place outside tests that imports the fake broker.
//
// It is no product: one goroutine serves all brokers, topic configs are not
// validated, LogAppendTime is ignored and groups of the streams protocol
// (KIP-1071) are unknown.
package devcluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Options of a cluster; the zero value is one broker that keeps its data in
// memory.
type Options struct {
	// Brokers is the number of brokers; 1.
	Brokers int
	// Partitions of topics created without a count; 1, as a real broker has.
	Partitions int
	// AutoCreate creates topics that are written to or read, as a real broker
	// does by default.
	AutoCreate bool
	// Dir keeps the data of the cluster there between runs; empty keeps it in
	// memory.
	Dir string
	// Topics to create, with their number of partitions.
	Topics map[string]int
	// Configs are broker configs by name, on top of those set here.
	Configs map[string]string
}

// Cluster is a running cluster.
type Cluster struct {
	fake *kfake.Cluster
	stop func() bool
}

// Start starts a cluster on free ports of the loopback interface. It ends with
// Close or with the context.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	configs := map[string]string{
		"group.initial.rebalance.delay.ms": "0", // the first member need not wait for others
		"transaction.max.timeout.ms":       strconv.Itoa(900_000),
	}
	for k, v := range o.Configs {
		configs[k] = v
	}
	opts := []kfake.Opt{
		kfake.NumBrokers(max(1, o.Brokers)),
		kfake.DefaultNumPartitions(max(1, o.Partitions)),
		kfake.MaxVersions(kversion.Stable()),
		kfake.BrokerConfigs(configs),
	}
	if o.AutoCreate {
		opts = append(opts, kfake.AllowAutoTopicCreation())
	}
	if o.Dir != "" {
		opts = append(opts, kfake.DataDir(o.Dir))
	}
	fake, err := kfake.NewCluster(opts...)
	if err != nil {
		return nil, fmt.Errorf("start the embedded Kafka cluster: %w", err)
	}
	for topic, n := range o.Topics {
		if fake.TopicInfo(topic) != nil {
			continue // kept in Dir from an earlier run
		}
		if err := fake.CreateTopic(topic, int32(n), nil); err != nil {
			fake.Close()
			return nil, fmt.Errorf("create topic %s with %d partitions: %w", topic, n, err)
		}
	}
	return &Cluster{fake: fake, stop: context.AfterFunc(ctx, fake.Close)}, nil
}

// Brokers returns the addresses to connect to, host:port.
func (c *Cluster) Brokers() []string { return c.fake.ListenAddrs() }

// Close stops the cluster. What is not kept in a directory is gone.
func (c *Cluster) Close() {
	c.stop()
	c.fake.Close()
}
