package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// SuppressBuffer describes the store of a suppression. Nil serdes are looked up
// for its node.
type SuppressBuffer[K, V any] struct {
	Key             serde.Serde[K]
	Value           serde.Serde[V]
	Logged          bool
	ChangelogConfig map[string]string
}

func (b *SuppressBuffer[K, V]) builder(n *dsl.Node, name string) (statestore.Builder, error) {
	key, err := dsl.Resolve(n, dsl.KeySide, b.Key)
	if err != nil {
		return nil, err
	}
	value, err := dsl.Resolve(n, dsl.ValueSide, b.Value)
	if err != nil {
		return nil, err
	}
	made := &suppressBuilder[K, V]{name: name, key: key, value: value, logged: b.Logged, config: b.ChangelogConfig}
	return dsl.ReadyStore(made, key, value), nil
}

// suppressBuilder makes the stores of a suppression.
type suppressBuilder[K, V any] struct {
	name   string
	key    serde.Serde[K]
	value  serde.Serde[V]
	logged bool
	config map[string]string
}

// Name implements statestore.Builder.
func (b *suppressBuilder[K, V]) Name() string { return b.name }

// Kind implements statestore.Builder.
func (b *suppressBuilder[K, V]) Kind() statestore.Kind { return KindSuppression }

// Build implements statestore.Builder.
func (b *suppressBuilder[K, V]) Build() statestore.Store { return &suppressBuffer[K, V]{builder: b} }

// Logged implements statestore.Builder.
func (b *suppressBuilder[K, V]) Logged() bool { return b.logged }

// ChangelogConfig implements statestore.Builder.
func (b *suppressBuilder[K, V]) ChangelogConfig() map[string]string { return b.config }

// Cached implements statestore.Builder.
func (b *suppressBuilder[K, V]) Cached() bool { return false }

// Persistent implements statestore.Builder.
func (b *suppressBuilder[K, V]) Persistent() bool { return false }

// RetentionMs implements statestore.Builder.
func (b *suppressBuilder[K, V]) RetentionMs() int64 { return 0 }

// WithoutLog implements statestore.Builder.
func (b *suppressBuilder[K, V]) WithoutLog() statestore.Builder {
	c := *b
	c.logged = false
	return &c
}
