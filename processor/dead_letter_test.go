package processor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

func letterHeaders(o processor.Outgoing) map[string]string {
	m := map[string]string{}
	for _, h := range o.Headers.All() {
		v := "null"
		if h.Value != nil {
			v = string(h.Value)
		}
		m[strings.TrimPrefix(h.Key, "__streams.errors.")] = v
	}
	return m
}

func TestDeadLetter(t *testing.T) {
	at := processor.ErrorContext{Node: "n", Topic: "in", Partition: 2, Offset: 7, Timestamp: 5, RawKey: []byte("k"), RawValue: []byte("v"),
		Headers: record.NewHeaders(record.Header{Key: "own", Value: []byte("x")})}
	cause := errors.New("boom")
	o := processor.DeadLetter("dlq", at, fmt.Errorf("node n: %w", cause))
	if o.Topic != "dlq" || o.Partition != -1 || o.Timestamp != 5 || string(o.Key) != "k" || string(o.Value) != "v" {
		t.Errorf("got %+v", o)
	}
	got := letterHeaders(o)
	if got["stacktrace"] == "" {
		t.Error("no stack")
	}
	delete(got, "stacktrace")
	want := map[string]string{"own": "x", "exception": "*errors.errorString", "message": "node n: boom", "topic": "in", "partition": "2", "offset": "7"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if at.Headers.Len() != 1 {
		t.Error("the record's own headers changed")
	}

	// A punctuator has no topic; what Java knows has Java's name.
	got = letterHeaders(processor.DeadLetter("dlq", processor.ErrorContext{Partition: -1, Offset: -1}, &processor.StreamsError{Msg: "full", Err: cause}))
	if got["topic"] != "null" || got["exception"] != "org.apache.kafka.streams.errors.StreamsException" || got["message"] != "full" {
		t.Errorf("got %v", got)
	}
}

func TestLettersNeedATopic(t *testing.T) {
	r := processor.Response{DeadLetter: true, DeadLetters: []processor.Outgoing{{Topic: "mine"}}}
	topics := func(c processor.Config, r processor.Response) (names []string) {
		for _, o := range c.Letters(r, processor.ErrorContext{}, errors.New("x")) {
			names = append(names, o.Topic)
		}
		return names
	}
	for _, c := range []struct {
		config processor.Config
		r      processor.Response
		want   []string
	}{
		{processor.Config{}, r, []string{"mine"}},
		{processor.Config{DeadLetterTopic: "dlq"}, r, []string{"dlq", "mine"}},
		{processor.Config{DeadLetterTopic: "dlq"}, processor.Response{}, nil},
	} {
		if d := cmp.Diff(c.want, topics(c.config, c.r)); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
}
