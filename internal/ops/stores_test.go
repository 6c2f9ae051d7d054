package ops

import (
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
)

// newTestStore makes an in-memory table store.
func newTestStore[K, V any](name string, key serde.Serde[K], value serde.Serde[V], cached bool) statestore.Store {
	opts := []statestore.Option{statestore.On(memstore.Backend)}
	if cached {
		opts = append(opts, statestore.Cached())
	}
	return statestore.NewTimestamped(name, key, value, opts...).Build()
}
