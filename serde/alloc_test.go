package serde_test

import (
	"testing"

	"github.com/millrace/millrace/serde"
)

// noAppendAllocs checks that appending to a buffer with room allocates nothing.
func noAppendAllocs[T any](t *testing.T, s serde.Serde[T], v T) []byte {
	t.Helper()
	buf := make([]byte, 0, 256)
	var out []byte
	n := testing.AllocsPerRun(100, func() { out, _ = s.Append(buf, "topic", v) })
	if n != 0 {
		t.Errorf("append %s: %v allocations", serde.NameOf(s), n)
	}
	return out
}

// noAllocs checks that reading allocates nothing either.
func noAllocs[T any](t *testing.T, s serde.Serde[T], v T) {
	t.Helper()
	data := noAppendAllocs(t, s, v)
	n := testing.AllocsPerRun(100, func() {
		if _, err := s.Decode("topic", data); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("decode %s: %v allocations", serde.NameOf(s), n)
	}
}

func TestAllocations(t *testing.T) {
	noAllocs(t, serde.Int16(), 7)
	noAllocs(t, serde.Int32(), 7)
	noAllocs(t, serde.Int64(), 7)
	noAllocs(t, serde.Int(), 7)
	noAllocs(t, serde.Float32(), 7)
	noAllocs(t, serde.Float64(), 7)
	noAllocs(t, serde.Bool(), true)
	noAllocs(t, serde.UUID(), [16]byte{1, 2, 3})
	noAppendAllocs(t, serde.String(), "text")
	noAppendAllocs(t, serde.Bytes(), []byte("bytes"))
	noAppendAllocs(t, serde.List(serde.Int64()), []int64{1, 2})
	noAppendAllocs(t, serde.List(serde.String()), []string{"a", "b"})
	noAppendAllocs(t, serde.List(serde.Nullable(serde.Int64())), []*int64{nil})
}
