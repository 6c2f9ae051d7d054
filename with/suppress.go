package with

import "github.com/millrace/millrace/internal/dsl"

// Suppress options fit Suppress (Java: Suppressed.withName and the logging of
// its buffer).
type Suppress interface{ ForSuppress(*dsl.Options) }

// ForSuppress implements [Suppress]: node and store begin with the name.
func (o NameOption) ForSuppress(to *dsl.Options) { o.set(to) }

// ChangelogOption is an option about the changelog topic of a store.
type ChangelogOption struct{ StoreOption }

// ForSuppress implements [Suppress].
func (o ChangelogOption) ForSuppress(to *dsl.Options) { o.set(to) }
