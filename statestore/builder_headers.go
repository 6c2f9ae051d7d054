package statestore

import "github.com/millrace/millrace/serde"

// HeadersBuilder makes key-value stores whose values carry timestamp and
// headers (Java: Stores.timestampedKeyValueStoreBuilderWithHeaders).
type HeadersBuilder[K, V any] struct {
	built
	key   serde.Serde[K]
	value serde.Serde[V]
}

// NewHeaders returns a builder of header-aware key-value stores.
func NewHeaders[K, V any](name string, key serde.Serde[K], value serde.Serde[V], opts ...Option) *HeadersBuilder[K, V] {
	return &HeadersBuilder[K, V]{built{name, KindHeadersKeyValue, newSettings(opts)}, key, value}
}

// Build returns a new store; it is a [HeadersKeyValue] of the builder's types.
func (b *HeadersBuilder[K, V]) Build() Store { return b.New() }

// New is Build with the store's own type.
func (b *HeadersBuilder[K, V]) New() HeadersKeyValue[K, V] {
	values := &headersValues[V]{newCoder(b.value)}
	return &keyValue[K, TimedHeaders[V]]{name: b.name, kind: b.kind, settings: b.settings,
		key: newCoder(b.key), value: values, byValue: values}
}

// WithoutLog returns the same builder with the changelog switched off.
func (b *HeadersBuilder[K, V]) WithoutLog() Builder {
	c := *b
	c.settings.logged = false
	return &c
}

// In returns the processor's own store.
func (b *HeadersBuilder[K, V]) In(f Finder) (HeadersKeyValue[K, V], error) {
	return find[HeadersKeyValue[K, V]](f, b.name)
}
