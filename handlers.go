package millrace

import (
	"github.com/millrace/millrace/internal/runtime"
	"github.com/millrace/millrace/processor"
)

// Action is what follows from an error that a worker ends with (Java:
// StreamThreadExceptionResponse).
type Action int

// The actions.
const (
	// ShutdownClient ends this instance; [App.Run] returns the error.
	ShutdownClient = Action(runtime.ShutdownClient)
	// ReplaceWorker puts a new worker in the place of the failed one, which
	// goes on from the last commit. A record that always fails does so again.
	ReplaceWorker = Action(runtime.ReplaceWorker)
	// ShutdownApplication ends all instances of the application.
	ShutdownApplication = Action(runtime.ShutdownApplication)
)

// RestorePhase tells the steps of a restore apart.
type RestorePhase int

// The phases of a restore.
const (
	RestoreStarted = RestorePhase(runtime.RestoreStarted)
	RestoreBatch   = RestorePhase(runtime.RestoreBatch)
	RestoreEnded   = RestorePhase(runtime.RestoreEnded)
	// RestoreSuspended is a restore given up because its task moved away.
	RestoreSuspended = RestorePhase(runtime.RestoreSuspended)
)

// RestoreEvent is one step of restoring a store from a partition of its
// changelog (Java: StateRestoreListener).
type RestoreEvent struct {
	Phase RestorePhase
	// Task is the task's id, "-1_-1" for a global store.
	Task, Store string
	Topic       string
	Partition   int32
	// Start and End are the first offset read and the one after the last.
	Start, End int64
	// Offset is the position reached.
	Offset int64
	// Records in this batch, or at the end in all.
	Records int64
}

// ContinueOnDeserializationError skips records that cannot be decoded, logs
// each and writes it to the dead-letter topic, if there is one (Java:
// LogAndContinueExceptionHandler).
func ContinueOnDeserializationError(processor.ErrorContext, error) processor.Response {
	return processor.Response{Decision: processor.Continue, DeadLetter: true}
}

// ContinueOnProcessingError skips records on which user code fails, at the
// failing node only, logs each and writes it to the dead-letter topic, if there
// is one (Java: LogAndContinueProcessingExceptionHandler).
func ContinueOnProcessingError(processor.ErrorContext, processor.Failing, error) processor.Response {
	return processor.Response{Decision: processor.Continue, DeadLetter: true}
}
