package task

import (
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// ProcessingFailed implements processor.Host (KIP-1033): the handler's dead
// letters are sent, then its decision takes effect.
func (c *core) ProcessingFailed(where processor.ErrorContext, rec processor.Failing, err error) error {
	if c.cfg.OnProcessingError == nil {
		return c.fail(&processor.FailedError{Context: where, Err: err})
	}
	response := c.cfg.OnProcessingError(where, rec, err)
	if err := c.sendAll(response.DeadLetters); err != nil {
		return c.fail(err)
	}
	if response.Decision == processor.Continue {
		c.log.Warn("record dropped after a processing error", "node", where.Node, "topic", where.Topic,
			"partition", where.Partition, "offset", where.Offset, "err", err)
		c.Dropped()
		return nil
	}
	return c.fail(&processor.FailedError{Context: where, Err: err})
}

// SerializationFailed implements processor.Host (KIP-399). An error of the
// wrong type of value is not the handler's, as in Java.
func (c *core) SerializationFailed(n *processor.Node, topic string, key bool, rec processor.Failing, err error) error {
	part := "value"
	if key {
		part = "key"
	}
	wrapped := &processor.StreamsError{Msg: fmt.Sprintf("node %s: cannot serialise the %s of a record for topic %s: "+
		"give the sink the serde of its type with with.Serdes", n.Name(), part, topic), Err: err}
	if c.cfg.OnSerializationError == nil || processor.IsDecided(err) {
		return wrapped
	}
	response := c.cfg.OnSerializationError(c.errorContext(n.Name()), topic, key, rec, err)
	if err := c.sendAll(response.DeadLetters); err != nil {
		return err
	}
	if response.Decision != processor.Continue {
		return wrapped
	}
	c.log.Warn("record dropped: it cannot be serialised", "node", n.Name(), "topic", topic, "part", part, "err", err)
	c.Dropped()
	return nil
}

func (c *core) sendAll(letters []processor.Outgoing) error {
	for _, letter := range letters {
		if err := c.env.Send(letter); err != nil {
			return err
		}
	}
	return nil
}

func (c *core) errorContext(node string) processor.ErrorContext {
	rc := c.current
	return processor.ErrorContext{Node: node, Task: c.id, Topic: rc.Topic, Partition: rc.Partition, Offset: rc.Offset,
		Timestamp: rc.Timestamp, Headers: rc.Headers, RawKey: rc.RawKey, RawValue: rc.RawValue}
}

// DeserializationError is a record that could not be read and about which the
// handler decided to fail.
type DeserializationError struct {
	Context processor.ErrorContext
	Err     error
}

// Error implements error.
func (e *DeserializationError) Error() string {
	return fmt.Sprintf("task %s, source %s: record %s-%d@%d: %v: correct the source's serdes, "+
		"or set OnDeserializationError to skip such records", e.Context.Task, e.Context.Node,
		e.Context.Topic, e.Context.Partition, e.Context.Offset, e.Err)
}

// Unwrap returns the serde's error.
func (e *DeserializationError) Unwrap() error { return e.Err }

// undecodable implements loader.
func (c *core) undecodable(q *queue, topic string, raw *record.Raw, headers *record.Headers, err error) error {
	return c.cannotRead(q.source, topic, q.tp.Partition, raw, headers, err)
}

func (c *core) cannotRead(source, topic string, partition int32, raw *record.Raw, headers *record.Headers, err error) error {
	where := processor.ErrorContext{Node: source, Task: c.id, Topic: topic, Partition: partition, Offset: raw.Offset,
		Timestamp: raw.Timestamp, Headers: headers, RawKey: raw.Key, RawValue: raw.Value}
	if c.cfg.OnDeserializationError == nil {
		return &DeserializationError{Context: where, Err: err}
	}
	response := c.cfg.OnDeserializationError(where, err)
	if err := c.sendAll(response.DeadLetters); err != nil {
		return err
	}
	if response.Decision != processor.Continue {
		return &DeserializationError{Context: where, Err: err}
	}
	c.log.Warn("record skipped: it cannot be decoded", "source", source, "topic", topic, "partition", partition,
		"offset", raw.Offset, "err", err)
	c.Dropped()
	return nil
}

// negative implements loader.
func (c *core) negative(q *queue, topic string, raw *record.Raw, timestamp int64) {
	c.log.Warn("record skipped: its timestamp is negative", "source", q.source, "topic", topic,
		"partition", q.tp.Partition, "offset", raw.Offset, "timestamp", timestamp)
	c.Dropped()
}
