// Package with owns the options of all operators of kstream and ktable, and
// which of them fits which operator. It refuses to know what an operator does
// with an option.
//
// Options have no type parameters, since Go does not infer them from the
// parameter an option is passed to. A serde or partitioner inside one is
// checked against the operator's types when the topology is built; the error
// names the line of user code.
//
// In Java these are Named, Consumed, Produced, Grouped, Joined, StreamJoined,
// TableJoined, Materialized, Repartitioned and Printed.
package with

import "github.com/millrace/millrace/internal/dsl"

// Node options fit operators that have a name and nothing else.
type Node interface{ ForNode(*dsl.Options) }

// Source options fit sources of streams (Java: Consumed).
type Source interface{ ForSource(*dsl.Options) }

// TableSource options fit sources of tables and global tables (Java: Consumed
// and Materialized).
type TableSource interface{ ForTableSource(*dsl.Options) }

// Sink options fit To and ToFunc (Java: Produced).
type Sink interface{ ForSink(*dsl.Options) }

// Group options fit GroupBy and GroupByKey of streams and tables (Java:
// Grouped).
type Group interface{ ForGroup(*dsl.Options) }

// Aggregation options fit Count, Reduce and Aggregate (Java: Named and
// Materialized).
type Aggregation interface{ ForAggregation(*dsl.Options) }

// Table options fit operators that yield a table with or without a store
// (Java: Named and Materialized).
type Table interface{ ForTable(*dsl.Options) }

// Repartition options fit Repartition (Java: Repartitioned).
type Repartition interface{ ForRepartition(*dsl.Options) }

// Process options fit Process, ProcessValues and TransformValues (Java: Named
// and the names of stores).
type Process interface{ ForProcess(*dsl.Options) }

// Print options fit Print (Java: Printed).
type Print interface{ ForPrint(*dsl.Options) }

// Join options fit joins of two streams (Java: StreamJoined).
type Join interface{ ForJoin(*dsl.Options) }

// TableJoin options fit joins of a stream with a table (Java: Joined).
type TableJoin interface{ ForTableJoin(*dsl.Options) }

// ForeignJoin options fit foreign-key joins of tables (Java: TableJoined and
// Materialized).
type ForeignJoin interface{ ForForeignJoin(*dsl.Options) }
