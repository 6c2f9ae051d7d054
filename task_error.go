package millrace

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/runtime"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
)

// What callers of [App.Run] may test for with errors.Is.
var (
	// ErrUnreachable: no broker answered in time.
	ErrUnreachable = kafka.ErrUnreachable
	// ErrUnknownTopic: a topic does not exist.
	ErrUnknownTopic = kafka.ErrUnknownTopic
	// ErrNotAuthorized: credentials were refused or rights are missing.
	ErrNotAuthorized = kafka.ErrNotAuthorized
	// ErrStateDirLocked: another instance uses the state directory.
	ErrStateDirLocked = runtime.ErrStateDirLocked
	// ErrTaskMigrated: another instance took over while this one was away.
	ErrTaskMigrated = kafka.ErrMigrated
	// ErrAborted: the application ended through [App.Abort] or its
	// DrainTimeout.
	ErrAborted = runtime.ErrAborted
	// ErrShutdownRequested: another instance ended all of them
	// ([ShutdownApplication]).
	ErrShutdownRequested = runtime.ErrShutdownRequested
)

// TaskError is an error that a record or punctuator of a task met.
type TaskError struct {
	// Task is the task's id, "0_1" for partition 1 of sub-topology 0.
	Task string
	// Node of the topology that failed.
	Node string
	// Topic, Partition and Offset are those of the input record; for a
	// punctuator the topic is empty and the numbers are -1.
	Topic     string
	Partition int32
	Offset    int64
	// Err is what the node failed with.
	Err error

	text string
}

// Error implements error.
func (e *TaskError) Error() string {
	if e.text != "" {
		return e.text
	}
	return fmt.Sprintf("task %s, node %s, record %s-%d@%d: %v", e.Task, e.Node, e.Topic, e.Partition, e.Offset, e.Err)
}

// Unwrap returns what the node failed with.
func (e *TaskError) Unwrap() error { return e.Err }

// publicError gives errors of tasks their public type.
func publicError(err error) error {
	var failed *processor.FailedError
	if errors.As(err, &failed) {
		return taskError(failed.Context, failed.Err, "")
	}
	var bad *task.DeserializationError
	if errors.As(err, &bad) {
		return taskError(bad.Context, bad.Err, bad.Error())
	}
	return err
}

func taskError(at processor.ErrorContext, err error, text string) *TaskError {
	return &TaskError{Task: at.Task, Node: at.Node, Topic: at.Topic, Partition: at.Partition, Offset: at.Offset, Err: err, text: text}
}
