package statestore

import (
	"sync"
	"sync/atomic"
)

// Memory is the budget that the persistent stores of a process share: the
// block cache and the write buffers. It may be used by many goroutines.
type Memory struct {
	config MemoryConfig
	used   atomic.Int64
	stores atomic.Int64

	mu       sync.Mutex
	attached map[any]any
}

// MemoryConfig sets the budget in bytes; zero values mean the defaults.
type MemoryConfig struct {
	// BlockCache is what may be held of files that were read, default 50 MiB as
	// RocksDB's cache in Java (which has one for each store).
	BlockCache int64
	// WriteBuffer is what stores may hold before they write to their files,
	// default 64 MiB.
	WriteBuffer int64
}

const (
	defaultBlockCache  = 50 << 20
	defaultWriteBuffer = 64 << 20
)

// NewMemory returns a budget for the stores of one process.
func NewMemory(c MemoryConfig) *Memory {
	if c.BlockCache == 0 {
		c.BlockCache = defaultBlockCache
	}
	if c.WriteBuffer == 0 {
		c.WriteBuffer = defaultWriteBuffer
	}
	return &Memory{config: c, attached: map[any]any{}}
}

// Config is the budget with its defaults filled in.
func (m *Memory) Config() MemoryConfig { return m.config }

// Attach returns what was made under the key before, else makes it. Backends
// keep here what their stores share.
func (m *Memory) Attach(key any, make func() any) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.attached[key]
	if !ok {
		v = make()
		m.attached[key] = v
	}
	return v
}

// Join adds a write buffer to those that share the budget.
func (m *Memory) Join() *WriteBudget {
	m.stores.Add(1)
	return &WriteBudget{m: m}
}

// WriteBudget is the share of one store in the write buffers' budget. It is
// used by one goroutine.
type WriteBudget struct {
	m    *Memory
	used int64
}

// Set says how many bytes the buffer takes now and returns whether it must be
// emptied: when the buffers together exceed the budget and this one has more
// than its fair share. A buffer below its share leaves it to the larger ones,
// so that all together stay below twice the budget even if those are idle.
func (b *WriteBudget) Set(bytes int64) (overflow bool) {
	total := b.m.used.Add(bytes - b.used)
	b.used = bytes
	budget := b.m.config.WriteBuffer
	return total > budget && bytes*b.m.stores.Load() >= budget
}

// Leave gives the share back.
func (b *WriteBudget) Leave() {
	if b.m != nil {
		b.m.used.Add(-b.used)
		b.m.stores.Add(-1)
		b.m = nil
	}
}

// Buffered is the number of bytes in write buffers.
func (m *Memory) Buffered() int64 { return m.used.Load() }

// Quantum is the change of size in bytes below which it is not worth telling
// the budget: counters that all stores share are dear to touch.
func (b *WriteBudget) Quantum() int64 {
	return min(16<<10, max(1, b.m.config.WriteBuffer/256))
}
