package memstore_test

import (
	"testing"

	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/storetest"
)

func TestRules(t *testing.T) { storetest.KeyValue(t, memstore.Backend) }

func TestRulesLRU(t *testing.T) { storetest.KeyValue(t, memstore.LRU(1000)) }

func TestOverwriteAndGetAllocateNothing(t *testing.T) {
	s, err := memstore.Backend.OpenKeyValue(storetest.NewHost(t), "s", statestore.KindKeyValue)
	if err != nil {
		t.Fatal(err)
	}
	key, dst := []byte("key"), make([]byte, 0, 16)
	values := [][]byte{[]byte("12345678"), []byte("87654321")}
	n := 0
	step := func() {
		n++
		if err := s.Put(key, values[n%2]); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := s.Get(dst, key); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	step()
	if a := testing.AllocsPerRun(100, step); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
