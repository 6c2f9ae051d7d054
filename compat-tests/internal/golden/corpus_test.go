package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/record"
)

// Every record Java has shown must come out the same when only its bytes are
// given: this checks the serdes and the text forms.
func TestRecordsOfTheCorpus(t *testing.T) {
	files, err := filepath.Glob("../../corpus/*/golden/*.json")
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, f := range files {
		g, err := Load(f)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(strings.Replace(f, "/golden/", "/scenarios/", 1))
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := scenario.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		steps, _ := g.Get("steps")
		l, _ := steps.([]any)
		for _, step := range l {
			out, _ := step.(*tree.Object).Get("out")
			if out == nil {
				continue
			}
			for _, topic := range out.(*tree.Object).Names() {
				rs, _ := out.(*tree.Object).Get(topic)
				for _, r := range rs.([]any) {
					records++
					if d := tree.Diff(r, again(t, r.(*tree.Object), topic, s.Topics[topic])); d != nil {
						t.Errorf("%s, topic %s: %s", filepath.Base(f), topic, d)
					}
				}
			}
		}
	}
	if records < 1000 {
		t.Errorf("only %d records", records)
	}
}

// again writes a record anew from its bytes.
func again(t *testing.T, r *tree.Object, topic string, serdes scenario.Topic) *tree.Object {
	t.Helper()
	out := Record{Topic: topic, Partition: -1, KeySerde: serdes.Key, ValueSerde: serdes.Value}
	out.Key, out.Value = bytesOf(t, r, "key"), bytesOf(t, r, "value")
	if ts, _ := r.Get("ts"); ts != nil {
		ms := ts.(int64)
		out.Timestamp = &ms
	}
	if p, ok := r.Get("p"); ok {
		out.Partition = int32(p.(int64))
	}
	hs, _ := r.Get("h")
	l, _ := hs.([]any)
	for _, h := range l {
		pair := h.([]any)
		out.Headers = append(out.Headers, record.Header{Key: pair[0].(string), Value: unhex(t, pair[1])})
	}
	return out.Tree()
}

func bytesOf(t *testing.T, r *tree.Object, member string) []byte {
	t.Helper()
	v, _ := r.Get(member)
	return unhex(t, v)
}

func unhex(t *testing.T, v any) []byte {
	t.Helper()
	if v == nil {
		return nil
	}
	b, err := value.Unhex(v.(string))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
