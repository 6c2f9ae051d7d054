package window_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/window"
)

// vector is what the JVM wrote for one key. Hex is nil for null.
type vector struct {
	Name   string
	Inputs struct {
		Key        any
		Start, End int64
		Size       int64
		Timestamp  int64
		Seqnum     int32
	}
	Hex *string
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
	if len(vectors) != 10 {
		t.Fatalf("%d vectors, want 10", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			run := vectorTests[v.Name]
			if run == nil {
				t.Fatal("nothing checks this vector")
			}
			run(t, v)
		})
	}
}

var vectorTests = map[string]func(*testing.T, vector){
	"serde/windowed/time": func(t *testing.T, v vector) {
		size := time.Duration(v.Inputs.End-v.Inputs.Start) * time.Millisecond
		checkKey(t, window.Serde(serde.String(), size), v, v.Inputs.Key.(string), v.Inputs.End)
	},
	"serde/windowed/time_null": func(t *testing.T, v vector) {
		s := serde.Nullable(window.Serde(serde.String(), time.Second))
		if _, err := s.Append(nil, "topic", nil); v.Hex != nil || !errors.Is(err, serde.ErrNull) {
			t.Errorf("got %v, want ErrNull", err)
		}
	},
	"serde/windowed/session": func(t *testing.T, v vector) {
		checkKey(t, window.SessionSerde(serde.String()), v, v.Inputs.Key.(string), v.Inputs.End)
	},
	"serde/windowed/time_long_key": func(t *testing.T, v vector) {
		s := window.SerdeMillis(serde.Int64(), v.Inputs.Size)
		checkKey(t, s, v, int64(v.Inputs.Key.(float64)), v.Inputs.Start+v.Inputs.Size)
	},
	"storekey/window/plain":      checkStoreKey,
	"storekey/window/seqnum1":    checkStoreKey,
	"storekey/window/seqnum_max": checkStoreKey,
	"storekey/window/empty_key":  checkStoreKey,
	"storekey/window/time_first": func(t *testing.T, v vector) {
		got := window.AppendTimeFirstKey([]byte("x"), []byte(v.Inputs.Key.(string)), v.Inputs.Timestamp, v.Inputs.Seqnum)
		wantHex(t, got, *v.Hex)
		key, ts, seq, err := window.ParseTimeFirstKey(got[1:])
		if err != nil || string(key) != v.Inputs.Key || ts != v.Inputs.Timestamp || seq != v.Inputs.Seqnum {
			t.Errorf("parsed %q, %d, %d, %v", key, ts, seq, err)
		}
	},
	"storekey/session/plain": func(t *testing.T, v vector) {
		got := window.AppendSessionKey([]byte("x"), []byte(v.Inputs.Key.(string)), v.Inputs.Start, v.Inputs.End)
		wantHex(t, got, *v.Hex)
		key, span, err := window.ParseSessionKey(got[1:])
		if want := (window.Span{Start: v.Inputs.Start, End: v.Inputs.End}); err != nil || string(key) != v.Inputs.Key || span != want {
			t.Errorf("parsed %q, %v, %v", key, span, err)
		}
	},
}

// wantHex expects the bytes behind one byte that was there before.
func wantHex(t *testing.T, got []byte, want string) {
	t.Helper()
	if h := hex.EncodeToString(got); h != "78"+want {
		t.Errorf("got %s behind 78, want %s", h, want)
	}
}

func checkKey[K any](t *testing.T, s serde.Serde[window.Windowed[K]], v vector, key K, end int64) {
	t.Helper()
	w := window.Windowed[K]{Key: key, Start: v.Inputs.Start, End: end}
	got, err := s.Append([]byte("x"), "topic", w)
	if err != nil {
		t.Fatal(err)
	}
	wantHex(t, got, *v.Hex)
	back, err := s.Decode("topic", got[1:])
	if diff := cmp.Diff(w, back); err != nil || diff != "" {
		t.Errorf("decode: %v %s", err, diff)
	}
}

func checkStoreKey(t *testing.T, v vector) {
	in := v.Inputs
	got := window.AppendStoreKey([]byte("x"), []byte(in.Key.(string)), in.Timestamp, in.Seqnum)
	wantHex(t, got, *v.Hex)
	key, start, seq, err := window.ParseStoreKey(got[1:])
	if err != nil || string(key) != in.Key || start != in.Timestamp || seq != in.Seqnum {
		t.Errorf("parsed %q, %d, %d, %v", key, start, seq, err)
	}
	w, err := window.ChangelogSerde(serde.String(), 1000).Decode("topic", got[1:])
	want := window.Windowed[string]{Key: in.Key.(string), Start: in.Timestamp, End: in.Timestamp + 1000}
	if diff := cmp.Diff(want, w); err != nil || diff != "" {
		t.Errorf("decode as changelog: %v %s", err, diff)
	}
}

func TestDecodeFailures(t *testing.T) {
	windowed := window.Serde(serde.Int32(), time.Second)
	session := window.SessionSerde(serde.String())
	changelog := window.ChangelogSerde(serde.String(), 1000)
	for _, c := range []struct {
		name string
		got  error
		want string
	}{
		{"time short", decode(windowed, "00"), "decode windowed(int32, 1000 ms): wanted at least 8 bytes, got 1"},
		{"time before 0", decode(windowed, "00000001ffffffffffffffff"), "decode windowed(int32, 1000 ms): impossible window bounds: start -1, size 1000 ms"},
		{"time key", decode(windowed, "000000000000000000"), "decode windowed(int32, 1000 ms): decode int32: wanted 4 bytes, got 1"},
		{"time empty", decode(window.Serde(serde.String(), 0), "0000000000000000"), "decode windowed(string, 0 ms): impossible window bounds: start 0, size 0 ms"},
		{"changelog short", decode(changelog, "0000000000000000"), "decode windowed(string, 1000 ms): wanted at least 12 bytes, got 8"},
		{"session short", decode(session, "0000000000000000"), "decode session(string): parse session key: wanted at least 16 bytes, got 8"},
		{"session backwards", decode(session, "00000000000000010000000000000002"), "decode session(string): impossible window bounds: start 2, end 1"},
		{"session before 0", decode(session, "0000000000000001ffffffffffffffff"), "decode session(string): impossible window bounds: start -1, end 1"},
		{"store key", second(window.ParseStoreKey(make([]byte, 11))), "parse window store key: wanted at least 12 bytes, got 11"},
		{"time-first key", second(window.ParseTimeFirstKey(make([]byte, 12))), "parse time-first key: wanted at least 13 bytes, got 12"},
		{"time-first prefix", second(window.ParseTimeFirstKey(append([]byte{1}, make([]byte, 12)...))), "parse time-first key: wanted 0 in front, got byte 0x01"},
	} {
		if c.got == nil || c.got.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, c.got, c.want)
		}
	}
	for _, s := range []serde.Serde[window.Windowed[string]]{session, changelog} {
		if _, err := s.Decode("topic", []byte{}); !errors.Is(err, serde.ErrNull) {
			t.Errorf("%s reads no bytes as %v, want ErrNull", serde.NameOf(s), err)
		}
	}
}

func decode[K any](s serde.Serde[window.Windowed[K]], data string) error {
	b, err := hex.DecodeString(data)
	if err != nil {
		return err
	}
	_, err = s.Decode("topic", b)
	return err
}

func second(_ []byte, _ int64, _ int32, err error) error { return err }

func TestEndStopsAtTheLargestTime(t *testing.T) {
	s := window.SerdeMillis(serde.String(), window.Unlimited().SizeMs())
	w, err := s.Decode("topic", []byte{'k', 0, 0, 0, 0, 0, 0, 0, 5})
	if want := (window.Windowed[string]{Key: "k", Start: 5, End: math.MaxInt64}); err != nil || w != want {
		t.Errorf("got %v, %v, want %v", w, err, want)
	}
}

// vanishing writes and reads null, and counts the headers it sees.
type vanishing struct{ serde.Serde[string] }

func (vanishing) AppendWithHeaders(dst []byte, _ string, h *record.Headers, _ string) ([]byte, error) {
	h.Add("seen", nil)
	return dst, serde.ErrNull
}

func (vanishing) DecodeWithHeaders(_ string, h *record.Headers, _ []byte) (string, error) {
	h.Add("seen", nil)
	return "", serde.ErrNull
}

// TestNullOfTheKey checks that a null from the serde of the key fails, as it
// does in Java, and is not taken for the null of the windowed key.
func TestNullOfTheKey(t *testing.T) {
	inner := vanishing{serde.String()}
	h := record.NewHeaders()
	for _, s := range []serde.Serde[window.Windowed[string]]{
		window.Serde[string](inner, time.Second), window.SessionSerde[string](inner),
	} {
		hs := s.(serde.HeaderSerde[window.Windowed[string]])
		if _, err := hs.AppendWithHeaders(nil, "topic", h, window.Windowed[string]{}); err == nil || errors.Is(err, serde.ErrNull) {
			t.Errorf("%s: append: %v", serde.NameOf(s), err)
		}
		if _, err := hs.DecodeWithHeaders("topic", h, make([]byte, 16)); err == nil || errors.Is(err, serde.ErrNull) {
			t.Errorf("%s: decode: %v", serde.NameOf(s), err)
		}
	}
	if h.Len() != 4 {
		t.Errorf("the serde of the key saw headers %d times, want 4", h.Len())
	}
}

func TestBaseKey(t *testing.T) {
	w := window.Windowed[string]{Key: "k", Start: 1, End: 2}
	for _, s := range []serde.Serde[window.Windowed[string]]{
		window.Serde(serde.String(), time.Second), window.SessionSerde(serde.String()),
	} {
		got, err := s.(window.BaseKeySerde[window.Windowed[string]]).AppendBaseKey(nil, "topic", nil, w)
		if err != nil || string(got) != "k" {
			t.Errorf("%s: got %q, %v", serde.NameOf(s), got, err)
		}
	}
	if w.String() != "[k@1/2]" {
		t.Errorf("got %s", w)
	}
}

func TestAllocations(t *testing.T) {
	times := window.Serde(serde.Int64(), time.Second)
	sessions := window.SessionSerde(serde.Int64())
	w := window.Windowed[int64]{Key: 7, Start: 1000, End: 2000}
	buf := make([]byte, 0, 64)
	n := testing.AllocsPerRun(100, func() {
		for _, s := range [2]serde.Serde[window.Windowed[int64]]{times, sessions} {
			data, err := s.Append(buf, "topic", w)
			if err == nil {
				_, err = s.Decode("topic", data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	if n != 0 {
		t.Errorf("serdes: %v allocations", n)
	}
	spans := make([]window.Span, 0, 16)
	var windows window.Windows = window.Hopping(time.Second, 100*time.Millisecond)
	n = testing.AllocsPerRun(100, func() {
		spans, _ = windows.AppendWindows(spans[:0], 123456)
	})
	if n != 0 || len(spans) != 10 {
		t.Errorf("windows: %v allocations, %d windows", n, len(spans))
	}
}
