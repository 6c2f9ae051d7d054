package murmur_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/millrace/millrace/internal/murmur"
)

// vector is what the JVM computed. For partitions of windowed keys only the
// inner key counts.
type vector struct {
	Name   string
	Inputs struct {
		KeyHex        string `json:"key_hex"`
		HashSigned    int32  `json:"hash_signed"`
		Partitions    []struct{ N, Partition int32 }
		DataHex       string `json:"data_hex"`
		Seed          uint32
		Key           string
		NumPartitions int32
	}
	Hex string
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
	if len(vectors) != 42 {
		t.Fatalf("%d vectors, want 42", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			if got := compute(t, v); got != v.Hex {
				t.Errorf("got %s, want %s", got, v.Hex)
			}
		})
	}
}

func compute(t *testing.T, v vector) string {
	switch family, _, _ := strings.Cut(v.Name, "/"); family {
	case "murmur2":
		key := unhex(t, v.Inputs.KeyHex)
		for _, p := range v.Inputs.Partitions {
			if got := murmur.Partition(key, p.N); got != p.Partition {
				t.Errorf("partition %d of %d, want %d", got, p.N, p.Partition)
			}
		}
		if got := int32(murmur.Murmur2(key)); got != v.Inputs.HashSigned {
			t.Errorf("signed hash %d, want %d", got, v.Inputs.HashSigned)
		}
		return fmt.Sprintf("%08x", murmur.Murmur2(key))
	case "murmur3_128":
		h1, h2 := murmur.Murmur3x64_128(unhex(t, v.Inputs.DataHex), v.Inputs.Seed)
		if v.Inputs.Seed != murmur.Seed3 {
			t.Errorf("seed %d, want %d", v.Inputs.Seed, murmur.Seed3)
		}
		return fmt.Sprintf("%016x%016x", h1, h2)
	case "partition":
		return fmt.Sprintf("%08x", murmur.Partition([]byte(v.Inputs.Key), v.Inputs.NumPartitions))
	default:
		t.Fatal("nothing checks this vector")
		return ""
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNoAllocations(t *testing.T) {
	key := []byte("a key of some twenty bytes")
	var sum uint64
	n := testing.AllocsPerRun(100, func() {
		h1, h2 := murmur.Murmur3x64_128(key, murmur.Seed3)
		sum += h1 + h2 + uint64(murmur.Partition(key, 10))
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
