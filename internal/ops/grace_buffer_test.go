package ops

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// logHost is a task whose stores have changelogs, all written to logged.
type logHost struct {
	*host
	logged []statestore.Change
}

func (h *logHost) Log(string) statestore.Log { return (*hostLog)(h) }

type hostLog logHost

// Log implements statestore.Log.
func (l *hostLog) Log(key, value []byte, timestamp int64, headers *record.Headers) error {
	c := statestore.Change{Key: slices.Clone(key), Value: slices.Clone(value), Timestamp: timestamp, Headers: headers.All()}
	l.logged = append(l.logged, c)
	return nil
}

// newBuffer opens a buffer in memory.
func newBuffer(t *testing.T, h *logHost, graceMs int64) *graceBuffer[string, string] {
	t.Helper()
	rows := statestore.NewKeyValue("join-Buffer", serde.Bytes(), serde.Bytes(), statestore.On(memstore.Backend))
	s := (&graceBufferBuilder[string, string]{Builder: rows, topic: "join", graceMs: graceMs, key: serde.String(), value: serde.String()}).Build()
	if err := s.Open(h); err != nil {
		t.Fatal(err)
	}
	b, ok := s.(*graceBuffer[string, string])
	if !ok {
		t.Fatalf("the builder made a %T", s)
	}
	return b
}

// buffered puts records as "key@time", each with a header of its number, and
// returns what leaves the buffer.
type buffered struct {
	t *testing.T
	h *logHost
	b *graceBuffer[string, string]
	n int64
}

func (b *buffered) put(key string, ts int64) []string {
	b.t.Helper()
	b.n++
	rec := kv(key, fmt.Sprint(b.n), ts)
	rec.Headers = record.NewHeaders(record.Header{Key: "n", Value: []byte(rec.Value)})
	b.h.rc = &record.Context{Topic: "in", Partition: 1, Offset: b.n, Timestamp: ts, Headers: rec.Headers}
	waits, err := b.b.put(rec)
	if err != nil {
		b.t.Fatal(err)
	}
	if !waits {
		return []string{"late"}
	}
	out := []string{}
	if err := b.b.evict(func(r processor.Record[string, string], rc *record.Context) error {
		if n, _ := r.Headers.Last("n"); string(n) != r.Value || r.Headers != rc.Headers || fmt.Sprint(rc.Offset) != r.Value || rc.Topic != "in" {
			b.t.Errorf("record %+v has the context %+v", r, rc)
		}
		out = append(out, fmt.Sprintf("%s%s@%d", r.Key, r.Value, r.Timestamp))
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	return out
}

func TestGraceBuffer(t *testing.T) {
	h := &logHost{host: newHost(t)}
	b := &buffered{t: t, h: h, b: newBuffer(t, h, 10)}
	for _, c := range []struct {
		key  string
		ts   int64
		want []string
	}{
		{"b", 5, []string{}}, {"a", 5, []string{}}, {"b", 5, []string{}}, {"c", 3, []string{}}, {"d", 14, []string{"c4@3"}},
		{"e", 4, []string{"e6@4"}}, {"e", 3, []string{"late"}}, {"f", 15, []string{"a2@5", "b1@5", "b3@5"}},
		{"f", 15, []string{}}, {"g", 100, []string{"d5@14", "f8@15", "f9@15"}},
	} {
		if d := cmp.Diff(c.want, b.put(c.key, c.ts)); d != "" {
			t.Errorf("%s@%d (-want +got)\n%s", c.key, c.ts, d)
		}
	}
	rows, deleted := 0, 0
	for _, c := range h.logged {
		if c.Timestamp != processor.NoTimestamp || c.Headers != nil {
			t.Errorf("changelog record %+v", c)
		}
		if c.Value == nil {
			deleted++
		} else {
			rows++
		}
	}
	if rows != 9 || deleted != 8 {
		t.Errorf("%d rows and %d deletions logged, want 9 and 8", rows, deleted)
	}
}

// TestGraceBufferRestores replays the changelog into a new buffer. What waited
// comes out, and new records do not replace it.
func TestGraceBufferRestores(t *testing.T) {
	h := &logHost{host: newHost(t)}
	old := &buffered{t: t, h: h, b: newBuffer(t, h, 10)}
	for i, key := range []string{"b", "a", "a", "x"} {
		old.put(key, []int64{7, 7, 8, 18}[i]) // x lets what is at 7 and 8 out
	}
	old.put("b", 11)
	old.put("a", 11)
	restored := &buffered{t: t, h: &logHost{host: newHost(t)}, n: 10}
	restored.b = newBuffer(t, restored.h, 10)
	if err := restored.b.Restore(h.logged); err != nil {
		t.Fatal(err)
	}
	if got := restored.put("b", 11); len(got) > 0 {
		t.Errorf("let out %v before the grace was over", got)
	}
	// The header and offset of a restored record are its own.
	if d := cmp.Diff([]string{"a6@11", "b5@11", "b11@11", "x4@18"}, restored.put("z", 30)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if err := restored.b.Restore([]statestore.Change{{Key: []byte("k"), Value: []byte("short")}}); err == nil {
		t.Error("a changelog value without its tail was accepted")
	}
}

// TestGraceBufferKeepsWhatFails lets a join fail: its record stays and is tried
// again with the next one, as in Java.
func TestGraceBufferKeepsWhatFails(t *testing.T) {
	h := &logHost{host: newHost(t)}
	b := &buffered{t: t, h: h, b: newBuffer(t, h, 0)}
	boom := errors.New("boom")
	h.rc = &record.Context{Timestamp: 1, Headers: &record.Headers{}}
	if waits, err := b.b.put(kv("a", "0", 1)); !waits || err != nil {
		t.Fatal(waits, err)
	}
	if err := b.b.evict(func(processor.Record[string, string], *record.Context) error { return boom }); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	n := 0
	if err := b.b.evict(func(processor.Record[string, string], *record.Context) error { n++; return nil }); err != nil || n != 1 {
		t.Errorf("%d records left, %v", n, err)
	}
}

func TestGraceBufferDamage(t *testing.T) {
	h := &logHost{host: newHost(t)}
	b := newBuffer(t, h, 0)
	h.rc = &record.Context{Timestamp: 1, Headers: &record.Headers{}}
	for _, row := range [][2]string{{"short", ""}, {"\x00\x00\x00\x00\x00\x00\x00\x00\x01k\x00\x00\x00\x01", "no context"}} {
		if _, _, err := b.decode([]byte(row[0]), []byte(row[1])); err == nil {
			t.Errorf("row %q was accepted", row[0])
		}
	}
}
