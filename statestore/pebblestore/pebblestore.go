// Package pebblestore owns the persistent backend of state stores: a Pebble
// database for each store behind a write buffer in memory. It refuses to know
// changelogs, caches above it and the types of keys and values.
//
// # Layout
//
// A store lies in <task folder>/pebble/<store>. Rows have the byte 'd' in front
// of their key, facts about the store an 'm': "mformat" holds the version of
// this layout (4 bytes, big-endian) and the kind of store, "moffset" the
// changelog offset that the rows reflect (8 bytes), "mahead" exists while rows
// are there that belong behind that offset.
//
// # Durability
//
// There is no write-ahead log: the changelog is one. Everything is written in
// batches whose order Pebble keeps, so that after a crash the files hold what
// some earlier moment held, never a later offset with earlier rows.
package pebblestore

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/millrace/millrace/statestore"
)

// Backend keeps stores on disk with the default options (Java:
// Stores.persistentKeyValueStore).
var Backend = New(Options{})

func init() { statestore.SetDefaultBackend(Backend) }

// Options tune the backend; zero values mean the defaults.
type Options struct {
	// MemTable is the size in bytes of Pebble's sorted buffer of each store,
	// default 8 MiB. The write buffer in front of it is shared by all stores, see
	// statestore.MemoryConfig.
	MemTable int64
	// CommitAfter is the number of updates after which a commit is made durable;
	// commits in between are kept in memory until then or until the store is
	// closed. After a crash at most that many updates, and those of one commit,
	// are read again from the changelog. Default 10,000, the distance of
	// checkpoints in Java; 1 makes each commit durable. Stores without a
	// changelog are made durable at each commit.
	CommitAfter int
	// BatchBytes is the size at which a batch of rows is handed to Pebble,
	// default 1 MiB.
	BatchBytes int

	fs vfs.FS
}

// New returns a backend with the given options.
func New(o Options) statestore.Backend {
	if o.MemTable == 0 {
		o.MemTable = 8 << 20
	}
	if o.CommitAfter == 0 {
		o.CommitAfter = 10_000
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = 1 << 20
	}
	if o.fs == nil {
		o.fs = vfs.Default
	}
	return backend{o}
}

type backend struct{ options Options }

func (b backend) OpenKeyValue(h statestore.Host, name string, kind statestore.Kind) (statestore.KeyValueBytes, error) {
	memory := h.Memory()
	if memory == nil {
		memory = statestore.NewMemory(statestore.MemoryConfig{})
	}
	e, err := openEngine(b.options, memory, h.Dir(), name, kind)
	if err != nil {
		return nil, err
	}
	return newKeyValue(e, memory.Join()), nil
}

func (backend) Persistent() bool { return true }
