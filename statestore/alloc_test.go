package statestore_test

import (
	"fmt"
	"testing"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/statestore/storetest"
)

// quietHost logs nowhere, so that only the store's own allocations count.
type quietHost struct{ *storetest.Host }

func (quietHost) Log(string) statestore.Log { return quietLog{} }

type quietLog struct{}

func (quietLog) Log(_, _ []byte, _ int64, _ *record.Headers) error { return nil }

func counter(t testing.TB, b statestore.Backend, cache int64) statestore.TimestampedKeyValue[string, int64] {
	h := storetest.NewHost(t)
	if cache > 0 {
		h.RecordCache = statestore.NewCache(cache)
	}
	s := statestore.NewTimestamped("s", serde.String(), serde.Int64(), statestore.On(b), statestore.Cached()).New()
	if err := s.Open(quietHost{h}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func count(t testing.TB, s statestore.TimestampedKeyValue[string, int64], key string) {
	v, _, err := s.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	v.Value++
	v.Timestamp++
	if err := s.Put(key, v); err != nil {
		t.Fatal(err)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	for name, b := range map[string]statestore.Backend{"memory": memstore.Backend, "pebble": pebblestore.Backend} {
		for _, cache := range []int64{0, 1 << 20} {
			t.Run(fmt.Sprint(name, " cache ", cache), func(t *testing.T) {
				s := counter(t, b, cache)
				count(t, s, "key")
				if a := testing.AllocsPerRun(500, func() { count(t, s, "key") }); a != 0 {
					t.Errorf("%v allocations", a)
				}
			})
		}
	}
}

// BenchmarkCount reads and updates counters of uniformly distributed keys.
func BenchmarkCount(b *testing.B) {
	for _, kind := range []struct {
		name    string
		backend statestore.Backend
		cache   int64
	}{
		{"memory", memstore.Backend, 0}, {"memory cached 10MB", memstore.Backend, 10 << 20},
		{"pebble", pebblestore.Backend, 0}, {"pebble cached 10MB", pebblestore.Backend, 10 << 20},
	} {
		for _, keys := range []int{1e5, 1e6} {
			b.Run(fmt.Sprintf("%s/%d keys", kind.name, keys), func(b *testing.B) {
				s := counter(b, kind.backend, kind.cache)
				names := make([]string, keys)
				for i := range names {
					names[i] = fmt.Sprintf("key-%08d", i*7919%keys)
				}
				n := uint64(1)
				b.ReportAllocs()
				for b.Loop() {
					n = n*6364136223846793005 + 1442695040888963407
					count(b, s, names[(n>>33)%uint64(keys)])
				}
			})
		}
	}
}
