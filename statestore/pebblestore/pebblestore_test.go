package pebblestore

import (
	"testing"

	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/storetest"
)

func TestRules(t *testing.T) { storetest.KeyValue(t, Backend) }

// smallBudget gives every store so small a write buffer that it overflows all
// the time.
type smallBudget struct{ statestore.Backend }

func (b smallBudget) OpenKeyValue(h statestore.Host, name string, kind statestore.Kind) (statestore.KeyValueBytes, error) {
	h.(*storetest.Host).Budget = statestore.NewMemory(statestore.MemoryConfig{WriteBuffer: 6 << 10})
	return b.Backend.OpenKeyValue(h, name, kind)
}

func TestRulesWithOverflow(t *testing.T) {
	storetest.KeyValue(t, smallBudget{New(Options{CommitAfter: 1, BatchBytes: 256})})
}
