package golden

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/record"
)

func text(s string) *string { return &s }

func TestOrderAndAbsence(t *testing.T) {
	dropped := int64(2)
	d := &Document{
		Scenario: "s", Describe: text("d"),
		Queryable: map[string]*string{"b": nil, "a": text("store")},
		Driver: &Driver{
			Subtopologies: []any{},
			Steps: []*Step{{}, {Query: []any{}, Queried: true, Exception: &Exception{"step 1", "StreamsException"},
				Out: map[string][]any{"z": {}, "a": {}}, Effects: []any{"e"}}},
			Stores: map[string]*tree.Object{}, Dropped: &dropped, Close: &Step{},
		},
		Wrapped: []string{"w"}, Branches: map[string][]string{"x": {"1"}}, Printed: map[string]string{"p": "t\n"},
	}
	want := `{"scenario":"s","describe":"d","queryable":{"a":"store","b":null},"subtopologies":[],"steps":[{},` +
		`{"query":[],"exception":{"at":"step 1","class":"StreamsException"},"out":{"a":[],"z":[]},"effects":["e"]}],` +
		`"stores":{},"metrics":{"dropped-records-total":2},"close":{},"wrapped":["w"],"branches":{"x":["1"]},"printed":{"p":"t\n"}}`
	if got := tree.Compact(d.Tree()); got != want {
		t.Errorf("document\n got  %s\n want %s", got, want)
	}
	failed := &Document{Scenario: "s", Exception: &Exception{"build", "TopologyException"}}
	if got := tree.Compact(failed.Tree()); got != `{"scenario":"s","describe":null,"exception":{"at":"build","class":"TopologyException"}}` {
		t.Errorf("failed build: %s", got)
	}
	fault := &Document{Scenario: "s", Describe: text("d"), Fault: "unknown op"}
	if got := tree.Compact(fault.Tree()); got != `{"scenario":"s","oracleError":"unknown op"}` {
		t.Errorf("oracle error: %s", got)
	}
}

func TestRecord(t *testing.T) {
	ts := int64(-3)
	r := Record{Topic: "t", Key: []byte("k"), Value: []byte{1}, Timestamp: &ts, Partition: 2, KeySerde: "string", ValueSerde: "long",
		Headers: []record.Header{
			{Key: "__streams.errors.exception", Value: []byte("java.lang.NullPointerException")},
			{Key: "__streams.errors.stacktrace", Value: []byte("at ...")},
			{Key: "__streams.errors.message", Value: []byte("x is null")}, {Key: "n"}}}
	got := tree.Compact(r.Tree())
	for _, part := range []string{`"key":"6b","value":"01","ts":-3,"p":2,"h":[`, `["n",null]],"k":"k"}`, `["__streams.errors.message","3c6a766d3e"]`} {
		if !strings.Contains(got, part) {
			t.Errorf("record %s lacks %s", got, part)
		}
	}
	r = Record{Partition: -1, KeySerde: "long"}
	if got := tree.Compact(r.Tree()); got != `{"key":null,"value":null,"ts":null,"k":null}` {
		t.Errorf("null record: %s", got)
	}
}

func TestComparisonIgnoresWhatDoesNotBind(t *testing.T) {
	parse := func(s string) *tree.Object {
		n, err := tree.Parse([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return n.(*tree.Object)
	}
	a := parse(`{"scenario":"s","steps":[{"query":{"result":[],"position":{"t":{"0":1}}}},{}],"advisory":[1]}`)
	b := parse(`{"scenario":"s","steps":[{"query":{"result":[]}},{}]}`)
	if d := Compare(a, b); d != nil {
		t.Errorf("difference %s", d)
	}
	c := parse(`{"scenario":"s","steps":[{"query":{"result":[1]}},{}]}`)
	if d := Compare(a, c); d == nil || d.Path != "steps[0].query.result[0]" {
		t.Errorf("difference %v", d)
	}
}
