package statestore

import (
	"fmt"

	"github.com/millrace/millrace/serde"
)

// VersionedConfig describes a versioned store. Times are in milliseconds.
type VersionedConfig struct {
	// HistoryMs is the history retention: how long old versions are kept, and how
	// much older than the latest one of all keys a record may be.
	HistoryMs int64
	// SegmentIntervalMs is the span of the pieces old versions lie in; 0 means
	// Java's default, which follows from the history retention.
	SegmentIntervalMs int64
}

// Check tells what is wrong with the description, as [WindowConfig.Check].
func (c VersionedConfig) Check(store string) error {
	if c.HistoryMs < 0 {
		return fmt.Errorf("store %s: history retention cannot be negative: %d ms", store, c.HistoryMs)
	}
	if c.SegmentIntervalMs < 0 {
		return fmt.Errorf("store %s: segment interval cannot be negative: %d ms", store, c.SegmentIntervalMs)
	}
	return nil
}

func (c VersionedConfig) interval() int64 {
	h := c.HistoryMs
	switch {
	case c.SegmentIntervalMs != 0:
		return c.SegmentIntervalMs
	case h <= 60_000:
		return max(h/3, 2_000)
	case h <= 300_000:
		return max(h/5, 20_000)
	case h <= 3_600_000:
		return max(h/12, 60_000)
	default:
		return max(h/24, 300_000)
	}
}

// VersionedBuilder makes versioned stores (Java:
// Stores.versionedKeyValueStoreBuilder). They are never cached.
type VersionedBuilder[K, V any] struct {
	built
	config VersionedConfig
	key    serde.Serde[K]
	value  serde.Serde[V]
}

// NewVersioned returns a builder of versioned stores.
func NewVersioned[K, V any](name string, key serde.Serde[K], value serde.Serde[V], c VersionedConfig, opts ...Option) *VersionedBuilder[K, V] {
	s := newSettings(opts)
	s.retention, s.cached = c.HistoryMs, false
	return &VersionedBuilder[K, V]{built{name, KindVersioned, s}, c, key, value}
}

// Config is the description of the stores.
func (b *VersionedBuilder[K, V]) Config() VersionedConfig { return b.config }

// Build returns a new store; it is a [Versioned] of the builder's types.
func (b *VersionedBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *VersionedBuilder[K, V]) New() Versioned[K, V] {
	return &versionedStore[K, V]{name: b.name, settings: b.settings, config: b.config,
		key: newCoder(b.key), value: newCoder(b.value)}
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *VersionedBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *VersionedBuilder[K, V]) In(f Finder) (Versioned[K, V], error) {
	return find[Versioned[K, V]](f, b.name)
}
