package millrace

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/runtime"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// emitInterval is Java's undocumented pause between two emission scans of
// windowed results.
const emitInterval = 1000

// resolve checks the configuration and fills in the defaults.
func (c Config) resolve(topology *processor.Topology) (runtime.Config, error) {
	reset, err := kafkaReset(c.OffsetReset)
	if err := errors.Join(c.check(), err); err != nil {
		return runtime.Config{}, fmt.Errorf("configuration:\n%w", err)
	}
	r := runtime.Config{
		Topology: topology, Task: c.Topology(),
		Kafka: kafka.Config{Brokers: c.Brokers, ClientID: c.ClientID, TLS: c.TLS, Rack: c.Rack,
			ConnectTimeout: c.ConnectTimeout, MetadataMaxAge: c.MetadataMaxAge, Logger: c.Logger},
		StateDir: c.StateDir, Workers: max(1, c.Workers),
		Memory:         statestore.MemoryConfig{BlockCache: c.BlockCacheBytes, WriteBuffer: c.WriteBufferBytes},
		CommitInterval: duration(c.CommitInterval, 30*time.Second), PollTimeout: duration(c.PollTimeout, 100*time.Millisecond),
		PurgeInterval: duration(c.PurgeInterval, 30*time.Second), TaskTimeout: duration(c.TaskTimeout, 5*time.Minute),
		DrainTimeout: c.DrainTimeout, MaxBufferedBytes: c.BufferedBytes, EmitInterval: emitInterval,
		Consumer: kafka.ConsumerConfig{SessionTimeout: c.SessionTimeout, HeartbeatInterval: c.HeartbeatInterval,
			FetchMaxWait: c.FetchMaxWait, FetchMaxBytes: int32(c.FetchMaxBytes), FetchMaxPartitionBytes: int32(c.MaxPartitionFetchBytes)},
		Producer: kafka.ProducerConfig{Linger: c.Linger, MaxBatchBytes: int32(c.MaxRequestBytes), Compression: c.Compression,
			DeliveryTimeout: c.DeliveryTimeout},
		InstanceID: c.InstanceID, RemainInGroup: c.RemainInGroup, Reset: reset, Logger: c.Logger,
	}
	if c.SASL != nil {
		r.Kafka.SASL = &kafka.SASL{Mechanism: c.SASL.Mechanism, User: c.SASL.User, Password: c.SASL.Password}
	}
	if r.StateDir == "" {
		r.StateDir = filepath.Join(os.TempDir(), "millrace")
	}
	if r.MaxBufferedBytes == 0 {
		r.MaxBufferedBytes = 32 << 20
	}
	if r.Logger == nil {
		r.Logger = slog.Default()
	}
	c.listeners(&r)
	return r, nil
}

func (c Config) listeners(r *runtime.Config) {
	if f := c.OnState; f != nil {
		r.OnState = func(old, new runtime.State) { f(State(old), State(new)) }
	}
	if f := c.OnRestore; f != nil {
		r.OnRestore = func(e runtime.RestoreEvent) {
			f(RestoreEvent{Phase: RestorePhase(e.Phase), Task: e.Task, Store: e.Store, Topic: e.Topic, Partition: e.Partition,
				Start: e.Start, End: e.End, Offset: e.Offset, Records: e.Records})
		}
	}
	if f := c.OnUncaught; f != nil {
		r.OnUncaught = func(err error) runtime.Action { return runtime.Action(f(publicError(err))) }
	}
}

// duration takes a default for zero, and zero for what is negative.
func duration(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return max(d, 0)
}

func kafkaReset(r processor.OffsetReset) (kafka.Reset, error) {
	switch r.Policy {
	case "", "earliest":
		return kafka.Reset{Kind: kafka.ResetEarliest}, nil
	case "latest":
		return kafka.Reset{Kind: kafka.ResetLatest}, nil
	case "none":
		return kafka.Reset{Kind: kafka.ResetNone}, nil
	case "by_duration":
		return kafka.Reset{Kind: kafka.ResetByDuration, Ago: time.Duration(r.Back) * time.Millisecond}, nil
	}
	return kafka.Reset{}, fmt.Errorf("OffsetReset (auto.offset.reset): policy %q is not one of earliest, latest, none, by_duration", r.Policy)
}

// check returns all that is wrong with the configuration.
func (c Config) check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.ApplicationID == "" {
		wrong("ApplicationID (application.id) is missing: it names the group and the internal topics, and must stay the same over restarts")
	} else if err := changelog.ValidateTopic(c.ApplicationID); err != nil {
		wrong("ApplicationID (application.id) becomes part of topic names: %w", err)
	}
	if len(c.Brokers) == 0 {
		wrong("Brokers (bootstrap.servers) is missing: give at least one host:port")
	}
	for _, b := range c.Brokers {
		if host, _, err := net.SplitHostPort(b); err != nil || host == "" {
			wrong("Brokers (bootstrap.servers): %q is not host:port", b)
		}
	}
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"Workers (num.stream.threads)", int64(c.Workers)},
		{"WriteBufferBytes", c.WriteBufferBytes},
		{"BlockCacheBytes", c.BlockCacheBytes},
		{"BufferedRecordsPerPartition (buffered.records.per.partition)", int64(c.BufferedRecordsPerPartition)},
		{"BufferedBytes", int64(c.BufferedBytes)},
		{"MaxRequestBytes (max.request.size)", int64(c.MaxRequestBytes)},
		{"FetchMaxBytes (fetch.max.bytes)", int64(c.FetchMaxBytes)},
		{"MaxPartitionFetchBytes (max.partition.fetch.bytes)", int64(c.MaxPartitionFetchBytes)},
		{"PollTimeout (poll.ms)", int64(c.PollTimeout)},
		{"PurgeInterval (repartition.purge.interval.ms)", int64(c.PurgeInterval)},
		{"TaskTimeout (task.timeout.ms)", int64(c.TaskTimeout)},
		{"DrainTimeout", int64(c.DrainTimeout)},
		{"SessionTimeout (session.timeout.ms)", int64(c.SessionTimeout)},
		{"HeartbeatInterval (heartbeat.interval.ms)", int64(c.HeartbeatInterval)},
		{"MetadataMaxAge (metadata.max.age.ms)", int64(c.MetadataMaxAge)},
		{"ConnectTimeout", int64(c.ConnectTimeout)},
		{"FetchMaxWait (fetch.max.wait.ms)", int64(c.FetchMaxWait)},
		{"DeliveryTimeout (delivery.timeout.ms)", int64(c.DeliveryTimeout)},
	} {
		if n.value < 0 {
			wrong("%s is negative: %d", n.name, n.value)
		}
	}
	if c.ReplicationFactor < -1 || c.ReplicationFactor > 1<<15-1 {
		wrong("ReplicationFactor (replication.factor) is %d, want -1 or 0 for the broker's default, or a number of brokers", c.ReplicationFactor)
	}
	if c.SessionTimeout > 0 && c.HeartbeatInterval >= c.SessionTimeout {
		wrong("HeartbeatInterval (heartbeat.interval.ms) of %s must be shorter than SessionTimeout (session.timeout.ms) of %s", c.HeartbeatInterval, c.SessionTimeout)
	}
	if s := c.SASL; s != nil {
		switch s.Mechanism {
		case "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512":
		default:
			wrong("SASL (sasl.mechanism): %q is not one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.Mechanism)
		}
	}
	switch c.Compression {
	case "", "none", "gzip", "snappy", "lz4", "zstd":
	default:
		wrong("Compression (compression.type): %q is not one of none, gzip, snappy, lz4, zstd", c.Compression)
	}
	return errors.Join(errs...)
}
