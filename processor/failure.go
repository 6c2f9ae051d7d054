package processor

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/millrace/millrace/record"
)

// ErrorContext says where something went wrong (Java: ErrorHandlerContext).
// Topic, partition and offset are those of the record that was taken from the
// input; inside a punctuator the topic is empty and both numbers are -1.
type ErrorContext struct {
	Node, Task       string
	Topic            string
	Partition        int32
	Offset           int64
	Timestamp        int64
	Headers          *record.Headers
	RawKey, RawValue []byte
}

// Failing is the record a node failed on. It is the zero value when the
// failure is a punctuator's.
type Failing struct {
	Key, Value         any
	KeyNull, ValueNull bool
	Timestamp          int64
	Headers            *record.Headers
}

// StreamsError is an error of the framework itself (Java: StreamsException).
type StreamsError struct {
	Msg string
	Err error
}

// Error implements error.
func (e *StreamsError) Error() string {
	if e.Err == nil {
		return e.Msg
	}
	return e.Msg + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *StreamsError) Unwrap() error { return e.Err }

// JavaClass is the exception that a dead letter names.
func (e *StreamsError) JavaClass() string { return "org.apache.kafka.streams.errors.StreamsException" }

// JavaMessage is that exception's message.
func (e *StreamsError) JavaMessage() string { return e.Msg }

// PanicError is a panic of user code, caught at the node it happened in.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// FailedError is an error about which the processing exception handler has
// decided: the task fails. Nodes above pass it on untouched (Java:
// FailedProcessingException).
type FailedError struct {
	Context ErrorContext
	Err     error
}

// Error implements error.
func (e *FailedError) Error() string {
	return fmt.Sprintf("processing failed: task %s, node %s, topic %s, partition %d, offset %d: %v",
		e.Context.Task, e.Context.Node, e.Context.Topic, e.Context.Partition, e.Context.Offset, e.Err)
}

// Unwrap returns what the node failed with.
func (e *FailedError) Unwrap() error { return e.Err }

// ErrTypeMismatch marks an error that comes from a value of another type than
// a node or serde expects. It is not put to the processing exception handler
// (Java: ClassCastException in ProcessorNode).
var ErrTypeMismatch = errors.New("type mismatch")

// ErrNull marks a null that reached a function, store or table which cannot
// take it (Java: NullPointerException).
var ErrNull = errors.New("null not allowed")

// fatal is what errors of the runtime implement that no handler may swallow:
// a fenced producer, a lost task.
type fatal interface{ Fatal() bool }

// IsDecided reports whether an error is not the processing exception handler's
// to decide (any more).
func IsDecided(err error) bool {
	var failed *FailedError
	var f fatal
	return errors.As(err, &failed) || errors.Is(err, ErrTypeMismatch) || errors.As(err, &f) && f.Fatal()
}

// Panicked makes the error of a recovered panic.
func Panicked(value any) error { return &PanicError{Value: value, Stack: debug.Stack()} }
