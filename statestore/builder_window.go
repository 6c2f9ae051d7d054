package statestore

import (
	"fmt"

	"github.com/millrace/millrace/serde"
)

// TimeOrder chooses how the rows of a window or session store lie on disk.
// In memory they lie by time anyway.
type TimeOrder int

const (
	// KeyFirst is for reading by key: the usual layout.
	KeyFirst TimeOrder = iota
	// TimeFirst is for emitting windows when they close (Java:
	// RocksDBTimeOrderedWindowStore). Reading by key has to pass all keys of the
	// times in question.
	TimeFirst
	// TimeFirstIndexed is TimeFirst with an index by key: for sliding windows and
	// sessions that are emitted on close.
	TimeFirstIndexed
)

// WindowConfig describes a window store. All times are in milliseconds.
type WindowConfig struct {
	// RetentionMs is how long after its start a window is kept, at least SizeMs.
	RetentionMs int64
	// SizeMs is the length of a window; it is not stored and gives the End of the
	// keys that are read.
	SizeMs int64
	// SegmentIntervalMs is the span of the pieces in which expired rows are
	// dropped from disk; 0 means Java's default, half the retention and at least
	// a minute.
	SegmentIntervalMs int64
	// RetainDuplicates keeps every value of a key and start, as stream joins
	// need. It switches caching off.
	RetainDuplicates bool
	Order            TimeOrder
}

const minSegmentInterval = 60_000

// Check tells what is wrong with the description (Java throws an
// IllegalArgumentException where the supplier is made). Builders do not call
// it; a store with a wrong one does not open.
func (c WindowConfig) Check(store string) error {
	switch {
	case c.RetentionMs < 0:
		return fmt.Errorf("store %s: retention cannot be negative: %d ms", store, c.RetentionMs)
	case c.SizeMs < 0:
		return fmt.Errorf("store %s: window size cannot be negative: %d ms", store, c.SizeMs)
	case c.SegmentIntervalMs < 0:
		return fmt.Errorf("store %s: segment interval cannot be negative: %d ms", store, c.SegmentIntervalMs)
	case c.SizeMs > c.RetentionMs:
		return fmt.Errorf("store %s: the retention of %d ms is smaller than the window size of %d ms", store, c.RetentionMs, c.SizeMs)
	}
	return nil
}

// Supplied says that the bytes below the typed store are of a simpler kind than
// the store itself, as when a JVM program gives a plain window store supplier
// to a builder of timestamped stores: timestamps and headers go to the
// changelog, but what is read has timestamp -1 and no headers. It matters only
// for persistent stores, as in Java.
func Supplied(k Kind) Option { return func(s *settings) { s.supplied = k } }

func (c WindowConfig) rows() rowConfig {
	interval := c.SegmentIntervalMs
	if interval == 0 {
		interval = max(c.RetentionMs/2, minSegmentInterval)
	}
	return rowConfig{schema: windowSchema, retention: c.RetentionMs, size: c.SizeMs, interval: interval,
		duplicates: c.RetainDuplicates, order: c.Order}
}

func windowBuilt(name string, k Kind, c WindowConfig, opts []Option) built {
	s := newSettings(opts)
	s.retention = c.RetentionMs
	if c.RetainDuplicates {
		s.cached = false
		if k == KindWindow && s.config == nil {
			s.config = map[string]string{"cleanup.policy": "delete"}
		}
	}
	return built{name, k, s}
}

// WindowBuilder makes window stores (Java: Stores.windowStoreBuilder).
type WindowBuilder[K, V any] struct {
	built
	config WindowConfig
	key    serde.Serde[K]
	value  serde.Serde[V]
}

// NewWindow returns a builder of plain window stores.
func NewWindow[K, V any](name string, key serde.Serde[K], value serde.Serde[V], c WindowConfig, opts ...Option) *WindowBuilder[K, V] {
	return &WindowBuilder[K, V]{windowBuilt(name, KindWindow, c, opts), c, key, value}
}

// Config is the description of the stores.
func (b *WindowBuilder[K, V]) Config() WindowConfig { return b.config }

// Build returns a new store; it is a [Window] of the builder's types.
func (b *WindowBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *WindowBuilder[K, V]) New() Window[K, V] {
	return newWindowStore(&b.built, b.config, b.key, valueCoder[V](&plainValues[V]{newCoder(b.value)}))
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *WindowBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *WindowBuilder[K, V]) In(f Finder) (Window[K, V], error) {
	return find[Window[K, V]](f, b.name)
}

// TimestampedWindowBuilder makes timestamped window stores (Java:
// Stores.timestampedWindowStoreBuilder).
type TimestampedWindowBuilder[K, V any] struct {
	built
	config WindowConfig
	key    serde.Serde[K]
	value  serde.Serde[V]
}

// NewTimestampedWindow returns a builder of timestamped window stores.
func NewTimestampedWindow[K, V any](name string, key serde.Serde[K], value serde.Serde[V], c WindowConfig, opts ...Option) *TimestampedWindowBuilder[K, V] {
	return &TimestampedWindowBuilder[K, V]{windowBuilt(name, KindTimestampedWindow, c, opts), c, key, value}
}

// Config is the description of the stores.
func (b *TimestampedWindowBuilder[K, V]) Config() WindowConfig { return b.config }

// Build returns a new store; it is a [TimestampedWindow] of the builder's types.
func (b *TimestampedWindowBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *TimestampedWindowBuilder[K, V]) New() TimestampedWindow[K, V] {
	return newWindowStore(&b.built, b.config, b.key, valueCoder[Timed[V]](&timedValues[V]{newCoder(b.value)}))
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *TimestampedWindowBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *TimestampedWindowBuilder[K, V]) In(f Finder) (TimestampedWindow[K, V], error) {
	return find[TimestampedWindow[K, V]](f, b.name)
}

// HeadersWindowBuilder makes window stores whose values carry timestamp and
// headers (Java: Stores.timestampedWindowStoreWithHeadersBuilder). The stores
// of stream-stream joins are made by it.
type HeadersWindowBuilder[K, V any] struct {
	built
	config WindowConfig
	key    serde.Serde[K]
	value  serde.Serde[V]
}

// NewHeadersWindow returns a builder of header-aware window stores. If they are
// time-ordered they have an index in any case, as in Java.
func NewHeadersWindow[K, V any](name string, key serde.Serde[K], value serde.Serde[V], c WindowConfig, opts ...Option) *HeadersWindowBuilder[K, V] {
	if c.Order == TimeFirst {
		c.Order = TimeFirstIndexed
	}
	return &HeadersWindowBuilder[K, V]{windowBuilt(name, KindHeadersWindow, c, opts), c, key, value}
}

// Config is the description of the stores.
func (b *HeadersWindowBuilder[K, V]) Config() WindowConfig { return b.config }

// Build returns a new store; it is a [HeadersWindow] of the builder's types.
func (b *HeadersWindowBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *HeadersWindowBuilder[K, V]) New() HeadersWindow[K, V] {
	return newWindowStore(&b.built, b.config, b.key, valueCoder[TimedHeaders[V]](&headersValues[V]{newCoder(b.value)}))
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *HeadersWindowBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *HeadersWindowBuilder[K, V]) In(f Finder) (HeadersWindow[K, V], error) {
	return find[HeadersWindow[K, V]](f, b.name)
}
