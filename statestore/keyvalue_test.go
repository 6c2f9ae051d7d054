package statestore_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/statestore/storetest"
)

// open builds and opens a store of strings.
func open(t *testing.T, h *storetest.Host, opts ...statestore.Option) statestore.KeyValue[string, string] {
	t.Helper()
	s := statestore.NewKeyValue("s", serde.String(), serde.String(), append([]statestore.Option{statestore.On(memstore.Backend)}, opts...)...).New()
	if err := s.Open(h); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openTimed(t *testing.T, h *storetest.Host, opts ...statestore.Option) statestore.TimestampedKeyValue[string, string] {
	t.Helper()
	s := statestore.NewTimestamped("s", serde.String(), serde.String(), append([]statestore.Option{statestore.On(memstore.Backend)}, opts...)...).New()
	if err := s.Open(h); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func rows[V any](t *testing.T, scan func(func(statestore.Entry[string, V], error) bool)) []string {
	t.Helper()
	out := []string{}
	for e, err := range scan {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s=%v", e.Key, e.Value))
	}
	return out
}

func equal[T any](t *testing.T, want, got T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("(-want +got)\n%s", d)
	}
}

func log(key, value string, ts int64) storetest.Logged {
	return storetest.Logged{Store: "s", Key: key, Value: value, Timestamp: ts}
}

func tombstone(key string, ts int64) storetest.Logged {
	return storetest.Logged{Store: "s", Key: key, Null: true, Timestamp: ts}
}

func TestPlainStoreLogsUnderTheRecordsTimestamp(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h)
	h.Context.Timestamp = 10
	must(t, s.Put("a", "1"))
	h.Context.Timestamp = 20
	must(t, s.Put("b", ""))
	if old, had, err := s.PutIfAbsent("a", "2"); old != "1" || !had || err != nil {
		t.Errorf("PutIfAbsent of a: %q %v %v", old, had, err)
	}
	if _, had, err := s.PutIfAbsent("c", "3"); had || err != nil {
		t.Errorf("PutIfAbsent of c: %v %v", had, err)
	}
	if old, had, err := s.Delete("a"); old != "1" || !had || err != nil {
		t.Errorf("Delete of a: %q %v %v", old, had, err)
	}
	must(t, s.Remove("nothing"))
	equal(t, []string{"b=", "c=3"}, rows(t, s.All()))
	equal(t, []storetest.Logged{log("a", "1", 10), log("b", "", 20), log("c", "3", 20), tombstone("a", 20), tombstone("nothing", 20)}, h.Logged)
}

func TestTimestampedStoreLogsUnderTheValuesTimestamp(t *testing.T) {
	h := storetest.NewHost(t)
	h.Context.Timestamp = 100
	s := openTimed(t, h)
	must(t, s.Put("a", statestore.Timed[string]{Value: "1", Timestamp: 7}), s.Put("e", statestore.Timed[string]{Timestamp: -1}))
	if v, ok, err := s.Get("a"); !ok || err != nil || v.Value != "1" || v.Timestamp != 7 {
		t.Errorf("Get: %v %v %v", v, ok, err)
	}
	if v, had, err := s.Delete("a"); !had || err != nil || v.Timestamp != 7 {
		t.Errorf("Delete: %v %v %v", v, had, err)
	}
	equal(t, []storetest.Logged{log("a", "1", 7), log("e", "", -1), tombstone("a", 100)}, h.Logged)
}

func TestWithoutLog(t *testing.T) {
	h := storetest.NewHost(t)
	b := statestore.NewTimestamped("s", serde.String(), serde.String(), statestore.On(memstore.Backend)).WithoutLog()
	s := b.Build().(statestore.TimestampedKeyValue[string, string])
	must(t, s.Open(h), s.Put("a", statestore.Timed[string]{Value: "1"}))
	if b.Logged() || len(h.Logged) != 0 {
		t.Errorf("logged %v", h.Logged)
	}
}

func TestNulls(t *testing.T) {
	h := storetest.NewHost(t)
	s := statestore.NewKeyValue("s", serde.Nullable(serde.String()), serde.Nullable(serde.String()), statestore.On(memstore.Backend)).New()
	must(t, s.Open(h))
	a, one := "a", "1"
	must(t, s.Put(&a, &one), s.Put(&a, nil))
	if _, ok, err := s.Get(&a); ok || err != nil {
		t.Errorf("putting null left a value (%v)", err)
	}
	equal(t, []storetest.Logged{log("a", "1", 0), tombstone("a", 0)}, h.Logged)
	_, _, get := s.Get(nil)
	_, _, del := s.Delete(nil)
	for _, err := range []error{get, del, s.Put(nil, &one), s.Remove(nil)} {
		if !errors.Is(err, statestore.ErrNullKey) {
			t.Errorf("null key: %v", err)
		}
	}
	for _, err := range s.Range(statestore.From[*string](nil)) {
		if !errors.Is(err, statestore.ErrNullKey) {
			t.Errorf("range from null: %v", err)
		}
	}
	if !errors.Is(h.Failed, statestore.ErrNullKey) {
		t.Errorf("the task does not know of the failed scan: %v", h.Failed)
	}
}

func TestRanges(t *testing.T) {
	for _, cached := range []bool{false, true} {
		t.Run(fmt.Sprint("cached ", cached), func(t *testing.T) {
			h := storetest.NewHost(t)
			var opts []statestore.Option
			if cached {
				h.RecordCache = statestore.NewCache(1 << 20)
				opts = append(opts, statestore.Cached())
			}
			s := open(t, h, opts...)
			for _, k := range []string{"a", "ab", "b", "c", "\u00ff"} {
				must(t, s.Put(k, "v"))
			}
			must(t, s.Flush(), s.Put("aa", "new"), s.Remove("c"), s.Put("b", "changed"))
			up := []string{"a=v", "aa=new", "ab=v", "b=changed", "\u00ff=v"}
			equal(t, up, rows(t, s.All()))
			equal(t, []string{"aa=new", "ab=v", "b=changed"}, rows(t, s.Range(statestore.Between("aa", "b"))))
			equal(t, []string{"b=changed", "ab=v", "aa=new"}, rows(t, s.Range(statestore.Between("aa", "c").Reverse())))
			equal(t, []string{"ab=v", "b=changed", "\u00ff=v"}, rows(t, s.Range(statestore.From("ab"))))
			equal(t, []string{"a=v", "aa=new"}, rows(t, s.Range(statestore.To("aa"))))
			equal(t, []string{}, rows(t, s.Range(statestore.Between("z", "a"))))
			equal(t, []string{"a=v", "aa=new", "ab=v"}, rows(t, s.Prefix([]byte("a"))))
			equal(t, []string{"\u00ff=v"}, rows(t, s.Prefix([]byte("\u00ff"))))
			slices.Reverse(up)
			equal(t, up, rows(t, s.Backward()))
		})
	}
}

// TestSignedKeysScanAsBytes is behaviour 39: four-byte integers scan in the
// order of their bytes.
func TestSignedKeysScanAsBytes(t *testing.T) {
	s := statestore.NewKeyValue("s", serde.Int32(), serde.String(), statestore.On(memstore.Backend)).New()
	must(t, s.Open(storetest.NewHost(t)))
	for _, k := range []int32{-3, 0, 2, 5} {
		must(t, s.Put(k, "v"))
	}
	var keys []int32
	for e, err := range s.All() {
		must(t, err)
		keys = append(keys, e.Key)
	}
	equal(t, []int32{0, 2, 5, -3}, keys)
	for range s.Range(statestore.Between[int32](-3, 2)) {
		t.Error("range(-3, 2) is not empty")
	}
	n := 0
	for range s.Range(statestore.Between[int32](0, -1)) {
		n++
	}
	equal(t, 4, n)
}

// TestFormats checks what the backend holds, and that restoring from the
// changelog gives it back, against Java's bytes.
func TestFormats(t *testing.T) {
	for value, want := range map[statestore.Timed[string]]string{
		{Value: "v", Timestamp: 1700000000000}: "0000018bcfe5680076",
		{Value: "", Timestamp: 0}:              "0000000000000000",
		{Value: "v", Timestamp: -1}:            "ffffffffffffffff76",
	} {
		for _, restore := range []bool{false, true} {
			h := storetest.NewHost(t)
			spy := &spyBackend{Backend: memstore.Backend}
			s := openTimed(t, h, statestore.On(spy))
			if restore {
				must(t, s.Restore([]statestore.Change{{Key: []byte("k"), Value: []byte(value.Value), Timestamp: value.Timestamp, Offset: 3}}))
			} else {
				must(t, s.Put("k", value))
			}
			raw, ok, err := spy.store.Get(nil, []byte("k"))
			if !ok || err != nil || hex.EncodeToString(raw) != want {
				t.Errorf("restore %v: %x %v %v, want %s", restore, raw, ok, err, want)
			}
			if v, ok, err := s.Get("k"); !ok || err != nil || v != value {
				t.Errorf("restore %v: %v %v %v, want %v", restore, v, ok, err, value)
			}
		}
	}
}

// TestVectors holds the table above to the vectors Java wrote.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/timestamped-values.json")
	must(t, err)
	var vectors []struct {
		Value     string
		Timestamp int64
		Hex       string
	}
	must(t, json.Unmarshal(data, &vectors))
	for _, v := range vectors {
		h := storetest.NewHost(t)
		spy := &spyBackend{Backend: memstore.Backend}
		s := openTimed(t, h, statestore.On(spy))
		must(t, s.Put("k", statestore.Timed[string]{Value: v.Value, Timestamp: v.Timestamp}))
		raw, _, err := spy.store.Get(nil, []byte("k"))
		must(t, err)
		equal(t, v.Hex, hex.EncodeToString(raw))
	}
	if len(vectors) == 0 {
		t.Error("no vectors")
	}
}

// spyBackend lets a test look below the layers.
type spyBackend struct {
	statestore.Backend
	store statestore.KeyValueBytes
}

func (b *spyBackend) OpenKeyValue(h statestore.Host, name string, kind statestore.Kind) (statestore.KeyValueBytes, error) {
	s, err := b.Backend.OpenKeyValue(h, name, kind)
	b.store = s
	return s, err
}

func TestRestoreBypassesCacheAndLog(t *testing.T) {
	h := storetest.NewHost(t)
	h.RecordCache = statestore.NewCache(1000)
	s := open(t, h, statestore.Cached())
	must(t, s.Restore([]statestore.Change{
		{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("b"), Value: []byte("2")},
		{Key: nil, Value: []byte("x")}, {Key: []byte("a"), Value: nil},
	}))
	equal(t, []string{"b=2"}, rows(t, s.All()))
	if len(h.Logged) != 0 {
		t.Errorf("logged %v", h.Logged)
	}
}

func TestSerdesSeeTheChangelogTopic(t *testing.T) {
	h := storetest.NewHost(t)
	topics := map[string]bool{}
	s := statestore.NewKeyValue("s", topicSerde{topics}, topicSerde{topics}, statestore.On(memstore.Backend)).New()
	must(t, s.Open(h), s.Put("a", "1"))
	rows(t, s.All())
	equal(t, []string{"app-s-changelog"}, slices.Collect(maps.Keys(topics)))
	renamed := &sourceHost{h}
	clear(topics)
	s = statestore.NewKeyValue("t", topicSerde{topics}, topicSerde{topics}, statestore.On(memstore.Backend)).New()
	must(t, s.Open(renamed), s.Put("a", "1"))
	equal(t, []string{"source"}, slices.Collect(maps.Keys(topics)))
}

type sourceHost struct{ *storetest.Host }

func (sourceHost) ChangelogTopic(store string) string {
	if store == "t" {
		return "source"
	}
	return ""
}

type topicSerde struct{ topics map[string]bool }

func (s topicSerde) Append(dst []byte, topic, v string) ([]byte, error) {
	s.topics[topic] = true
	return append(dst, v...), nil
}

func (s topicSerde) Decode(topic string, data []byte) (string, error) {
	s.topics[topic] = true
	return string(data), nil
}

func TestErrorsNameTheStore(t *testing.T) {
	h := storetest.NewHost(t)
	s := statestore.NewKeyValue("s", serde.String(), serde.Int64(), statestore.On(memstore.Backend)).New()
	must(t, s.Open(h), s.Restore([]statestore.Change{{Key: []byte("a"), Value: []byte("xyz")}}))
	_, _, err := s.Get("a")
	if err == nil || !strings.Contains(err.Error(), "store s of task 0_0") {
		t.Errorf("error %v does not name the store", err)
	}
	for _, err = range s.All() {
	}
	if err == nil || h.Failed == nil {
		t.Errorf("scan over a value that cannot be read: %v, task knows %v", err, h.Failed)
	}
	must(t, s.Close(), s.Close())
	if err := s.Put("a", 1); !errors.Is(err, statestore.ErrClosed) {
		t.Errorf("put after close: %v", err)
	}
}

func TestBuilder(t *testing.T) {
	b := statestore.NewKeyValue("s", serde.String(), serde.Int64(), statestore.Cached(),
		statestore.On(pebblestore.Backend), statestore.Changelog(map[string]string{"retention.ms": "1"}))
	if b.Name() != "s" || b.Kind() != statestore.KindKeyValue || !b.Logged() || !b.Cached() || !b.Persistent() || b.ChangelogConfig()["retention.ms"] != "1" {
		t.Errorf("%+v", b)
	}
	m := statestore.NewTimestamped("m", serde.String(), serde.Int64(), statestore.On(memstore.Backend), statestore.Unlogged())
	if m.Persistent() || m.Logged() || m.Cached() || m.Kind() != statestore.KindTimestampedKeyValue {
		t.Errorf("%+v", m)
	}
	if !statestore.NewKeyValue("d", serde.String(), serde.Int64()).Persistent() {
		t.Error("the default store is not persistent")
	}
	finder := oneStore{m.Build()}
	if _, err := m.In(finder); err != nil {
		t.Error(err)
	}
	var wrong *statestore.TypeError
	if _, err := b.In(finder); !errors.As(err, &wrong) {
		t.Errorf("asked for a plain store, got %v", err)
	}
}

type oneStore struct{ s statestore.Store }

func (f oneStore) Store(string) (statestore.Store, error) { return f.s, nil }

func TestLRULogsEvictions(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h, statestore.On(memstore.LRU(2)))
	must(t, s.Put("a", "1"), s.Put("b", "2"))
	if _, ok, _ := s.Get("a"); !ok {
		t.Fatal("a is gone")
	}
	must(t, s.Put("c", "3"))
	equal(t, []string{"a=1", "c=3"}, rows(t, s.All()))
	equal(t, []storetest.Logged{log("a", "1", 0), log("b", "2", 0), tombstone("b", 0), log("c", "3", 0)}, h.Logged)
	n := len(h.Logged)
	must(t, s.Restore([]statestore.Change{{Key: []byte("x"), Value: []byte("9")}, {Key: []byte("y"), Value: []byte("9")}}))
	equal(t, []string{"x=9", "y=9"}, rows(t, s.All()))
	if len(h.Logged) != n {
		t.Error("restoring logs")
	}
}

func TestStoresOfATaskHaveTheirOwnFolders(t *testing.T) {
	h := storetest.NewHost(t)
	s := open(t, h, statestore.On(pebblestore.Backend))
	must(t, s.Put("a", "1"))
	if _, err := os.Stat(filepath.Join(h.Folder, "pebble", "s")); err != nil {
		t.Error(err)
	}
}

func TestReaderFollowsTheTask(t *testing.T) {
	h := storetest.NewHost(t)
	h.RecordCache = statestore.NewCache(500)
	s := open(t, h, statestore.On(pebblestore.Backend), statestore.Cached())
	r := s.(statestore.Queryable[string, string]).Reader()
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			v, ok, err := r.Get("k00")
			if err == nil && ok && !strings.HasPrefix(v, "k00") {
				err = fmt.Errorf("k00 has %q", v)
			}
			last := ""
			for e, scanErr := range r.All() {
				if scanErr != nil {
					err = scanErr
					break
				}
				if e.Key <= last || !strings.HasPrefix(e.Value, e.Key) {
					err = fmt.Errorf("after %q came %q with %q", last, e.Key, e.Value)
				}
				last = e.Key
			}
			if err != nil {
				done <- err
				return
			}
		}
	}()
	for i := range 3000 {
		k := fmt.Sprintf("k%02d", i*7%50)
		if i%5 == 0 {
			must(t, s.Remove(k))
		} else {
			must(t, s.Put(k, fmt.Sprint(k, "-", i)))
		}
		if i%100 == 0 {
			must(t, s.Flush(), s.Commit(int64(i)))
		}
	}
	close(stop)
	must(t, <-done, s.Close())
	if _, _, err := r.Get("k00"); !errors.Is(err, statestore.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}
