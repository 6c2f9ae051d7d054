package statestore

import (
	"maps"

	"github.com/millrace/millrace/serde"
)

// Option changes how the stores of a builder are made.
type Option func(*settings)

// settings are what every kind of builder can be told.
type settings struct {
	backend  Backend
	cached   bool
	logged   bool
	config   map[string]string
	supplied Kind
	// retention is that of window, session and versioned stores.
	retention int64
}

// On chooses the backend: memstore.Backend, pebblestore.Backend or your own.
// Without it the store is persistent, as in Java.
func On(b Backend) Option { return func(s *settings) { s.backend = b } }

// Cached lets updates wait in the record cache (Java: withCachingEnabled).
// Stores are not cached by default; the DSL switches it on for its own.
// Backward scans of a cached store may show rows, or rows without a value, whose
// delete is still in the cache, as in Java.
func Cached() Option { return func(s *settings) { s.cached = true } }

// Unlogged switches the changelog off: the content is lost with the disk.
func Unlogged() Option { return func(s *settings) { s.logged = false } }

// Changelog gives the settings of the changelog topic; they win over the
// built-in ones.
func Changelog(config map[string]string) Option {
	return func(s *settings) { s.config = maps.Clone(config) }
}

func newSettings(opts []Option) settings {
	s := settings{logged: true}
	for _, o := range opts {
		o(&s)
	}
	return s
}

func (s *settings) from() Backend {
	if s.backend != nil {
		return s.backend
	}
	return defaultBackend
}

// persistent is true without a backend: the default one is.
func (s *settings) persistent() bool {
	b := s.from()
	return b == nil || b.Persistent()
}

// built is what the builders of all kinds have in common.
type built struct {
	name     string
	kind     Kind
	settings settings
}

// Name is the store's name.
func (b *built) Name() string { return b.name }

// Kind says which interface the stores have.
func (b *built) Kind() Kind { return b.kind }

// Logged tells whether updates go to a changelog topic.
func (b *built) Logged() bool { return b.settings.logged }

// ChangelogConfig are the topic settings given for the changelog.
func (b *built) ChangelogConfig() map[string]string { return maps.Clone(b.settings.config) }

// Cached tells whether the record cache is wanted.
func (b *built) Cached() bool { return b.settings.cached }

// RetentionMs is the retention of window and session stores and the history
// retention of versioned ones, 0 for others.
func (b *built) RetentionMs() int64 { return b.settings.retention }

// Persistent tells whether the stores outlive the process.
func (b *built) Persistent() bool { return b.settings.persistent() }

// Finder is where a processor looks for its stores; its context is one.
type Finder interface {
	Store(name string) (Store, error)
}

// KeyValueBuilder makes key-value stores (Java: Stores.keyValueStoreBuilder).
type KeyValueBuilder[K, V any] struct {
	built
	key   serde.Serde[K]
	value serde.Serde[V]
}

// NewKeyValue returns a builder of plain key-value stores.
func NewKeyValue[K, V any](name string, key serde.Serde[K], value serde.Serde[V], opts ...Option) *KeyValueBuilder[K, V] {
	return &KeyValueBuilder[K, V]{built{name, KindKeyValue, newSettings(opts)}, key, value}
}

// Build returns a new store; it is a [KeyValue] of the builder's types.
func (b *KeyValueBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *KeyValueBuilder[K, V]) New() KeyValue[K, V] {
	return &keyValue[K, V]{name: b.name, kind: b.kind, settings: b.settings,
		key: newCoder(b.key), value: &plainValues[V]{newCoder(b.value)}}
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *KeyValueBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *KeyValueBuilder[K, V]) In(f Finder) (KeyValue[K, V], error) {
	return find[KeyValue[K, V]](f, b.name)
}

// TimestampedBuilder makes timestamped key-value stores (Java:
// Stores.timestampedKeyValueStoreBuilder).
type TimestampedBuilder[K, V any] struct {
	built
	key   serde.Serde[K]
	value serde.Serde[V]
}

// NewTimestamped returns a builder of timestamped key-value stores.
func NewTimestamped[K, V any](name string, key serde.Serde[K], value serde.Serde[V], opts ...Option) *TimestampedBuilder[K, V] {
	return &TimestampedBuilder[K, V]{built{name, KindTimestampedKeyValue, newSettings(opts)}, key, value}
}

// Build returns a new store; it is a [TimestampedKeyValue] of the builder's
// types.
func (b *TimestampedBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *TimestampedBuilder[K, V]) New() TimestampedKeyValue[K, V] {
	return &keyValue[K, Timed[V]]{name: b.name, kind: b.kind, settings: b.settings,
		key: newCoder(b.key), value: &timedValues[V]{newCoder(b.value)}}
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *TimestampedBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *TimestampedBuilder[K, V]) In(f Finder) (TimestampedKeyValue[K, V], error) {
	return find[TimestampedKeyValue[K, V]](f, b.name)
}
