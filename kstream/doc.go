// Package kstream owns streams: the builder of programs, the handles of streams
// and groupings, and every operator that takes or yields a stream (Java:
// StreamsBuilder, KStream, KGroupedStream, BranchedKStream). It refuses to know
// how tasks run, and leaves stores and what happens in them to internal/ops.
//
// Operators that keep the types are methods, the others are functions:
//
//	words := kstream.FlatMapValues(lines, strings.Fields)
//	counts := kstream.Count(kstream.GroupBy(words, byWord), with.Store("counts"))
//	kstream.FromTable(counts).To("word-counts")
//
// A null key or value that would reach a function over a type that cannot hold
// null is a processing error. Types that can hold null are pointers, interfaces
// and []byte; nil is null for them in both directions.
package kstream
