// Package javaorder reproduces the iteration order of Java's HashMap, HashSet
// and PriorityQueue where that order shows: in the names and indexes of a
// topology that must equal a JVM's list for list, in the order in which a
// suppression buffer logs its keys, and in the choice between partitions whose
// heads have the same timestamp.
//
// It owns the hash functions (String, Bytes, sets of strings), the table
// growth and the heap moves. It refuses to know topologies, tasks and records.
//
// One thing is left out: a bucket of more than eight entries in a table of at
// least 64 becomes a red-black tree in Java, whose root then comes first in
// the bucket. That takes nine keys with equal low hash bits among a few dozen;
// in smaller tables Java doubles the table instead, which is reproduced here.
package javaorder
