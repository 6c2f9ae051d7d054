package millrace

import "github.com/millrace/millrace/processor"

// DeadLetter is the record that a handler may send to a dead-letter topic
// about a failure, see [processor.DeadLetter].
func DeadLetter(topic string, at processor.ErrorContext, err error) processor.Outgoing {
	return processor.DeadLetter(topic, at, err)
}
