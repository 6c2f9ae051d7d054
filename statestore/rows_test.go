package statestore

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// rowVector is something a JVM wrote.
type rowVector struct {
	Name   string
	Hex    string
	Inputs struct {
		Key, Value, Aggregation string
		Timestamp               int64
		Seqnum                  int32
		Start, End, From, To    int64
		Records                 []string
		Headers                 []struct {
			Key   string
			Value *string `json:"value_hex"`
		}
	}
}

func rowVectors(t *testing.T) []rowVector {
	t.Helper()
	data, err := os.ReadFile("testdata/rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []rowVector
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRowsAreJavas builds what a JVM wrote: keys of rows, bounds of scans, rows
// of versions, values with headers.
func TestRowsAreJavas(t *testing.T) {
	for _, v := range rowVectors(t) {
		var got []byte
		name, in := v.Name[strings.LastIndexByte(v.Name, '/')+1:], &v.Inputs
		w := window.Span{Start: in.Timestamp}
		session := window.Span{Start: in.Start, End: in.End}
		switch {
		case strings.HasPrefix(v.Name, "versioned/segment/"):
			got = versionsOf(t, in.Records)
		case v.Name == "storekey/window/upper_range":
			got = windowSchema.upperRange([]byte(in.Key), in.To)
		case v.Name == "storekey/window/lower_range":
			got = windowSchema.lowerRange([]byte(in.Key))
		case v.Name == "storekey/window/time_first":
			got = rowLayout{windowSchema, TimeFirst}.appendRow(nil, []byte(in.Key), w, in.Seqnum)
		case strings.HasSuffix(v.Name, "/key_first"):
			schema, span := windowSchema, w
			if strings.Contains(v.Name, "session") {
				schema, span = sessionSchema, session
			}
			got = schema.append([]byte{indexPrefix}, []byte(in.Key), span, in.Seqnum)
		case strings.HasPrefix(v.Name, "storekey/window/"):
			got = rowLayout{windowSchema, KeyFirst}.appendRow(nil, []byte(in.Key), w, in.Seqnum)
		case v.Name == "storekey/session/time_first":
			got = rowLayout{sessionSchema, TimeFirstIndexed}.appendRow(nil, []byte(in.Key), session, 0)
		case v.Name == "storekey/session/plain":
			got = rowLayout{sessionSchema, KeyFirst}.appendRow(nil, []byte(in.Key), session, 0)
		case v.Name == "store/timestamped_value/migrated_from_plain":
			got = append(reframe(KindTimestampedWindow, onDisk(KindWindow)).prefix, "v"...)
		case v.Name == "versioned/latest_value":
			got = frameTimed.restored(nil, &Change{Value: []byte(in.Value), Timestamp: in.Timestamp})
		default:
			got = withHeaders(t, &v, name)
		}
		if hex.EncodeToString(got) != v.Hex {
			t.Errorf("%s: got %x, want %s", v.Name, got, v.Hex)
		}
	}
}

// onDisk are the settings of a store over another kind of rows.
func onDisk(k Kind) *settings { return &settings{supplied: k} }

// withHeaders writes a value, reads it, and takes it apart for the changelog.
func withHeaders(t *testing.T, v *rowVector, name string) []byte {
	t.Helper()
	h := record.NewHeaders()
	for _, e := range v.Inputs.Headers {
		var value []byte
		if e.Value != nil {
			value, _ = hex.DecodeString(*e.Value)
		}
		h.Add(e.Key, value)
	}
	var out []byte
	var err error
	f, raw := frameHeaders, v.Inputs.Value
	if strings.Contains(v.Name, "session") {
		f, raw = frameAggregate, v.Inputs.Aggregation
		c := &headersAggregates[string]{newCoder(serde.String())}
		out, err = c.append(nil, "", nil, WithHeaders[string]{raw, h})
	} else {
		c := &headersValues[string]{newCoder(serde.String())}
		out, err = c.append(nil, "", nil, TimedHeaders[string]{raw, v.Inputs.Timestamp, h})
	}
	if err != nil {
		t.Fatal(name, err)
	}
	block, _, value, err := f.split(out)
	if err != nil || string(value) != raw {
		t.Errorf("%s: split gave %q, %v", v.Name, value, err)
	}
	if got, err := parseHeaders(block); err != nil || got.Len() != h.Len() {
		t.Errorf("%s: read %d headers, %v", v.Name, got.Len(), err)
	}
	restored := f.restored(nil, &Change{Value: []byte(raw), Timestamp: v.Inputs.Timestamp, Headers: h.All()})
	if string(restored) != string(out) {
		t.Errorf("%s: restored as %x, stored as %x", v.Name, restored, out)
	}
	return out
}

// versionsOf makes a row of versions in the ways in which stores do, and reads
// it back.
func versionsOf(t *testing.T, records []string) []byte {
	t.Helper()
	type rec struct {
		value    []byte
		from, to int64
	}
	var list []rec
	for _, text := range records {
		name, times, _ := strings.Cut(text, ":")
		r := rec{value: []byte(strings.Trim(name, `"`))}
		if _, err := fmt.Sscanf(times, "[%d,%d)", &r.from, &r.to); err != nil {
			t.Fatal(text, err)
		}
		if name == "null" {
			r.value = nil
		}
		list = append(list, r)
	}
	first := list[0]
	row := newVersions(first.value, first.from, first.to)
	for _, r := range list[1:] {
		if r.value != nil {
			row.insertAsLatest(r.from, r.to, r.value)
		}
	}
	for i, r := range list {
		at, to := row.find(r.from)
		if len(row.versions) != len(list) {
			t.Fatalf("%v: the row has %d versions", records, len(row.versions))
		}
		if v := row.versions[at]; v.from != r.from || to != r.to || string(v.value) != string(r.value) || (v.value == nil) != (r.value == nil) {
			t.Errorf("%v: found %+v until %d for record %d", records, v, to, i)
		}
	}
	out := row.append(nil)
	again, err := parseVersions(out)
	if err != nil {
		t.Fatal(err)
	}
	return again.append(nil)
}

func TestVersionsInFrontAndBetween(t *testing.T) {
	row := newVersions([]byte("a"), 10, 20)
	row.insertAsEarliest(5, []byte("z"))
	i, _ := row.find(12)
	row.insert(i, version{12, []byte("mid")})
	row.insertAsLatest(15, 30, []byte("cuts"))
	text := ""
	for _, v := range row.versions {
		text += fmt.Sprintf("%s@%d ", v.value, v.from)
	}
	if text != "cuts@15 mid@12 a@10 z@5 " || row.next != 30 || row.min != 5 {
		t.Errorf("%s, next %d, min %d", text, row.next, row.min)
	}
	row.truncate(5)
	if !row.degenerate || row.next != 5 {
		t.Errorf("truncated to %+v", row)
	}
}

func TestMalformedVersions(t *testing.T) {
	good := versionRow{next: 9, min: 1, versions: []version{{3, []byte("ab")}, {1, nil}}}
	data := good.append(nil)
	for n := range len(data) {
		if r, err := parseVersions(data[:n]); err == nil {
			t.Errorf("%d bytes of %d were read as %+v", n, len(data), r)
		}
	}
	if _, err := parseVersions(data); err != nil {
		t.Error(err)
	}
}

// TestUpperRangeIsAboveAllRows: no row of a key up to the bound may lie above
// the end of the scan.
func TestUpperRangeIsAboveAllRows(t *testing.T) {
	keys := []string{"a", "az", "b", "ba", "\xff", "\xff\xff", "k\x01"}
	for _, latest := range []int64{5, 1_700_000_000_000, math.MaxInt64} {
		for _, bound := range keys {
			upper := windowSchema.upperRange([]byte(bound), latest)
			for _, key := range keys {
				row := windowSchema.append(nil, []byte(key), window.Span{Start: latest}, math.MaxInt32)
				if key <= bound && string(row) > string(upper) {
					t.Errorf("the row of %q at %d lies above the range to %q", key, latest, bound)
				}
			}
		}
	}
}
