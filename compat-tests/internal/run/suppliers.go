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

// supplier makes a store supplier for an operator of the DSL.
func supplier(s *scenario.Supplier) (with.Supplier, error) {
	switch s.Kind {
	case "persistentKeyValue", "persistentTimestampedKeyValue", "persistentTimestampedKeyValueWithHeaders":
		return statestore.SupplyKeyValue(s.Name, backend(s), supplied[s.Kind]), nil
	case "inMemoryKeyValue":
		return statestore.SupplyKeyValue(s.Name, backend(s), statestore.KindKeyValue), nil
	case "lruMap":
		if s.MaxEntries < 0 {
			return nil, &value.Exception{Class: value.ClassIllegalArgument, Message: "maxCacheSize cannot be negative"}
		}
		return statestore.SupplyKeyValue(s.Name, backend(s), statestore.KindKeyValue), nil
	case "persistentVersioned":
		if s.SegmentIntervalMs != nil && *s.SegmentIntervalMs < 1 {
			return nil, &value.Exception{Class: value.ClassIllegalArgument, Message: "segmentInterval cannot be zero or negative"}
		}
		c := versions(s)
		return statestore.SupplyVersioned(s.Name, backend(s), c), checked(c.Check(s.Name))
	}
	if w := windowSupplier(s); w != nil {
		return w, nil
	}
	return nil, &value.Fault{Message: "unknown store supplier " + s.Kind}
}

// versions describes a versioned store.
func versions(s *scenario.Supplier) statestore.VersionedConfig {
	c := statestore.VersionedConfig{HistoryMs: s.HistoryRetentionMs}
	if s.SegmentIntervalMs != nil {
		c.SegmentIntervalMs = *s.SegmentIntervalMs
	}
	return c
}

// backend is what a supplier keeps its rows in.
func backend(s *scenario.Supplier) statestore.Backend {
	switch s.Kind {
	case "inMemoryKeyValue", "inMemoryWindow", "inMemorySession":
		return memstore.Backend
	case "lruMap":
		return memstore.LRU(int(s.MaxEntries))
	}
	return pebblestore.Backend
}

// supplied are the kinds of rows that suppliers on disk make.
var supplied = map[string]statestore.Kind{
	"persistentKeyValue":                       statestore.KindKeyValue,
	"persistentTimestampedKeyValue":            statestore.KindTimestampedKeyValue,
	"persistentTimestampedKeyValueWithHeaders": statestore.KindHeadersKeyValue,
	"persistentWindow":                         statestore.KindWindow,
	"persistentTimestampedWindow":              statestore.KindTimestampedWindow,
	"persistentTimestampedWindowWithHeaders":   statestore.KindHeadersWindow,
	"persistentSession":                        statestore.KindSession,
	"persistentSessionWithHeaders":             statestore.KindHeadersSession,
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
	if kind, ok := supplied[s.Supplier.Kind]; ok && string(kind) != s.Builder {
		opts = append(opts, statestore.Supplied(kind))
	}
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
	return newBuilder(s.Builder, s.Supplier, key.Serde, val.Serde, opts)
}

func newBuilder(kind string, s *scenario.Supplier, key, val serde.Serde[any], opts []statestore.Option) (statestore.Builder, error) {
	windows := statestore.WindowConfig{RetentionMs: s.RetentionMs, SizeMs: s.WindowSizeMs, RetainDuplicates: s.RetainDuplicates}
	sessions := statestore.SessionConfig{RetentionMs: s.RetentionMs}
	switch kind {
	case "keyValue":
		return statestore.NewKeyValue(s.Name, key, val, opts...), nil
	case "timestampedKeyValue":
		return statestore.NewTimestamped(s.Name, key, val, opts...), nil
	case "timestampedKeyValueWithHeaders":
		return statestore.NewHeaders(s.Name, key, val, opts...), nil
	case "versioned":
		return statestore.NewVersioned(s.Name, key, val, versions(s), opts...), checked(versions(s).Check(s.Name))
	case "window":
		return statestore.NewWindow(s.Name, key, val, windows, opts...), checked(windows.Check(s.Name))
	case "timestampedWindow":
		return statestore.NewTimestampedWindow(s.Name, key, val, windows, opts...), checked(windows.Check(s.Name))
	case "timestampedWindowWithHeaders":
		return statestore.NewHeadersWindow(s.Name, key, val, windows, opts...), checked(windows.Check(s.Name))
	case "session":
		return statestore.NewSession(s.Name, key, val, sessions, opts...), checked(sessions.Check(s.Name))
	case "sessionWithHeaders":
		return statestore.NewHeadersSession(s.Name, key, val, sessions, opts...), checked(sessions.Check(s.Name))
	}
	return nil, &value.Fault{Message: "unknown store builder " + kind}
}

// checked gives what is wrong with a description of a store the class that
// Java throws.
func checked(err error) error {
	if err == nil {
		return nil
	}
	return &value.Exception{Class: value.ClassIllegalArgument, Message: err.Error()}
}
