package statestore

import (
	"fmt"

	"github.com/millrace/millrace/serde"
)

// SessionConfig describes a session store. All times are in milliseconds.
type SessionConfig struct {
	// RetentionMs is how long after its end a session is kept.
	RetentionMs int64
	// SegmentIntervalMs is as in [WindowConfig].
	SegmentIntervalMs int64
	// Order is KeyFirst, or TimeFirstIndexed for sessions that are emitted when
	// they close. TimeFirst is taken for the latter.
	Order TimeOrder
}

// Check tells what is wrong with the description, as [WindowConfig.Check].
func (c SessionConfig) Check(store string) error {
	if c.RetentionMs < 0 {
		return fmt.Errorf("store %s: retention cannot be negative: %d ms", store, c.RetentionMs)
	}
	if c.SegmentIntervalMs < 0 {
		return fmt.Errorf("store %s: segment interval cannot be negative: %d ms", store, c.SegmentIntervalMs)
	}
	return nil
}

func (c SessionConfig) rows() rowConfig {
	r := WindowConfig{RetentionMs: c.RetentionMs, SegmentIntervalMs: c.SegmentIntervalMs, Order: c.Order}.rows()
	r.schema = sessionSchema
	if r.order == TimeFirst {
		r.order = TimeFirstIndexed
	}
	return r
}

func sessionBuilt(name string, k Kind, c SessionConfig, opts []Option) built {
	s := newSettings(opts)
	s.retention = c.RetentionMs
	return built{name, k, s}
}

// SessionBuilder makes session stores (Java: Stores.sessionStoreBuilder).
type SessionBuilder[K, V any] struct {
	built
	config SessionConfig
	key    serde.Serde[K]
	value  serde.Serde[V]
}

// NewSession returns a builder of session stores.
func NewSession[K, V any](name string, key serde.Serde[K], value serde.Serde[V], c SessionConfig, opts ...Option) *SessionBuilder[K, V] {
	return &SessionBuilder[K, V]{sessionBuilt(name, KindSession, c, opts), c, key, value}
}

// Config is the description of the stores.
func (b *SessionBuilder[K, V]) Config() SessionConfig { return b.config }

// Build returns a new store; it is a [Session] of the builder's types.
func (b *SessionBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *SessionBuilder[K, V]) New() Session[K, V] {
	return newSessionStore(&b.built, b.config, b.key, valueCoder[V](&plainValues[V]{newCoder(b.value)}))
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *SessionBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *SessionBuilder[K, V]) In(f Finder) (Session[K, V], error) {
	return find[Session[K, V]](f, b.name)
}

// HeadersSessionBuilder makes session stores whose aggregates carry headers
// (Java: Stores.sessionStoreBuilderWithHeaders).
type HeadersSessionBuilder[K, V any] struct {
	built
	config SessionConfig
	key    serde.Serde[K]
	value  serde.Serde[V]
}

// NewHeadersSession returns a builder of header-aware session stores.
func NewHeadersSession[K, V any](name string, key serde.Serde[K], value serde.Serde[V], c SessionConfig, opts ...Option) *HeadersSessionBuilder[K, V] {
	return &HeadersSessionBuilder[K, V]{sessionBuilt(name, KindHeadersSession, c, opts), c, key, value}
}

// Config is the description of the stores.
func (b *HeadersSessionBuilder[K, V]) Config() SessionConfig { return b.config }

// Build returns a new store; it is a [HeadersSession] of the builder's types.
func (b *HeadersSessionBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *HeadersSessionBuilder[K, V]) New() HeadersSession[K, V] {
	return newSessionStore(&b.built, b.config, b.key, valueCoder[WithHeaders[V]](&headersAggregates[V]{newCoder(b.value)}))
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *HeadersSessionBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *HeadersSessionBuilder[K, V]) In(f Finder) (HeadersSession[K, V], error) {
	return find[HeadersSession[K, V]](f, b.name)
}
