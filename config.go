package millrace

import (
	"crypto/tls"
	"log/slog"
	"time"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// Config is an application's configuration. The zero value of a field means
// its default, which is Java's unless said otherwise; ApplicationID and Brokers
// must be given. Each field names its Java key.
type Config struct {
	// ApplicationID names the application: its consumer group, and the prefix
	// of its internal topics and of its state directory (application.id).
	ApplicationID string
	// Brokers are host:port addresses to begin with (bootstrap.servers).
	Brokers []string
	// ClientID begins the names of all clients (client.id); default
	// ApplicationID with the process id behind it.
	ClientID string
	// TLS encrypts connections when set (security.protocol SSL or SASL_SSL).
	TLS *tls.Config
	// SASL logs in when set (sasl.mechanism, sasl.jaas.config).
	SASL *SASL
	// Rack of this instance; followers in it are read from (client.rack).
	Rack string
	// InstanceID makes the workers static members of the group, each with
	// "-<number>" behind it (group.instance.id).
	InstanceID string
	// RemainInGroup makes a clean end keep the membership until the session
	// times out, as Java does by default. Otherwise the tasks go to others at
	// once. Static members always remain.
	RemainInGroup bool

	// StateDir is where persistent stores lie, in a folder named after the
	// application (state.dir); default a folder "millrace" in the system's
	// temporary directory, which a production setup should not rely on.
	StateDir string
	// Workers process tasks side by side (num.stream.threads); default 1. More
	// workers than partitions stay idle.
	Workers int
	// CommitInterval is the time between commits (commit.interval.ms); default
	// 30 s. A negative value commits after every turn of the poll loop.
	CommitInterval time.Duration
	// PollTimeout is how long a worker waits for records (poll.ms); default
	// 100 ms. It bounds how late punctuators on the wall clock fire.
	PollTimeout time.Duration
	// PurgeInterval is how often committed records of repartition topics are
	// deleted (repartition.purge.interval.ms); default 30 s.
	PurgeInterval time.Duration
	// TaskTimeout is how long a commit is tried again when the brokers do not
	// answer (task.timeout.ms); default 5 min.
	TaskTimeout time.Duration
	// DrainTimeout bounds the clean end; default 0 waits without limit, as
	// Java's close() does.
	DrainTimeout time.Duration
	// SessionTimeout after which a silent member loses its tasks
	// (session.timeout.ms); default 45 s.
	SessionTimeout time.Duration
	// HeartbeatInterval is how often a member is heard (heartbeat.interval.ms);
	// default 3 s.
	HeartbeatInterval time.Duration
	// MetadataMaxAge is how late new topics of a pattern are found
	// (metadata.max.age.ms); default 5 min.
	MetadataMaxAge time.Duration
	// ConnectTimeout is how long Run tries to reach a broker at the start;
	// default 10 s. Java has no such key: it tries for ever.
	ConnectTimeout time.Duration

	// CacheBytes is the record cache of all workers together, which holds back
	// updates until a commit (statestore.cache.max.bytes). The zero value is
	// the default of 10 MiB; [NoCache] switches it off, so that every update is
	// seen downstream.
	CacheBytes int64
	// WriteBufferBytes is what the persistent stores of the process may hold
	// in memory before they write it out; default 64 MiB. It stands for what
	// rocksdb.config.setter sets per store in Java.
	WriteBufferBytes int64
	// BlockCacheBytes holds blocks of persistent stores that were read;
	// default 50 MiB for the process, in Java per store.
	BlockCacheBytes int64
	// BufferedRecordsPerPartition is down to where an input that was paused,
	// as it was far ahead of a joined one, must drain before it is read again
	// (buffered.records.per.partition); default 1000.
	BufferedRecordsPerPartition int
	// BufferedBytes is from where a worker with something to do stops fetching;
	// default 32 MiB. Java had it as input.buffer.max.bytes for a while.
	BufferedBytes int
	// MaxTaskIdle is how long a task waits for records of a joined input that
	// has none, so that both are processed in the order of their timestamps
	// (max.task.idle.ms). With the default 0 it only waits for what the broker
	// is known to hold; negative never waits.
	MaxTaskIdle time.Duration

	// OffsetReset is where sources without a policy of their own start when
	// nothing was committed (auto.offset.reset); the zero value is the
	// earliest record.
	OffsetReset processor.OffsetReset
	// Optimize is topology.optimization: "", "none", "all", or a comma list of
	// "reuse.ktable.source.topics", "merge.repartition.topics" and
	// "single.store.self.join".
	Optimize string
	// InMemoryStores keeps the stores of tables in memory
	// (dsl.store.suppliers.class).
	InMemoryStores bool
	// HeaderStores keeps headers in the stores of tables
	// (dsl.store.format=HEADERS).
	HeaderStores bool
	// ExplicitNames makes a generated name of an internal topic or store an
	// error (ensure.explicit.internal.resource.naming).
	ExplicitNames bool
	// TimestampExtractor finds the event time of records
	// (default.timestamp.extractor); default
	// [processor.FailOnInvalidTimestamp].
	TimestampExtractor processor.TimestampExtractor
	// Serdes finds serdes by Go type where none was given, as Java's
	// default.key.serde and default.value.serde do for all; default
	// serde.Default().
	Serdes *serde.Registry
	// WindowedChangelogExtra is how much longer than the store the changelog of
	// a window store keeps records (windowstore.changelog.additional.retention.ms);
	// default one day, negative for none.
	WindowedChangelogExtra time.Duration
	// TopicConfig holds settings of internal topics (the topic.* keys, without
	// the prefix).
	TopicConfig map[string]string
	// ReplicationFactor of internal topics (replication.factor); default the
	// broker's.
	ReplicationFactor int

	// Linger is how long the producer waits for a batch to fill (linger.ms);
	// default 100 ms, negative not at all.
	Linger time.Duration
	// Compression of what is written (compression.type): none, gzip, snappy,
	// lz4 or zstd; default none.
	Compression string
	// MaxRequestBytes bounds a batch and so the largest record
	// (max.request.size); default 1 MiB.
	MaxRequestBytes int
	// DeliveryTimeout after which a record counts as lost
	// (delivery.timeout.ms); default 2 min.
	DeliveryTimeout time.Duration
	// FetchMaxWait is how long a broker may hold back an empty answer
	// (fetch.max.wait.ms); default 500 ms.
	FetchMaxWait time.Duration
	// FetchMaxBytes bounds an answer (fetch.max.bytes); default 50 MiB.
	FetchMaxBytes int
	// MaxPartitionFetchBytes bounds one partition in an answer
	// (max.partition.fetch.bytes); default 256 KiB, in Java 1 MiB.
	MaxPartitionFetchBytes int

	// DeadLetterTopic gets a record for each error of handlers that are nil or
	// say so in their response (errors.dead.letter.queue.topic.name, KIP-1034).
	DeadLetterTopic string
	// GlobalProcessingErrors puts errors of the processors of global stores to
	// OnProcessingError too (processing.exception.handler.global.enabled).
	GlobalProcessingErrors bool
	// OnDeserializationError decides about records that cannot be decoded
	// (deserialization.exception.handler); nil fails.
	OnDeserializationError func(processor.ErrorContext, error) processor.Response
	// OnProcessingError decides about errors and panics of user code
	// (processing.exception.handler); nil fails.
	OnProcessingError func(processor.ErrorContext, processor.Failing, error) processor.Response
	// OnProductionError decides about records the brokers did not take
	// (production.exception.handler). It runs on a goroutine of the client. Nil
	// fails; if the trouble may pass, the tasks go on from the last commit.
	OnProductionError func(processor.ErrorContext, processor.Outgoing, error) processor.Response
	// OnSerializationError decides about records that cannot be encoded
	// (production.exception.handler, too); nil fails.
	OnSerializationError func(ctx processor.ErrorContext, topic string, key bool, rec processor.Failing, err error) processor.Response
	// OnUncaught decides what follows from an error that a worker ends with
	// (setUncaughtExceptionHandler); nil is ShutdownClient.
	OnUncaught func(error) Action
	// OnState is told of each change of state, one at a time
	// (setStateListener). It must not wait for the application.
	OnState func(old, new State)
	// OnRestore is told of the progress of restores, from several goroutines
	// (setGlobalStateRestoreListener).
	OnRestore func(RestoreEvent)
	// Logger gets one line per change of state and per trouble; nil is
	// slog.Default().
	Logger *slog.Logger
}

// NoCache as [Config.CacheBytes] switches the record cache off.
const NoCache int64 = -1

// SASL is a login. Mechanism is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512.
type SASL struct {
	Mechanism, User, Password string
}

// Topology is the part of the configuration that building a topology needs.
func (c Config) Topology() processor.Config {
	p := processor.Config{
		ApplicationID: c.ApplicationID, Optimize: c.Optimize, InMemoryStores: c.InMemoryStores,
		HeaderStores: c.HeaderStores, ExplicitNames: c.ExplicitNames, TimestampExtractor: c.TimestampExtractor,
		Serdes: c.Serdes, TopicConfig: c.TopicConfig, ReplicationFactor: int16(c.ReplicationFactor),
		DeadLetterTopic: c.DeadLetterTopic, GlobalProcessingErrors: c.GlobalProcessingErrors, BufferedRecords: c.BufferedRecordsPerPartition,
		OnDeserializationError: c.OnDeserializationError, OnProcessingError: c.OnProcessingError,
		OnProductionError: c.OnProductionError, OnSerializationError: c.OnSerializationError,
	}
	switch {
	case c.CacheBytes == 0:
		p.CacheBytes = processor.DefaultCacheBytes
	case c.CacheBytes > 0:
		p.CacheBytes = c.CacheBytes
	}
	switch {
	case c.WindowedChangelogExtra == 0:
		p.WindowedChangelogExtra = processor.DefaultWindowedChangelogExtra
	case c.WindowedChangelogExtra > 0:
		p.WindowedChangelogExtra = c.WindowedChangelogExtra.Milliseconds()
	}
	if p.BufferedRecords == 0 {
		p.BufferedRecords = 1000
	}
	if p.MaxTaskIdle = c.MaxTaskIdle.Milliseconds(); c.MaxTaskIdle < 0 {
		p.MaxTaskIdle = -1
	}
	return p
}
