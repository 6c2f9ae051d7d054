// Package memstore owns the in-memory backend of state stores: sorted maps of
// bytes that die with the process and are restored from their changelogs. It
// refuses to know files, changelogs and the types of keys and values.
package memstore

import (
	"github.com/millrace/millrace/statestore"
)

// Backend keeps stores in memory (Java: Stores.inMemoryKeyValueStore).
var Backend statestore.Backend = backend{}

type backend struct{}

func (backend) OpenKeyValue(_ statestore.Host, _ string, _ statestore.Kind) (statestore.KeyValueBytes, error) {
	return newKeyValue(), nil
}

func (backend) Persistent() bool { return false }

// LRU keeps the given number of entries of a store and drops the one used
// longest ago beyond it, which the changelog is told as a delete (Java:
// Stores.lruMap). Reading and writing a key are uses of it; scans are not.
func LRU(entries int) statestore.Backend { return lruBackend{entries} }

type lruBackend struct{ entries int }

func (b lruBackend) OpenKeyValue(_ statestore.Host, _ string, _ statestore.Kind) (statestore.KeyValueBytes, error) {
	return newLRU(b.entries), nil
}

func (lruBackend) Persistent() bool { return false }
