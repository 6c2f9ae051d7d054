package run

import (
	"time"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/with"
)

// storeOption is an option about the store of an operator; it fits every
// operator that has one.
type storeOption interface {
	with.TableSource
	with.Aggregation
	with.Table
	with.ForeignJoin
}

// optionsFor gives options their operator's type.
func optionsFor[O any](l []storeOption) []O {
	out := make([]O, len(l))
	for i, o := range l {
		out[i] = o.(O)
	}
	return out
}

// storeOptions are the options of a Materialized; nil when the step has none.
func storeOptions(m *scenario.Materialized) ([]storeOption, error) {
	if m == nil {
		return nil, nil
	}
	opts, err := storeSettings(m)
	if m.Key != "" {
		opts = append(opts, with.KeySerde(serdeOrNil(m.Key)))
	}
	if m.Value != "" {
		opts = append(opts, with.ValueSerde(serdeOrNil(m.Value)))
	}
	return opts, err
}

// storeSettings are the options of a Materialized without its serdes. There is
// at least one, for a Materialized that says nothing still chooses Java's
// overload that has one.
func storeSettings(m *scenario.Materialized) ([]storeOption, error) {
	opts := []storeOption{with.Cached()}
	if m.Caching != nil && !*m.Caching {
		opts[0] = with.NoCache()
	}
	if m.Supplier != nil {
		s, err := supplier(m.Supplier)
		if err != nil {
			return nil, err
		}
		opts = append(opts, with.StoreSupplier(s))
	} else if m.Name != nil {
		opts = append(opts, with.Store(*m.Name))
	}
	switch m.StoreType {
	case "inMemory":
		opts = append(opts, with.InMemory())
	case "rocksDB":
		opts = append(opts, with.Persistent())
	}
	if m.Logging != nil {
		if m.Logging.Enabled {
			opts = append(opts, with.ChangelogConfig(m.Logging.Config))
		} else {
			opts = append(opts, with.NoChangelog())
		}
	}
	if m.RetentionMs != nil {
		opts = append(opts, with.Retention(time.Duration(*m.RetentionMs)*time.Millisecond))
	}
	return opts, nil
}

// countSerde is a serde of the language for counts, whose type is fixed. One
// that is not the serde of longs is a ClassCastException at run time, as in
// Java.
type countSerde struct{ inner serde.Serde[any] }

func (s countSerde) Append(dst []byte, topic string, n int64) ([]byte, error) {
	return s.inner.Append(dst, topic, n)
}

func (s countSerde) Decode(topic string, data []byte) (int64, error) {
	v, err := s.inner.Decode(topic, data)
	if err != nil {
		return 0, err
	}
	n, ok := v.(int64)
	if !ok {
		return 0, &value.Exception{Class: value.ClassCast, Message: "not a long: " + value.Str(v)}
	}
	return n, nil
}

// countOptions are storeOptions for an operator that counts.
func countOptions(name *string, m *scenario.Materialized) ([]with.Aggregation, error) {
	var opts []with.Aggregation
	if m != nil {
		store, err := storeSettings(m)
		if err != nil {
			return nil, err
		}
		opts = optionsFor[with.Aggregation](store)
		if m.Key != "" {
			opts = append(opts, with.KeySerde(serdeOrNil(m.Key)))
		}
		if m.Value != "" {
			s, err := value.NewSerde(m.Value)
			if err != nil {
				return nil, err
			}
			opts = append(opts, with.ValueSerde(countSerde{s}))
		}
	}
	if name != nil {
		opts = append(opts, with.Name(*name))
	}
	return opts, nil
}

func aggregationOptions(name *string, m *scenario.Materialized) ([]with.Aggregation, error) {
	store, err := storeOptions(m)
	if err != nil {
		return nil, err
	}
	opts := optionsFor[with.Aggregation](store)
	if name != nil {
		opts = append(opts, with.Name(*name))
	}
	return opts, nil
}
