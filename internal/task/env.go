package task

import (
	"log/slog"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// Env is what a task needs of the process around it. The runtime implements it
// on a Kafka client, the test driver in memory.
type Env interface {
	// Send queues a record for the producer, copying what it needs of it. An
	// error that came back for an earlier record may be returned here.
	Send(processor.Outgoing) error
	// Partitions is the number of partitions of a topic; an error if it does
	// not exist.
	Partitions(topic string) (int32, error)
	// GlobalStore finds a global store by name.
	GlobalStore(name string) (statestore.Store, bool)
	// Cache is the worker's record cache, nil when caching is off.
	Cache() *statestore.Cache
	// Memory is the process-wide budget of the stores.
	Memory() *statestore.Memory
	// Dir makes the folder of the task for persistent stores.
	Dir(id ID) (string, error)
	// EmitInterval is the shortest wall-clock time in milliseconds between
	// emission scans.
	EmitInterval() int64
	Logger() *slog.Logger
}
