package storetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/millrace/millrace/statestore"
)

// Segments runs the rules of [statestore.SegmentBytes] on a backend: ranges are
// dropped whole, and a key that was said to be fresh is found all the same once
// it was put.
func Segments(t *testing.T, b statestore.Backend) {
	for seed := range uint64(8) {
		k := &kit{T: t, b: b, h: NewHost(t), rule: "DeleteRange drops exactly the rows of the range"}
		k.h.Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: 8 << 10})
		k.open()
		s, ok := k.s.(statestore.SegmentBytes)
		if !ok {
			t.Fatalf("%T is no SegmentBytes", k.s)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		model, oldest, newest := map[string]string{}, 0, 0
		for range 3000 {
			segment := oldest + rng.IntN(4)
			if segment > newest {
				newest = segment
				s.FreshFrom(fmt.Appendf(nil, "%04d", newest))
			}
			key := fmt.Sprintf("%04d-%03d", segment, rng.IntN(100))
			switch rng.IntN(40) {
			case 0:
				oldest++
				if err := s.DeleteRange(nil, fmt.Appendf(nil, "%04d", oldest)); err != nil {
					t.Fatal(err)
				}
				for old := range model {
					if old < fmt.Sprintf("%04d", oldest) {
						delete(model, old)
					}
				}
			case 1:
				k.commit(1)
			case 2, 3, 4:
				k.delete(key)
				delete(model, key)
			default:
				v := fmt.Sprintf("%0*d", rng.IntN(60), rng.IntN(1000))
				k.put(key, v)
				model[key] = v
			}
			want, has := model[key]
			if !has {
				want = missing
			}
			k.want(key, want)
		}
		got := k.scan(statestore.KeyRange{})
		if len(got) != len(model) {
			k.broken("scan found %d rows, want %d", len(got), len(model))
		}
		if err := k.s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
