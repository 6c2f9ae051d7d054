package with

import (
	"maps"
	"time"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
)

// StoreOption is an option about a store, also those of stream-stream joins.
type StoreOption struct{ set func(*dsl.Options) }

func (o StoreOption) materialize(to *dsl.Options) {
	o.set(to)
	to.Materialized = true
}

// ForTableSource implements [TableSource].
func (o StoreOption) ForTableSource(to *dsl.Options) { o.materialize(to) }

// ForAggregation implements [Aggregation].
func (o StoreOption) ForAggregation(to *dsl.Options) { o.materialize(to) }

// ForTable implements [Table].
func (o StoreOption) ForTable(to *dsl.Options) { o.materialize(to) }

// ForForeignJoin implements [ForeignJoin].
func (o StoreOption) ForForeignJoin(to *dsl.Options) { o.materialize(to) }

// ForJoin implements [Join].
func (o StoreOption) ForJoin(to *dsl.Options) { o.set(to) }

// Store names the operator's store, which makes it queryable (Java:
// Materialized.as). For joins of two streams the names of the stores begin with
// it (Java: StreamJoined.withStoreName). The rules of [Name] hold.
func Store(name string) StoreOption {
	return StoreOption{func(to *dsl.Options) {
		if err := processor.ValidateName(name); err != nil {
			to.Refuse(err)
		}
		to.Store = name
	}}
}

// NoChangelog keeps the store without a changelog topic: its content is lost
// with the machine (Java: withLoggingDisabled).
func NoChangelog() ChangelogOption {
	return ChangelogOption{StoreOption{func(to *dsl.Options) { to.Logging, to.ChangelogConfig = dsl.Off, nil }}}
}

// ChangelogConfig gives the changelog topic settings of its own, in Kafka's
// names (Java: withLoggingEnabled).
func ChangelogConfig(config map[string]string) ChangelogOption {
	config = maps.Clone(config)
	return ChangelogOption{StoreOption{func(to *dsl.Options) { to.Logging, to.ChangelogConfig = dsl.On, config }}}
}

// InMemory keeps the store in memory, whatever the configuration says (Java:
// withStoreType).
func InMemory() StoreOption {
	return StoreOption{func(to *dsl.Options) { to.Backend = dsl.BackendMemory }}
}

// Persistent keeps the store on disk, whatever the configuration says.
func Persistent() StoreOption {
	return StoreOption{func(to *dsl.Options) { to.Backend = dsl.BackendDisk }}
}

// Supplier makes the innermost layer of a store and names it (Java:
// StoreSupplier); package statestore and its backends have them.
type Supplier interface{ Name() string }

// StoreSupplier chooses store and name (Java: Materialized.as(supplier)). For
// joins of two streams it is the left side's.
func StoreSupplier(s Supplier) StoreOption {
	return StoreOption{func(to *dsl.Options) { to.Supplier = s }}
}

// OtherStoreSupplier chooses the store of the right side of a join of two
// streams (Java: withOtherStoreSupplier).
func OtherStoreSupplier(s Supplier) JoinOption {
	return JoinOption{func(to *dsl.Options) { to.OtherSupplier = s }}
}

// JoinOption is an option of joins of two streams only.
type JoinOption struct{ set func(*dsl.Options) }

// ForJoin implements [Join].
func (o JoinOption) ForJoin(to *dsl.Options) { o.set(to) }

// MaterializedOption is an option about the one store of an operator.
type MaterializedOption struct{ set func(*dsl.Options) }

func (o MaterializedOption) materialize(to *dsl.Options) {
	o.set(to)
	to.Materialized = true
}

// ForTableSource implements [TableSource].
func (o MaterializedOption) ForTableSource(to *dsl.Options) { o.materialize(to) }

// ForAggregation implements [Aggregation].
func (o MaterializedOption) ForAggregation(to *dsl.Options) { o.materialize(to) }

// ForTable implements [Table].
func (o MaterializedOption) ForTable(to *dsl.Options) { o.materialize(to) }

// ForForeignJoin implements [ForeignJoin].
func (o MaterializedOption) ForForeignJoin(to *dsl.Options) { o.materialize(to) }

// NoCache sends every update downstream at once instead of holding it in the
// record cache until the next commit (Java: withCachingDisabled).
func NoCache() MaterializedOption {
	return MaterializedOption{func(to *dsl.Options) { to.Caching = dsl.Off }}
}

// Cached undoes an earlier [NoCache]; caching is on by default.
func Cached() MaterializedOption {
	return MaterializedOption{func(to *dsl.Options) { to.Caching = dsl.On }}
}

// Retention is how long a window or session store keeps its windows; it must
// be at least the window's size and grace period together (Java:
// withRetention). Key-value stores ignore it.
func Retention(d time.Duration) MaterializedOption {
	return MaterializedOption{func(to *dsl.Options) {
		if d < 0 {
			to.Refuse(dsl.Errorf(dsl.KindArgument, "Retention must not be negative."))
		}
		to.Retention = &d
	}}
}
