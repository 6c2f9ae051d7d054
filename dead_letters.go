package millrace

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// withDeadLetters makes the built-in handlers write dead letters, if there is
// a topic for them: like Java's, the decision to fail included.
func withDeadLetters(p processor.Config) processor.Config {
	if p.DeadLetterTopic == "" {
		return p
	}
	topic := p.DeadLetterTopic
	if p.OnDeserializationError == nil {
		p.OnDeserializationError = func(at processor.ErrorContext, err error) processor.Response {
			return processor.Response{DeadLetters: []processor.Outgoing{DeadLetter(topic, at, err)}}
		}
	}
	if p.OnProcessingError == nil {
		p.OnProcessingError = func(at processor.ErrorContext, _ processor.Failing, err error) processor.Response {
			return processor.Response{DeadLetters: []processor.Outgoing{DeadLetter(topic, at, err)}}
		}
	}
	if p.OnSerializationError == nil {
		p.OnSerializationError = func(at processor.ErrorContext, _ string, _ bool, _ processor.Failing, err error) processor.Response {
			return processor.Response{DeadLetters: []processor.Outgoing{DeadLetter(topic, at, err)}}
		}
	}
	return p
}

// DeadLetter is the record that a handler may send to a dead-letter topic
// about a failure: the raw key and value of the input record with its
// timestamp and headers, behind which six headers say what happened (KIP-1034).
// The producer chooses the partition.
func DeadLetter(topic string, at processor.ErrorContext, err error) processor.Outgoing {
	headers := record.NewHeaders()
	if at.Headers != nil {
		headers = at.Headers.Clone()
	}
	for _, h := range [][2]string{
		{"exception", fmt.Sprintf("%T", cause(err))},
		{"message", err.Error()},
		{"stacktrace", stackOf(err)},
		{"topic", at.Topic},
		{"partition", strconv.Itoa(int(at.Partition))},
		{"offset", strconv.FormatInt(at.Offset, 10)},
	} {
		headers.Add("__streams.errors."+h[0], []byte(h[1]))
	}
	return processor.Outgoing{Topic: topic, Partition: -1, Key: at.RawKey, Value: at.RawValue, Timestamp: at.Timestamp,
		Headers: headers, Node: at.Node}
}

// cause is the innermost error, whose type tells most.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// stackOf is the stack of a panic, or else of the handler.
func stackOf(err error) string {
	var panicked *processor.PanicError
	if errors.As(err, &panicked) {
		return string(panicked.Stack)
	}
	return string(debug.Stack())
}
