package ops

import (
	"time"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// GraceBuffer makes the builder of the buffer of a join with grace, for the node
// of the join. topic is what the serdes are told. As in Java the buffer is on
// disk, whatever the configuration says of the DSL's stores.
func GraceBuffer[K, V any](n *dsl.Node, store, topic string, grace time.Duration, key serde.Serde[K], value serde.Serde[V]) (statestore.Builder, error) {
	key, err := dsl.Resolve(n, dsl.KeySide, key)
	if err != nil {
		return nil, err
	}
	value, err = dsl.Resolve(n, dsl.ValueSide, value)
	if err != nil {
		return nil, err
	}
	rows := statestore.NewKeyValue(store, serde.Bytes(), serde.Bytes())
	b := &graceBufferBuilder[K, V]{Builder: rows, topic: topic, graceMs: grace.Milliseconds(), key: key, value: value}
	return dsl.ReadyStore(b, key, value), nil
}

// graceBufferBuilder describes the store as its rows' does, which is logged;
// the rows themselves are built without a log, since the changelog's values
// differ from them.
type graceBufferBuilder[K, V any] struct {
	statestore.Builder
	topic   string
	graceMs int64
	key     serde.Serde[K]
	value   serde.Serde[V]
}

// Build implements statestore.Builder.
func (b *graceBufferBuilder[K, V]) Build() statestore.Store {
	rows, ok := b.Builder.WithoutLog().Build().(statestore.KeyValue[[]byte, []byte])
	if !ok {
		panic("the rows of a grace buffer are no key-value store")
	}
	return &graceBuffer[K, V]{KeyValue: rows, topic: b.topic, graceMs: b.graceMs, key: b.key, value: b.value, observed: -1}
}

// WithoutLog implements statestore.Builder.
func (b *graceBufferBuilder[K, V]) WithoutLog() statestore.Builder {
	c := *b
	c.Builder = b.Builder.WithoutLog()
	return &c
}
