// Package storebytes owns the byte layouts that frame a value inside a state
// store, a buffer or the repartition topic of a table: timestamps, header blocks
// (KIP-1271), positions, record contexts, changes and length-prefixed blobs.
// Every layout is the one of Kafka Streams 4.3.1, big-endian; docs/formats/
// describes them. It lies below stores and operators alike, since both use it.
//
// It refuses to know stores, topics and serdes: raw values go in and come out.
// Append functions extend a caller's buffer; functions that split return
// slices of their input and copy nothing, unless they say so.
package storebytes
