package task

import (
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// ProcessingFailed implements processor.Host (KIP-1033): the handler's dead
// letters are sent, then its decision takes effect. Without a handler the
// decision is to fail. The processors of global stores have a handler only if
// the configuration says so (KIP-1270).
func (c *core) ProcessingFailed(where processor.ErrorContext, rec processor.Failing, err error) error {
	if c.global && !c.cfg.GlobalProcessingErrors {
		return c.fail(err)
	}
	response, panicked := ask("processing", func() processor.Response {
		if c.cfg.OnProcessingError == nil {
			return defaultResponse
		}
		return c.cfg.OnProcessingError(where, rec, err)
	})
	if panicked != nil {
		return c.fail(&processor.FailedError{Context: where, Err: panicked})
	}
	if err := c.sendAll(response, where, err); err != nil {
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

// defaultResponse is that of a handler that is nil (Java: LogAndFail).
var defaultResponse = processor.Response{Decision: processor.Fail, DeadLetter: true}

// ask calls a handler; its panic is an error that nothing may skip.
func ask(kind string, handler func() processor.Response) (r processor.Response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &processor.StreamsError{Msg: "Fatal user code error in " + kind + " error callback", Err: processor.Panicked(p)}
		}
	}()
	return handler(), nil
}

// SerializationFailed implements processor.Host (KIP-399). An error of the
// wrong type of value is not the handler's, as in Java.
func (c *core) SerializationFailed(n *processor.Node, topic string, key bool, rec processor.Failing, err error) error {
	part := "value"
	if key {
		part = "key"
	}
	wrapped := &processor.StreamsError{
		Msg: fmt.Sprintf("Unable to serialize record. ProducerRecord(topic=[%s], partition=[null], timestamp=[%d]", topic, rec.Timestamp),
		Err: fmt.Errorf("node %s: %s: give the sink the serde of its type with with.Serdes: %w", n.Name(), part, err)}
	if processor.IsDecided(err) {
		return wrapped
	}
	where := c.errorContext(n.Name())
	response, panicked := ask("production", func() processor.Response {
		if c.cfg.OnSerializationError == nil {
			return defaultResponse
		}
		return c.cfg.OnSerializationError(where, topic, key, rec, err)
	})
	if panicked != nil {
		return c.fail(&processor.FailedError{Context: where, Err: panicked})
	}
	if err := c.sendAll(response, where, err); err != nil {
		return err
	}
	if response.Decision != processor.Continue {
		return wrapped
	}
	c.log.Warn("record dropped: it cannot be serialised", "node", n.Name(), "topic", topic, "part", part, "err", err)
	c.Dropped()
	return nil
}

// sendAll sends a handler's dead letters. The global task has no producer.
func (c *core) sendAll(r processor.Response, where processor.ErrorContext, err error) error {
	letters := c.cfg.Letters(r, where, err)
	if c.global && len(letters) > 0 {
		c.log.Warn("dead letters of global stores cannot be sent", "topic", where.Topic, "partition", where.Partition,
			"offset", where.Offset)
		return nil
	}
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
	response, panicked := ask("deserialization", func() processor.Response {
		if c.cfg.OnDeserializationError == nil {
			return defaultResponse
		}
		return c.cfg.OnDeserializationError(where, err)
	})
	if panicked != nil {
		return panicked
	}
	if err := c.sendAll(response, where, err); err != nil {
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
