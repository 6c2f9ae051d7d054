package runtime

import (
	"log/slog"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// Config is the application's configuration with every default filled in; the
// root package documents the fields and their Java keys.
type Config struct {
	Topology *processor.Topology
	// Task is what tasks look at; Task.CacheBytes is the whole process's.
	Task processor.Config
	// Kafka reaches the cluster; its ClientID is that of the instance, empty
	// for the default.
	Kafka    kafka.Config
	StateDir string
	Workers  int
	Memory   statestore.MemoryConfig

	CommitInterval time.Duration
	PollTimeout    time.Duration
	// PurgeInterval of repartition topics.
	PurgeInterval time.Duration
	// TaskTimeout is how long a commit is tried again.
	TaskTimeout time.Duration
	// DrainTimeout bounds a clean end; 0 waits without limit.
	DrainTimeout time.Duration
	// MaxBufferedBytes of polled records in one worker.
	MaxBufferedBytes int
	// EmitInterval in milliseconds, see task.Env.
	EmitInterval int64

	// Consumer and Producer hold settings of the clients; what the runtime
	// decides itself (group, topics, listener, ids) is overwritten.
	Consumer kafka.ConsumerConfig
	Producer kafka.ProducerConfig
	// InstanceID is the prefix of the workers' group.instance.id.
	InstanceID    string
	RemainInGroup bool
	// Reset is where sources start that have no policy of their own.
	Reset kafka.Reset

	Logger     *slog.Logger
	OnState    func(old, new State)
	OnRestore  func(RestoreEvent)
	OnUncaught func(error) Action
}

// Action is what follows from an error that a worker could not handle (Java:
// StreamThreadExceptionResponse).
type Action int

// The actions.
const (
	// ShutdownClient ends this instance with the error.
	ShutdownClient Action = iota
	// ReplaceWorker goes on from the last commit with a new worker.
	ReplaceWorker
	// ShutdownApplication ends all instances.
	ShutdownApplication
)

// RestorePhase tells the callbacks of a restore apart.
type RestorePhase int

// The phases.
const (
	RestoreStarted RestorePhase = iota
	RestoreBatch
	RestoreEnded
	// RestoreSuspended is a restore that was given up, as the task moved away.
	RestoreSuspended
)

// RestoreEvent is one step of restoring a store from a partition (Java:
// StateRestoreListener).
type RestoreEvent struct {
	Phase     RestorePhase
	Task      string
	Store     string
	Topic     string
	Partition int32
	// Start and End are the first offset to be read and the one after the last.
	Start, End int64
	// Offset is the position reached.
	Offset int64
	// Records is how many this batch had, and at the end how many there were.
	Records int64
}

// persistent tells whether any store outlives the process.
func (c *Config) persistent() bool {
	for _, b := range c.Topology.Stores() {
		if b.Persistent() {
			return true
		}
	}
	for _, g := range c.Topology.GlobalStores() {
		if g.Store.Persistent() {
			return true
		}
	}
	return false
}

// hasTasks is false for a topology of nothing but global stores, which needs
// no worker.
func (c *Config) hasTasks() bool {
	for _, s := range c.Topology.Subtopologies() {
		if !s.Global && len(s.SourceTopics)+len(s.Patterns) > 0 {
			return true
		}
	}
	return false
}

// resetOf is the reset policy of a topic given by its real name.
func (c *Config) resetOf(topic string) kafka.Reset {
	name := topic
	if internal, ok := c.internalName(topic); ok {
		name = internal
	}
	reset, _ := c.Topology.OffsetReset(name)
	switch reset.Policy {
	case "earliest":
		return kafka.Reset{Kind: kafka.ResetEarliest}
	case "latest":
		return kafka.Reset{Kind: kafka.ResetLatest}
	case "none":
		return kafka.Reset{Kind: kafka.ResetNone}
	case "by_duration":
		return kafka.Reset{Kind: kafka.ResetByDuration, Ago: time.Duration(reset.Back) * time.Millisecond}
	}
	return c.Reset
}

// internalName takes the application id off the name of a repartition topic.
func (c *Config) internalName(topic string) (string, bool) {
	prefix := c.Task.ApplicationID + "-"
	if len(topic) <= len(prefix) || topic[:len(prefix)] != prefix {
		return "", false
	}
	_, ok := c.Topology.InternalTopic(topic[len(prefix):])
	return topic[len(prefix):], ok
}
