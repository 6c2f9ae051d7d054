// Package ktable owns tables: their handles and every operator that takes and
// yields tables (Java: KTable, GlobalKTable, KGroupedTable). It refuses to know
// streams: package kstream makes tables of topics and streams and turns a table
// into a stream with kstream.FromTable (Java: KTable.toStream). What happens to
// records and stores is the business of internal/ops.
//
// Operators that keep the types are methods, the others are functions:
//
//	byRegion := ktable.GroupBy(customers, func(_ string, c Customer) (string, int64) { return c.Region, 1 })
//	counts := ktable.Count(byRegion, with.Store("by-region"))
//	big := counts.Filter(func(_ string, n int64) bool { return n > 10 })
//
// The functions given to operators of tables are never called for a missing
// value. One that returns a nil pointer, interface or []byte deletes the row.
package ktable
