package processor

import (
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// Host is the task as its nodes see it. It is implemented by the task, which
// is single-threaded: nothing here may be called from another goroutine.
type Host interface {
	statestore.Host
	// Config is the application's neutral configuration.
	Config() *Config
	// StreamTime is the highest timestamp the task has taken for processing,
	// in milliseconds; -1 before the first record.
	StreamTime() int64
	// SystemTime is the wall clock in milliseconds, read once a step.
	SystemTime() int64
	// Store finds a store of the task or a global store.
	Store(name string) (s statestore.Store, global, ok bool)
	// Schedule registers a punctuator of a node.
	Schedule(n *Node, p Punctuation, f func(now int64) error) (cancel func())
	// RequestCommit asks for a commit as soon as the step is over.
	RequestCommit()
	// Send hands a record to the producer. Key and value are copied before it
	// returns.
	Send(Outgoing) error
	// Partitions is the number of partitions of an output topic.
	Partitions(topic string) (int32, error)
	// ProcessingFailed asks the processing exception handler; nil means that
	// the record is dropped (and counted) at the failing node.
	ProcessingFailed(ErrorContext, Failing, error) error
	// SerializationFailed asks the production exception handler about a record
	// that cannot be serialised for a topic; nil drops and counts it.
	SerializationFailed(n *Node, topic string, key bool, rec Failing, err error) error
	// TopicName turns a topic's name in the topology into the real one:
	// internal topics get the application id in front.
	TopicName(topic string) string
	// EmitInterval is the shortest wall-clock time in milliseconds between two
	// emission scans of windowed results and of unmatched join rows.
	EmitInterval() int64
	// NodeState and SetNodeState keep a number under a name in the task's
	// commit metadata (Java: ProcessorMetadata).
	NodeState(name string) (int64, bool)
	SetNodeState(name string, value int64)
}

// Outgoing is a record on its way to a topic. A nil Key or Value is null.
type Outgoing struct {
	// Topic is the real name of the topic.
	Topic string
	// Partition, or -1 to let the producer choose by the key's hash.
	Partition  int32
	Key, Value []byte
	// Timestamp in milliseconds; NoTimestamp lets the producer's clock decide.
	Timestamp int64
	Headers   *record.Headers
	// Node that sent it, empty for a changelog.
	Node string
}

// NoTimestamp is the timestamp of an outgoing record that gets the producer's
// wall clock.
const NoTimestamp int64 = -1

// PunctuationKind chooses the clock of a punctuator (Java: PunctuationType).
type PunctuationKind int

// The clocks a punctuator can follow.
const (
	// StreamTime follows the timestamps of the task's records.
	StreamTime PunctuationKind = iota
	// WallClock follows the system clock.
	WallClock
)

// Punctuation says when a punctuator fires. Interval and Start are in
// milliseconds; Start is only looked at when Anchored is set (KIP-1146).
type Punctuation struct {
	Kind     PunctuationKind
	Interval int64
	Anchored bool
	Start    int64
}
