package ops

import (
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
)

// bufferLog is the changelog of a buffer: as texts, and to restore from.
type bufferLog struct {
	lines []string
	batch []statestore.Change
}

// Log implements statestore.Log.
func (l *bufferLog) Log(key, value []byte, timestamp int64, headers *record.Headers) error {
	version, _ := headers.Last("v")
	c := statestore.Change{Key: append([]byte{}, key...), Timestamp: 99, Offset: int64(len(l.batch)), Headers: headers.All()}
	text := "-"
	if value != nil {
		text = hex.EncodeToString(value)
		c.Value = append([]byte{}, value...)
	}
	l.lines = append(l.lines, fmt.Sprintf("%s v%x @%d %s", key, version, timestamp, text))
	l.batch = append(l.batch, c)
	return nil
}

// bufferHost is a task whose stores have that changelog.
type bufferHost struct {
	*host
	log *bufferLog
}

// Log implements statestore.Host.
func (h bufferHost) Log(string) statestore.Log { return h.log }

// suppressing is a suppression of a table of texts with its buffer.
type suppressing struct {
	*host
	log  *bufferLog
	unit processor.Unit
	out  *sink[string, processor.Change[string]]
	buf  *suppressBuffer[string, string]
}

func newSuppressing(t *testing.T, spec Suppression) *suppressing {
	t.Helper()
	h := newHost(t)
	if spec.MaxRecords == 0 {
		spec.MaxRecords = NoLimit
	}
	if spec.MaxBytes == 0 {
		spec.MaxBytes = NoLimit
	}
	b := &suppressBuilder[string, string]{name: "buf", key: serde.String(), value: serde.String(), logged: true}
	s := &suppressing{host: h, log: &bufferLog{}, out: &sink[string, processor.Change[string]]{}}
	s.buf = b.Build().(*suppressBuffer[string, string])
	if err := s.buf.Open(bufferHost{h, s.log}); err != nil {
		t.Fatal(err)
	}
	h.stores["buf"] = s.buf
	s.unit = unit(t, NewSuppress[string, string](nil, spec, "buf"))
	pipe(h, s.unit, s.out)
	return s
}

func change(key, next, old string, ts int64) processor.Record[string, processor.Change[string]] {
	return kv(key, processor.Change[string]{New: next, HasNew: next != "", Old: old, HasOld: old != ""}, ts)
}

func TestSuppressUntilTimeLimit(t *testing.T) {
	s := newSuppressing(t, Suppression{WaitMs: 10})
	feed(s.host, s.unit, change("a", "1", "", 0))
	feed(s.host, s.unit, change("b", "1", "", 0))
	feed(s.host, s.unit, change("a", "2", "1", 3))
	feed(s.host, s.unit, change("b", "", "1", 4))
	want(t, changes(s.out))
	feed(s.host, s.unit, change("c", "1", "", 10))
	// Those of one time come in the order of their keys, each with the time and
	// the old value of its last update; the place was that of its first.
	want(t, changes(s.out), "a:2<-1@3", "b:-<-1@4")
	if n := s.buf.records(); n != 1 {
		t.Errorf("%d records held", n)
	}
}

func TestSuppressPassesAtOnceWithoutWait(t *testing.T) {
	s := newSuppressing(t, Suppression{})
	feed(s.host, s.unit, change("a", "1", "", 5))
	feed(s.host, s.unit, change("a", "2", "1", 3))
	want(t, changes(s.out), "a:1<--@5", "a:2<-1@3")
}

func TestSuppressBuffersAreLimited(t *testing.T) {
	s := newSuppressing(t, Suppression{WaitMs: 100, MaxRecords: 2, EmitEarly: true})
	feed(s.host, s.unit, change("b", "1", "", 10))
	feed(s.host, s.unit, change("c", "1", "", 11))
	feed(s.host, s.unit, change("a", "1", "", 5))
	want(t, changes(s.out), "a:1<--@5")

	// 8 for the time, 1 each for key and value, 20 and the topic for the context.
	s = newSuppressing(t, Suppression{WaitMs: 100, MaxBytes: 63, EmitEarly: true})
	feed(s.host, s.unit, change("b", "1", "", 10))
	feed(s.host, s.unit, change("c", "1", "", 11))
	if s.buf.bytes != 32 {
		t.Errorf("%d bytes counted", s.buf.bytes)
	}
	want(t, changes(s.out), "b:1<--@10")

	s = newSuppressing(t, Suppression{WaitMs: 100, MaxRecords: 1})
	feed(s.host, s.unit, change("b", "1", "", 10))
	err := tryFeed(s.host, s.unit, change("c", "1", "", 11))
	var streams *processor.StreamsError
	if !errors.As(err, &streams) || streams.Msg != "node-0 buffer exceeded its max capacity. Currently [2/1] records and [64/9223372036854775807] bytes." {
		t.Errorf("got %v", err)
	}
}

// TestSuppressChangelog compares with the records of a JVM.
func TestSuppressChangelog(t *testing.T) {
	s := newSuppressing(t, Suppression{WaitMs: 1000})
	rec := func(key, next, old string, ts, offset int64) {
		t.Helper()
		r := change(key, next, old, ts)
		r.Headers = &record.Headers{}
		s.host.rc = &record.Context{Topic: "in", Offset: offset, Timestamp: ts, Headers: r.Headers}
		if err := s.unit.(processor.Receiver[string, processor.Change[string]]).Receive(r); err != nil {
			t.Fatal(err)
		}
		if err := s.buf.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	rec("k", "a", "", 1700000000000, 0)
	rec("k", "b", "a", 1700000000020, 1)
	rec("q", "c", "", 1700000005000, 2)
	want(t, s.log.lines,
		"k v03 @-1 0000018bcfe56800000000000000000000000002696e0000000000000000ffffffffffffffff00000001610000018bcfe56800",
		"k v03 @-1 0000018bcfe56814000000000000000100000002696e0000000000000000ffffffff000000016100000001620000018bcfe56800",
		"q v03 @-1 0000018bcfe57b88000000000000000200000002696e0000000000000000ffffffffffffffff00000001630000018bcfe57b88",
		"k v @-1 -")
	want(t, changes(s.out), "k:b<-a@1700000000020")
}

func TestSuppressRestores(t *testing.T) {
	s := newSuppressing(t, Suppression{WaitMs: 10})
	r := change("a", "1", "0", 1)
	r.Headers = record.NewHeaders(record.Header{Key: "h", Value: []byte("x")})
	feed(s.host, s.unit, r)
	feed(s.host, s.unit, change("b", "1", "", 2))
	feed(s.host, s.unit, change("a", "2", "1", 3))
	feed(s.host, s.unit, change("gone", "1", "", 0))
	if err := s.buf.Flush(); err != nil {
		t.Fatal(err)
	}
	feed(s.host, s.unit, change("b", "2", "1", 10))
	want(t, changes(s.out), "gone:1<--@0")
	if err := s.buf.Flush(); err != nil {
		t.Fatal(err)
	}

	again := newSuppressing(t, Suppression{WaitMs: 10})
	if err := again.buf.Restore(s.log.batch); err != nil {
		t.Fatal(err)
	}
	if again.buf.records() != 2 || again.buf.bytes != s.buf.bytes {
		t.Errorf("%d records of %d bytes, want 2 of %d", again.buf.records(), again.buf.bytes, s.buf.bytes)
	}
	feed(again.host, again.unit, change("c", "1", "", 12))
	want(t, changes(again.out), "a:2<-1@3", "b:2<-1@10")
	if err := again.buf.Restore([]statestore.Change{{Key: []byte("x"), Value: []byte{1}}}); err == nil {
		t.Error("a broken record was restored")
	}
}

// TestSuppressGetter: a key in the buffer has for others the value it had
// before.
func TestSuppressGetter(t *testing.T) {
	s := newSuppressing(t, Suppression{WaitMs: 10})
	addStore(s.host, "parent", serde.String(), serde.String(), false)
	parent := s.stores["parent"].(statestore.TimestampedKeyValue[string, string])
	for _, k := range []string{"held", "new", "free"} {
		if err := parent.Put(k, statestore.Timed[string]{Value: "now", Timestamp: 4}); err != nil {
			t.Fatal(err)
		}
	}
	plan := NewSuppress[string, string](newStored("parent"), Suppression{}, "buf")
	view := plan.View()
	if d := cmp.Diff([]string{"buf", "parent"}, view.Stores); d != "" {
		t.Errorf("stores (-want +got)\n%s", d)
	}
	g := view.New()
	if err := g.Init(s.place("reader", s.unit)); err != nil {
		t.Fatal(err)
	}
	feed(s.host, s.unit, change("held", "now", "before", 4))
	feed(s.host, s.unit, change("new", "now", "", 4))
	for key, w := range map[string]string{"held": "before true -1", "new": " false -1", "free": "now true 4"} {
		row, ok, err := g.Get(key)
		if got := fmt.Sprint(row.Value, " ", ok, " ", row.Timestamp); err != nil || got != w {
			t.Errorf("%s: got %s %v, want %s", key, got, err, w)
		}
	}
	if _, _, err := g.GetAsOf("free", 1); err == nil || g.Versioned() {
		t.Error("a suppressed table has versions")
	}
}

// newStored is a table with a store.
func newStored(store string) *TableSource[string, string] {
	return NewTableSource[string, string](store, true)
}

func TestSuppressUntilWindowCloses(t *testing.T) {
	h := newHost(t)
	type key = window.Windowed[string]
	b := &suppressBuilder[key, int64]{name: "buf", key: window.SerdeMillis(serde.String(), 10), value: serde.Int64()}
	buf := b.Build()
	if err := buf.Open(h); err != nil {
		t.Fatal(err)
	}
	h.stores["buf"] = buf
	out := &sink[key, processor.Change[int64]]{}
	u := unit(t, NewSuppress[key, int64](nil, Suppression{WindowEnd: true, WaitMs: 2, MaxRecords: NoLimit, MaxBytes: NoLimit}, "buf"))
	pipe(h, u, out)
	count := func(k string, start, n, ts int64) {
		t.Helper()
		feed(h, u, kv(key{Key: k, Start: start, End: start + 10}, processor.Change[int64]{New: n, HasNew: n > 0}, ts))
	}
	count("b", 0, 1, 1)
	count("a", 0, 1, 3)
	count("d", 0, 0, 3)
	count("a", 0, 2, 2)
	count("z", 10, 1, 11)
	want(t, changes(out))
	count("z", 10, 2, 12)
	want(t, changes(out), "[a@0/10]:2<--@2", "[b@0/10]:1<--@1")
	if !HasWindows[key]() || HasWindows[string]() || !HasWindows[any]() {
		t.Error("which keys have windows")
	}
}
