package kstream_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/testdriver"
	"github.com/millrace/millrace/with"
)

// decimal reads and writes numbers as goka's codec.Int64 does.
type decimal struct{}

func (decimal) Append(dst []byte, _ string, v int64) ([]byte, error) {
	return strconv.AppendInt(dst, v, 10), nil
}

func (decimal) Decode(_ string, data []byte) (int64, error) {
	return strconv.ParseInt(string(data), 10, 64)
}

// TestGokaTable pipes the bytes that a goka group with codec.Int64 leaves in its
// table: the key string, decimal text, null to delete, the time of writing.
func TestGokaTable(t *testing.T) {
	b := kstream.NewBuilder()
	clicks := kstream.GokaTable[int64](b, "clicks", with.ValueSerde(decimal{}), with.Store("clicks"))
	kstream.FromTable(clicks).To("out", with.ValueSerde(serde.Int64()))
	topology, err := b.Build(processor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := testdriver.New(topology, testdriver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, r := range []testdriver.Record{
		{Key: []byte("alice"), Value: []byte("7"), Timestamp: 1000},
		{Key: []byte("bob"), Value: []byte("-12"), Timestamp: 1001},
		{Key: []byte("alice"), Value: []byte("8"), Timestamp: 900},
		{Key: []byte(""), Value: []byte("3"), Timestamp: 1002},
		{Value: []byte("4"), Timestamp: 1003}, // no key, dropped
		{Key: []byte("bob"), Timestamp: 1004},
	} {
		r.Topic = "clicks-table"
		if err := d.Pipe(r); err != nil {
			t.Fatal(err)
		}
	}
	got, err := testdriver.NewOutput(d, "out", serde.String(), serde.Int64()).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []testdriver.Message[string, int64]{
		{Key: "alice", Value: 7, Timestamp: 1000}, {Key: "bob", Value: -12, Timestamp: 1001},
		{Key: "alice", Value: 8, Timestamp: 900}, {Key: "", Value: 3, Timestamp: 1002},
		{Key: "bob", ValueNull: true, Timestamp: 1004},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var between []string
	for _, r := range d.Written("test-clicks-table-repartition") {
		between = append(between, string(r.Key)+"="+string(r.Value))
	}
	if diff := cmp.Diff([]string{"alice=7", "bob=-12", "alice=8", "=3", "bob="}, between); diff != "" {
		t.Errorf("repartition topic (-want +got):\n%s", diff)
	}
	rows, err := testdriver.KeyValue[string, statestore.Timed[int64]](d, "clicks")
	if err != nil {
		t.Fatal(err)
	}
	if n, ok, err := rows.Get("alice"); n.Value != 8 || !ok || err != nil {
		t.Errorf("alice has %v, %v, %v", n, ok, err)
	}
	if _, ok, err := rows.Get("bob"); ok || err != nil {
		t.Errorf("bob is still there: %v", err)
	}
}

// TestGokaTableStart: an old table is read whole even if the application starts
// at the end of its inputs.
func TestGokaTableStart(t *testing.T) {
	for _, c := range []struct {
		opts []with.TableSource
		want string
	}{{nil, "earliest"}, {[]with.TableSource{with.StartAt(with.Latest())}, "latest"}} {
		b := kstream.NewBuilder()
		kstream.GokaTable[string](b, "g", append(c.opts, with.Store("rows"))...)
		topology, err := b.Build(processor.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := topology.OffsetReset("g-table"); got.Policy != c.want {
			t.Errorf("start at %q, want %q", got.Policy, c.want)
		}
	}
}

func TestGokaTableNames(t *testing.T) {
	b := kstream.NewBuilder()
	kstream.FromTable(kstream.GokaTable[string](b, "g", with.Name("old"), with.Store("rows"))).To("a")
	kstream.FromTable(kstream.GokaTable[string](b, "h", with.Store("others"))).To("b")
	topology, err := b.Build(processor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	text := topology.Describe()
	for _, want := range []string{
		"Source: old-source (topics: [g-table])", "Sink: old-repartition-sink (topic: old-repartition)", "Processor: old (stores: [rows])",
		"(topics: [h-table])", "(topic: h-table-repartition)", "(stores: [others])",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	b = kstream.NewBuilder()
	kstream.GokaTable[string](b, "")
	if _, err := b.Build(processor.Config{}); err == nil || !strings.Contains(err.Error(), "goka_test.go") || !strings.Contains(err.Error(), "GokaTable: the group has no name") {
		t.Errorf("a group without a name: %v", err)
	}
}
