// Package ops owns the algorithms of stateful operators and tables: what they
// keep in stores, when they forward, which timestamps and old values they send.
// It refuses to know how a graph is declared, named and written (packages
// kstream and ktable) and how tasks run.
//
// Each operator of a table has two halves. The exported plan ([TableFilter],
// [StreamAggregate], …) is shared by the whole graph; operators declared later
// still change it, by asking for old values or for the table's values. Its New
// makes the unexported unit of one task, which reads the plan's final state.
package ops
