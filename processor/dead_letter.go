package processor

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/millrace/millrace/record"
)

// javaError is an error that stands for an exception of a JVM.
type javaError interface {
	JavaClass() string
	JavaMessage() string
}

// DeadLetter is the record that a handler may send to a dead-letter topic about
// a failure: the raw key and value of the input record with its timestamp and
// headers, behind which six headers say what happened (KIP-1034, Java:
// ExceptionHandlerUtils.buildDeadLetterQueueRecord). The producer chooses the
// partition.
func DeadLetter(topic string, at ErrorContext, err error) Outgoing {
	name, text, stack := describe(err)
	headers := &record.Headers{}
	if at.Headers != nil {
		headers = at.Headers.Clone()
	}
	for _, h := range [...][2]string{{"exception", name}, {"message", text}, {"stacktrace", stack}} {
		headers.Add("__streams.errors."+h[0], []byte(h[1]))
	}
	var from []byte
	if at.Topic != "" {
		from = []byte(at.Topic)
	}
	headers.Add("__streams.errors.topic", from)
	headers.Add("__streams.errors.partition", strconv.AppendInt(nil, int64(at.Partition), 10))
	headers.Add("__streams.errors.offset", strconv.AppendInt(nil, at.Offset, 10))
	return Outgoing{Topic: topic, Partition: -1, Key: at.RawKey, Value: at.RawValue, Timestamp: at.Timestamp,
		Headers: headers, Node: at.Node}
}

// Letters are the dead letters of a handler's response.
func (c *Config) Letters(r Response, at ErrorContext, err error) []Outgoing {
	if !r.DeadLetter || c.DeadLetterTopic == "" {
		return r.DeadLetters
	}
	return append([]Outgoing{DeadLetter(c.DeadLetterTopic, at, err)}, r.DeadLetters...)
}

// describe names an error by its innermost cause, whose type tells most.
func describe(err error) (name, text, stack string) {
	text = err.Error()
	var panicked *PanicError
	if errors.As(err, &panicked) {
		stack = string(panicked.Stack)
	} else {
		stack = string(debug.Stack())
	}
	var java javaError
	if errors.As(err, &java) {
		return java.JavaClass(), java.JavaMessage(), stack
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Sprintf("%T", err), text, stack
}
