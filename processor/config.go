package processor

import "github.com/millrace/millrace/serde"

// Config is the part of the application's configuration that topologies and
// tasks look at; each field names the Java key. The zero value holds Java's
// defaults except where a method says otherwise.
type Config struct {
	// ApplicationID is application.id.
	ApplicationID string
	// Optimize is topology.optimization: "", "none", "all" or a comma list of
	// the rules' names.
	Optimize string
	// CacheBytes is statestore.cache.max.bytes; see [DefaultCacheBytes].
	CacheBytes int64
	// InMemoryStores makes the DSL's stores live in memory
	// (dsl.store.suppliers.class).
	InMemoryStores bool
	// HeaderStores is dsl.store.format=HEADERS.
	HeaderStores bool
	// ExplicitNames is ensure.explicit.internal.resource.naming.
	ExplicitNames bool
	// ProcessValuesFix is __enable.process.processValue.fix__.
	ProcessValuesFix bool
	// TimestampExtractor is default.timestamp.extractor; nil is
	// FailOnInvalidTimestamp.
	TimestampExtractor TimestampExtractor
	// Serdes finds serdes by Go type where none was given; nil is serde.Default().
	Serdes *serde.Registry
	// WindowedChangelogExtra is windowstore.changelog.additional.retention.ms
	// in milliseconds; see [DefaultWindowedChangelogExtra].
	WindowedChangelogExtra int64
	// TopicConfig holds the topic.* settings for internal topics, without the
	// prefix.
	TopicConfig map[string]string
	// ReplicationFactor of internal topics; 0 and -1 mean the broker's default.
	ReplicationFactor int16
	// DeadLetterTopic is errors.dead.letter.queue.topic.name: where handlers that
	// say so (see [Response]) write a record about each failure, and those that
	// are nil. The topic must exist.
	DeadLetterTopic string
	// GlobalProcessingErrors puts errors of the processors of global stores to
	// OnProcessingError too (processing.exception.handler.global.enabled).
	GlobalProcessingErrors bool
	// MaxTaskIdle is max.task.idle.ms in milliseconds; -1 never waits.
	MaxTaskIdle int64
	// BufferedRecords is buffered.records.per.partition; 0 is Java's 1000.
	BufferedRecords int
	// OnDeserializationError decides about records that cannot be read; nil
	// fails (Java: LogAndFail).
	OnDeserializationError func(ErrorContext, error) Response
	// OnProcessingError decides about errors of user code; nil fails.
	OnProcessingError func(ErrorContext, Failing, error) Response
	// OnProductionError decides about records that cannot be written; nil fails.
	OnProductionError func(ErrorContext, Outgoing, error) Response
	// OnSerializationError decides about records that cannot be serialised;
	// nil fails.
	OnSerializationError func(ctx ErrorContext, topic string, key bool, rec Failing, err error) Response
}

// DefaultCacheBytes is Java's default of statestore.cache.max.bytes, 10 MiB.
const DefaultCacheBytes = 10 << 20

// DefaultWindowedChangelogExtra is Java's default of
// windowstore.changelog.additional.retention.ms, one day.
const DefaultWindowedChangelogExtra = 24 * 60 * 60 * 1000

// Decision is what a handler wants done about an error.
type Decision int

// The decisions of exception handlers.
const (
	// Fail stops the task.
	Fail Decision = iota
	// Continue drops the record, counts it and goes on (Java: RESUME).
	Continue
	// Retry sends a record again; for production errors the client calls
	// retriable, otherwise it fails.
	Retry
)

// Response is a handler's decision and the records it wants written to
// dead-letter topics before it takes effect (KIP-1034). Processors of global
// stores cannot write any.
type Response struct {
	Decision Decision
	// DeadLetter adds the record that [DeadLetter] makes, if the configuration
	// names a topic for it, as Java's built-in handlers do.
	DeadLetter  bool
	DeadLetters []Outgoing
}
