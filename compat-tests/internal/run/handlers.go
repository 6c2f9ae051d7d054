package run

import (
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
)

// deadLetterTopic is where the recordAndDlq handlers write to.
const deadLetterTopic = "custom-dlq"

// response is what the handler of a name answers; record notes first that it
// was asked.
func response(name string, where processor.ErrorContext) processor.Response {
	switch name {
	case "logAndContinue":
		return processor.Response{Decision: processor.Continue, DeadLetter: true}
	case "logAndFail":
		return processor.Response{Decision: processor.Fail, DeadLetter: true}
	case "recordAndResume":
		return processor.Response{Decision: processor.Continue}
	case "recordAndDlq":
		return processor.Response{Decision: processor.Continue, DeadLetters: []processor.Outgoing{{
			Topic: deadLetterTopic, Partition: -1, Key: where.RawKey, Value: where.RawValue}}}
	}
	return processor.Response{Decision: processor.Fail}
}

// records tells whether a handler shows itself in the golden.
func records(name string) bool { return name != "logAndContinue" && name != "logAndFail" }

func (r *run) asked(what string, where processor.ErrorContext) {
	var topic any
	if where.Topic != "" {
		topic = where.Topic
	}
	r.effect("handler", what, "topic", topic, "partition", int64(where.Partition), "offset", where.Offset, "node", where.Node,
		"task", where.Task, "ts", where.Timestamp, "key", value.Hex(where.RawKey), "value", value.Hex(where.RawValue))
}

var handlerNames = []string{"logAndContinue", "logAndFail", "recordAndResume", "recordAndFail", "recordAndDlq"}

func (r *run) deserializationHandler(name string) error {
	r.settings.config.OnDeserializationError = func(where processor.ErrorContext, _ error) processor.Response {
		if records(name) {
			r.asked("deserialization", where)
		}
		return response(name, where)
	}
	return oneOf("deserialization.exception.handler", name, handlerNames...)
}

func (r *run) processingHandler(name string) error {
	r.settings.config.OnProcessingError = func(where processor.ErrorContext, rec processor.Failing, err error) processor.Response {
		r.note(err)
		if records(name) {
			r.asked("processing", where)
			r.effect("handler", "processing-record", "k", failingText(rec.Key, rec.KeyNull), "v", failingText(rec.Value, rec.ValueNull))
		}
		return response(name, where)
	}
	return oneOf("processing.exception.handler", name, handlerNames...)
}

func failingText(v any, null bool) any {
	if null {
		return nil
	}
	return value.Text(v)
}

func (r *run) productionHandler(name string) error {
	if name != "default" {
		r.settings.config.OnProductionError = func(where processor.ErrorContext, _ processor.Outgoing, _ error) processor.Response {
			r.asked("production", where)
			return response(name, where)
		}
		r.settings.config.OnSerializationError = func(where processor.ErrorContext, _ string, key bool, _ processor.Failing, err error) processor.Response {
			r.note(err)
			what := "serialization-VALUE"
			if key {
				what = "serialization-KEY"
			}
			r.asked(what, where)
			return response(name, where)
		}
	}
	return oneOf("production.exception.handler", name, "default", "recordAndResume", "recordAndDlq")
}
