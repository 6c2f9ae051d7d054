package run

import (
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/pebblestore"
	"github.com/millrace/millrace/with"
)

// supplier makes a store supplier.
func supplier(s *scenario.Supplier) (with.Supplier, error) {
	return nil, &value.Fault{Message: "store supplier " + s.Kind + " is not implemented"}
}

// backend is what a supplier keeps its rows in.
func backend(s *scenario.Supplier) statestore.Backend {
	switch s.Kind {
	case "inMemoryKeyValue":
		return memstore.Backend
	case "lruMap":
		return memstore.LRU(int(s.MaxEntries))
	}
	return pebblestore.Backend
}

// storeBuilder makes the builder of a store that processors use.
func storeBuilder(s *scenario.Store) (statestore.Builder, error) {
	key, err := value.NewSerde(s.Key)
	if err != nil {
		return nil, err
	}
	val, err := value.NewSerde(s.Value)
	if err != nil {
		return nil, err
	}
	opts := []statestore.Option{statestore.On(backend(s.Supplier))}
	if s.Caching != nil && *s.Caching {
		opts = append(opts, statestore.Cached())
	}
	if s.Logging != nil {
		if s.Logging.Enabled {
			opts = append(opts, statestore.Changelog(s.Logging.Config))
		} else {
			opts = append(opts, statestore.Unlogged())
		}
	}
	return newBuilder(s, key.Serde, val.Serde, opts)
}

func newBuilder(s *scenario.Store, key, val serde.Serde[any], opts []statestore.Option) (statestore.Builder, error) {
	switch s.Builder {
	case "keyValue":
		return statestore.NewKeyValue(s.Supplier.Name, key, val, opts...), nil
	case "timestampedKeyValue":
		return statestore.NewTimestamped(s.Supplier.Name, key, val, opts...), nil
	}
	return nil, &value.Fault{Message: "store builder " + s.Builder + " is not implemented"}
}
