package processor

import (
	"hash/fnv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFNV1aPartitionVectors holds partitions of known keys. Only carol's hash is
// below 1<<31: with the others the sign counts.
func TestFNV1aPartitionVectors(t *testing.T) {
	for _, c := range []struct {
		key        string
		hash       uint32
		partitions map[int32]int32
	}{
		{"alice", 0x872213e7, map[int32]int32{1: 0, 3: 2, 10: 7, 12: 5}},
		{"bob", 0x86c6a0d4, map[int32]int32{1: 0, 3: 2, 10: 2, 12: 8}},
		{"carol", 0x67088f12, map[int32]int32{1: 0, 3: 2, 10: 2, 12: 2}},
		{"user-1", 0xf5537974, map[int32]int32{1: 0, 3: 0, 10: 6, 12: 0}},
		{"", 0x811c9dc5, map[int32]int32{1: 0, 3: 0, 10: 5, 12: 3}},
	} {
		h := fnv.New32a()
		h.Write([]byte(c.key))
		if h.Sum32() != c.hash {
			t.Fatalf("hash of %q is %08x", c.key, h.Sum32())
		}
		got := make(map[int32]int32)
		for n := range c.partitions {
			got[n] = FNV1aPartition(c.key, n)
			if b := FNV1aPartition([]byte(c.key), n); b != got[n] {
				t.Errorf("%q as bytes is in %d, as string in %d of %d", c.key, b, got[n], n)
			}
		}
		if diff := cmp.Diff(c.partitions, got); diff != "" {
			t.Errorf("partitions of %q (-want +got):\n%s", c.key, diff)
		}
	}
}

// TestFNV1aPartitionRule compares with the rule written out over the standard
// library's hash.
func TestFNV1aPartitionRule(t *testing.T) {
	for i := range 5000 {
		key := []byte{byte(i), byte(i >> 8), 0xff, byte(i * 7)}[:i%5]
		n := int32(i%97 + 1)
		h := fnv.New32a()
		h.Write(key)
		want := int32(h.Sum32()) % n
		if want < 0 {
			want = -want
		}
		if got := FNV1aPartition(key, n); got != want {
			t.Fatalf("key %x of %d partitions: %d, want %d", key, n, got, want)
		}
	}
}

func TestFNV1aPartitioner(t *testing.T) {
	p := FNV1a[string, int]()
	if to, usual := p("t", Record[string, int]{Key: "alice"}, 10); usual || !cmp.Equal(to, []int32{7}) {
		t.Errorf("alice goes to %v, %v", to, usual)
	}
	if to, usual := p("t", Record[string, int]{KeyNull: true}, 10); !usual || to != nil {
		t.Errorf("a null key goes to %v, %v", to, usual)
	}
	if to, _ := p("t", Record[string, int]{Key: "alice"}, 1_000_000); len(to) != 1 || to[0] != FNV1aPartition("alice", 1_000_000) || int(to[0]) < len(only) {
		t.Errorf("of a million partitions alice goes to %v", to)
	}
	rec := Record[string, int]{Key: "carol"}
	if n := testing.AllocsPerRun(100, func() { p("t", rec, 10) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
