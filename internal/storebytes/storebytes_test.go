package storebytes

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/millrace/millrace/record"
)

// vector is one value that Kafka Streams serialised; a null Hex means that it
// serialised to null.
type vector struct {
	Name   string
	Inputs struct {
		Headers []struct {
			Key      string
			ValueHex *string `json:"value_hex"`
		}
		Old, New, Value, Aggregation *string
		IsLatest                     *bool
		PlainValueText               *string `json:"plain_value"`
		Timestamp, Offset            int64
		Partition                    int32
		Topic                        string
		Position                     map[string]map[string]int64
	}
	Hex *string
}

func (v vector) headers(t *testing.T) *record.Headers {
	h := record.NewHeaders()
	for _, e := range v.Inputs.Headers {
		var value []byte
		if e.ValueHex != nil {
			value = unhex(t, *e.ValueHex)
		}
		h.Add(e.Key, value)
	}
	return h
}

func (v vector) position(t *testing.T) Position {
	p := Position{}
	for topic, offsets := range v.Inputs.Position {
		for partition, offset := range offsets {
			n, err := strconv.Atoi(partition)
			if err != nil {
				t.Fatal(err)
			}
			p.Update(topic, int32(n), offset)
		}
	}
	return p
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(*testing.T, vector, []byte){
		"store/headers": checkHeaders, "store/timestamped_value": checkTimed,
		"store/value_timestamp_headers":          checkTimedWithHeaders,
		"store/session_aggregation_with_headers": checkWithHeaders,
		"position":                               checkPosition, "record_context": checkContext, "change": checkChange,
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			if v.Hex == nil {
				if v.Inputs.Value != nil {
					t.Fatal("a value that is not null serialised to null")
				}
				return // nulls never reach these functions
			}
			kind := v.Name[:strings.LastIndexByte(v.Name, '/')]
			checks[kind](t, v, unhex(t, *v.Hex))
		})
	}
}

func sameBytes(t *testing.T, want, got []byte) {
	t.Helper()
	if diff := cmp.Diff(hex.EncodeToString(want), hex.EncodeToString(got)); diff != "" {
		t.Errorf("bytes (-java +got):\n%s", diff)
	}
}

func sameHeaders(t *testing.T, want, got *record.Headers) {
	t.Helper()
	// Null and empty values differ.
	if diff := cmp.Diff(want.All(), got.All(), cmpopts.EquateEmpty()); diff != "" && want.Len()+got.Len() > 0 {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	for i, h := range got.All() {
		if (h.Value == nil) != (want.All()[i].Value == nil) {
			t.Errorf("header %d: null and empty mixed up", i)
		}
	}
}

func checkHeaders(t *testing.T, v vector, want []byte) {
	h := v.headers(t)
	sameBytes(t, want, AppendHeaders(nil, h))
	if got := HeadersSize(h); got != len(want) {
		t.Errorf("size %d, want %d", got, len(want))
	}
	back, err := ParseHeaders(want)
	if err != nil {
		t.Fatal(err)
	}
	sameHeaders(t, h, back)
	refuseTruncation(t, want[:len(want):len(want)], 1, func(b []byte) error { _, err := ParseHeaders(b); return err })
}

// refuseTruncation cuts data at every length from min on and expects an error.
func refuseTruncation(t *testing.T, data []byte, min int, parse func([]byte) error) {
	t.Helper()
	for n := min; n < len(data); n++ {
		if parse(data[:n]) == nil {
			t.Errorf("%d of %d bytes were accepted", n, len(data))
		}
	}
}

func checkTimed(t *testing.T, v vector, want []byte) {
	value, ts := v.Inputs.Value, v.Inputs.Timestamp
	if v.Inputs.PlainValueText != nil { // migrated from a plain store
		value, ts = v.Inputs.PlainValueText, -1
	}
	sameBytes(t, want, AppendTimed(nil, ts, []byte(*value)))
	gotTS, raw, err := SplitTimed(want)
	if err != nil || gotTS != ts || string(raw) != *value {
		t.Errorf("split: %d, %q, %v", gotTS, raw, err)
	}
	refuseTruncation(t, want[:TimestampSize], 0, func(b []byte) error { _, _, err := SplitTimed(b); return err })
}

func checkTimedWithHeaders(t *testing.T, v vector, want []byte) {
	h := v.headers(t)
	sameBytes(t, want, AppendTimedWithHeaders(nil, h, v.Inputs.Timestamp, []byte(*v.Inputs.Value)))
	block, ts, raw, err := SplitTimedWithHeaders(want)
	if err != nil || ts != v.Inputs.Timestamp || string(raw) != *v.Inputs.Value {
		t.Errorf("split: %d, %q, %v", ts, raw, err)
	}
	back, err := ParseHeaders(block)
	if err != nil {
		t.Fatal(err)
	}
	sameHeaders(t, h, back)
	refuseTruncation(t, want[:len(want)-len(raw)], 0, func(b []byte) error {
		_, _, _, err := SplitTimedWithHeaders(b)
		return err
	})
}

func checkWithHeaders(t *testing.T, v vector, want []byte) {
	h := v.headers(t)
	sameBytes(t, want, AppendWithHeaders(nil, h, []byte(*v.Inputs.Aggregation)))
	block, raw, err := SplitHeaders(want)
	if err != nil || string(raw) != *v.Inputs.Aggregation {
		t.Errorf("split: %q, %v", raw, err)
	}
	back, err := ParseHeaders(block)
	if err != nil {
		t.Fatal(err)
	}
	sameHeaders(t, h, back)
}

func checkPosition(t *testing.T, v vector, want []byte) {
	p := v.position(t)
	got := p.Append(nil)
	// The arrays a JVM sends have zeros behind the payload.
	if padding := want[len(got):]; strings.HasSuffix(v.Name, "_as_sent") && strings.Trim(string(padding), "\x00") == "" {
		sameBytes(t, want[:len(got)], got)
	} else {
		sameBytes(t, want, got)
	}
	back, err := ParsePosition(want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refuseTruncation(t, got, 0, func(b []byte) error { _, err := ParsePosition(b); return err })
}

func checkContext(t *testing.T, v vector, want []byte) {
	c := record.Context{Topic: v.Inputs.Topic, Partition: v.Inputs.Partition, Offset: v.Inputs.Offset,
		Timestamp: v.Inputs.Timestamp, Headers: v.headers(t)}
	sameBytes(t, want, AppendContext(nil, &c))
	back, rest, err := ReadContext(append(want, "tail"...))
	if err != nil || string(rest) != "tail" {
		t.Fatalf("rest %q, %v", rest, err)
	}
	sameHeaders(t, c.Headers, back.Headers)
	if diff := cmp.Diff(c, back, cmpopts.IgnoreFields(record.Context{}, "Headers")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refuseTruncation(t, want, 0, func(b []byte) error { _, _, err := ReadContext(b); return err })
}

func TestContextWithoutHeaderCount(t *testing.T) {
	data := AppendContext(nil, &record.Context{Topic: "in", Headers: record.NewHeaders()})
	copy(data[len(data)-4:], "\xff\xff\xff\xff")
	c, _, err := ReadContext(data)
	if err != nil || c.Headers == nil || c.Headers.Len() != 0 {
		t.Errorf("headers %v, %v", c.Headers, err)
	}
}

func TestPositionMerge(t *testing.T) {
	p := Position{"a": {0: 5, 1: 7}}
	p.Merge(Position{"a": {0: 6, 1: 2, 2: 0}, "b": {3: 1}})
	if diff := cmp.Diff(Position{"a": {0: 6, 1: 7, 2: 0}, "b": {3: 1}}, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := ParsePosition([]byte{1, 0, 0, 0, 0}); err == nil {
		t.Error("unknown version accepted")
	}
}

func TestBlob(t *testing.T) {
	for _, b := range [][]byte{nil, {}, []byte("x")} {
		got, rest, err := ReadBlob(append(AppendBlob(nil, b), 9))
		if err != nil || len(rest) != 1 || (got == nil) != (b == nil) || string(got) != string(b) {
			t.Errorf("%v: got %v, rest %v, %v", b, got, rest, err)
		}
	}
	for _, bad := range []string{"", "\x00\x00", "\xff\xff\xff\xfe", "\x00\x00\x00\x02x"} {
		if _, _, err := ReadBlob([]byte(bad)); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

func TestVarint(t *testing.T) {
	for v, want := range map[int]string{3: "06", -1: "01", 70: "8c01", 0: "00", 2147483647: "feffffff0f", -2147483648: "ffffffff0f"} {
		got := AppendVarint(nil, v)
		if hex.EncodeToString(got) != want {
			t.Errorf("%d: got %x, want %s", v, got, want)
		}
		if back, rest, err := ReadVarint(got); back != v || len(rest) != 0 || err != nil {
			t.Errorf("%d: read %d, %v, %v", v, back, rest, err)
		}
	}
	for _, bad := range []string{"", "\x80", "\x80\x80\x80\x80\x80\x01"} {
		if _, _, err := ReadVarint([]byte(bad)); err == nil {
			t.Errorf("%x accepted", bad)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	h := record.NewHeaders(record.Header{Key: "trace", Value: []byte("0123456789")}, record.Header{Key: "n"})
	c := &record.Context{Topic: "in", Headers: h}
	buf, raw := make([]byte, 0, 256), []byte("value")
	allocs := testing.AllocsPerRun(100, func() {
		AppendTimedWithHeaders(buf[:0], h, 1, raw)
		b := AppendTimed(buf[:0], 1, raw)
		if _, _, err := SplitTimed(b); err != nil {
			t.Fatal(err)
		}
		AppendContext(buf[:0], c)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
