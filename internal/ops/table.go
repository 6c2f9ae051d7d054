package ops

import "github.com/millrace/millrace/internal/dsl"

// StoreView reads a materialised table from its store.
func StoreView[K, V any](store string) dsl.View[K, V] {
	return dsl.View[K, V]{Stores: []string{store}, New: func() dsl.ValueGetter[K, V] { return &storeGetter[K, V]{name: store} }}
}
