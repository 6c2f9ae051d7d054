package scenario

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestCorpusParses(t *testing.T) {
	files, err := filepath.Glob("../../corpus/*/scenarios/*.json")
	if err != nil || len(files) < 400 {
		t.Fatalf("found %d scenarios, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Parse(data); err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
		}
	}
}

// with wraps one topology step and one input into a scenario.
func with(step, input string) []byte {
	return []byte(`{"name":"n","config":{"statestore.cache.max.bytes":"0"},"topics":{"in":{"key":"string","value":"long"}},` +
		`"topology":[` + step + `],"inputs":[` + input + `]}`)
}

func TestLanguageIsClosed(t *testing.T) {
	const goodStep, goodInput = `{"id":"s","op":"stream","topics":["in"]}`, `{"advance":1}`
	if _, _, err := Parse(with(goodStep, goodInput)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ step, input, want string }{
		{`{"id":"s","op":"streams","topics":["in"]}`, goodInput, "unknown op streams"},
		{`{"id":"s","op":"stream","topics":["in"],"x":1}`, goodInput, `unknown member "x"`},
		{`{"id":"s","op":"stream","topics":["in"],"consumed":{"keys":"long"}}`, goodInput, `unknown member "keys"`},
		{`{"id":"s","op":"stream","topics":["in"],"consumed":{"key":"lon"}}`, goodInput, "unknown serde: lon"},
		{`{"id":"s","op":"stream"}`, goodInput, `missing "topics"`},
		{`{"id":"s","op":"mapValues","in":"x","value":["foo"]}`, goodInput, "unknown operator foo"},
		{`{"id":"s","op":"mapValues","in":"x","value":["eq",1]}`, goodInput, "takes 2 arguments"},
		{`{"id":"s","op":"mapValues","in":"x","value":1.5}`, goodInput, "bad expression"},
		{`{"id":"s","op":"mapValues","in":"x"}`, goodInput, `missing "value"`},
		{`{"id":"s","op":"process","in":"x","program":{"process":[{"fly":1}]}}`, goodInput, "unknown statement"},
		{`{"id":"s","op":"process","in":"x","program":{"process":[{"scan":"s","mode":"some","do":[]}]}}`, goodInput, "mode"},
		{`{"id":"s","op":"process","in":"x","program":{}}`, goodInput, `missing "process"`},
		{`{"op":"stateStore","store":{"supplier":{"kind":"k","name":"n"},"builder":"keyValue","key":"long","value":"long"}}`, goodInput, "unknown store supplier"},
		{goodStep, `{"jump":1}`, "unknown input step"},
		{goodStep, `{"advance":1,"query":{}}`, `unknown member "query"`},
		{goodStep, `{"record":{"topic":"in","key":1,"value":1,"ts":0}}`, "cannot encode 1 as string"},
		{goodStep, `{"record":{"topic":"other","key":"a","value":1,"ts":0}}`, "no declared serde"},
		{goodStep, `{"query":{"store":"s","mode":"peep"}}`, "mode"},
		{goodStep, `{"record":{"topic":"in","key":null,"value":null,"ts":0},"record":{}}`, "duplicate member"},
	} {
		_, name, err := Parse(with(c.step, c.input))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("step %s, input %s: %v, want %s", c.step, c.input, err, c.want)
		}
		if name != "n" && !strings.Contains(c.want, "duplicate") {
			t.Errorf("name %q", name)
		}
	}
}

func TestMemberOrderDoesNotMatter(t *testing.T) {
	a, _, err := Parse(with(`{"id":"s","op":"stream","topics":["in"],"consumed":{"key":"long","name":"x"},"doc":"free"}`, `{"advance":1}`))
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := Parse(with(`{"consumed":{"name":"x","doc":7,"key":"long"},"topics":["in"],"op":"stream","id":"s"}`, `{"advance":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("the two scenarios differ")
	}
}

func TestRecordsAreEncoded(t *testing.T) {
	s, _, err := Parse(with(`{"id":"s","op":"stream","topics":["in"]}`,
		`{"record":{"topic":"in","key":"k","value":258,"ts":-5,"headers":[["a","x"],["b",null],["c",{"hex":"00"}]]}},
		 {"record":{"topic":"in","key":null,"value":{"hex":""},"ts":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Input{
		{Record: &Record{Topic: "in", Key: []byte("k"), Value: []byte{0, 0, 0, 0, 0, 0, 1, 2}, Timestamp: -5,
			Headers: []Header{{"a", []byte("x")}, {"b", nil}, {"c", []byte{0}}}}},
		{Record: &Record{Topic: "in", Value: []byte{}, Timestamp: 1}},
	}
	if !reflect.DeepEqual(s.Inputs, want) {
		t.Errorf("inputs %+v", s.Inputs)
	}
}
