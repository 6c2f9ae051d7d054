package pebblestore

import (
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/millrace/millrace/statestore"
)

// shared is what the databases of a process have in common: the cache of blocks
// and that of open files. Pebble reserves its memtables out of the block cache,
// which could leave nothing of it, and the cache cannot be resized. So it is
// made large enough for the memtables of many stores, and the part of stores
// that are not open is reserved here.
type shared struct {
	blocks int64

	mu        sync.Mutex
	open      int
	memtables int64
	cache     *pebble.Cache
	files     *pebble.FileCache
	unreserve func()
}

type sharedKey struct{}

func sharedOf(m *statestore.Memory) *shared {
	return m.Attach(sharedKey{}, func() any { return &shared{blocks: m.Config().BlockCache} }).(*shared)
}

// memtableRoom is what all memtables together may take before they cut into the
// blocks' part: 1024 stores of the default size.
const memtableRoom = 1024 * 2 * 8 << 20

const (
	fileShards = 4
	openFiles  = 1024
)

// acquire counts one more database with memtables of a size, of which Pebble
// has up to two.
func (s *shared) acquire(memtable int64) (*pebble.Cache, *pebble.FileCache) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == 0 {
		s.cache = pebble.NewCache(s.blocks + memtableRoom)
		s.files = pebble.NewFileCache(fileShards, openFiles)
		s.unreserve = func() {}
	}
	s.open++
	s.memtables += 2 * memtable
	s.reserveLocked()
	return s.cache, s.files
}

func (s *shared) reserveLocked() {
	s.unreserve()
	s.unreserve = func() {}
	if rest := memtableRoom - s.memtables; rest > 0 {
		s.unreserve = s.cache.Reserve(int(rest))
	}
}

func (s *shared) release(memtable int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	s.memtables -= 2 * memtable
	if s.open > 0 {
		s.reserveLocked()
		return
	}
	s.unreserve()
	s.cache.Unref()
	s.files.Unref()
	s.cache, s.files = nil, nil
}
