// Package table owns an in-memory map from bytes to bytes made for millions of
// short rows: open addressing over an index array, rows and bytes in arenas
// without pointers, so that the garbage collector has nothing to walk. Rows
// are sorted only once somebody scans. It refuses to know what the rows mean;
// callers keep what they need beside it, by row number.
//
// A Table has one writing goroutine. Other goroutines may read under Mu; the
// writer holds Mu for writing while it changes the table and needs no lock to
// read it.
package table

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// None is the row number of no row.
const None int32 = -1

// noValue is the length of a row that hides older rows of its key.
const noValue = -1

// free is the length of a row that is not in use.
const freeRow = -2

// entry is a row. A row that is not in use links to the next one by its key.
type entry struct {
	key, value place
	klen       uint32
	vlen       int32
	vcap       uint32
	hash       uint32
}

const (
	entryBytes = 32
	slotBytes  = 8
	minSlots   = 64
)

// Table is the map. The zero value is not usable, see New.
type Table struct {
	// Mu guards the table against readers on other goroutines.
	Mu sync.RWMutex

	seed    maphash.Seed
	slots   []uint64 // hash<<32 | row+1; 0 is empty
	entries []entry
	free    int32
	live    int
	arena   *arena
	garbage int
	// scans guards the two fields below among readers.
	scans   sync.Mutex
	order   *order
	cursors []*Cursor
}

// New returns an empty table.
func New() *Table {
	return &Table{seed: maphash.MakeSeed(), free: None, arena: &arena{}}
}

// Len is the number of rows, those without a value included.
func (t *Table) Len() int { return t.live }

// Rows is one more than the highest row number ever in use since Clear.
func (t *Table) Rows() int { return len(t.entries) }

// Bytes is the memory the table's content takes.
func (t *Table) Bytes() int64 {
	return int64(t.arena.used) + int64(len(t.entries))*entryBytes + int64(len(t.slots))*slotBytes
}

// Find returns the row of a key, or None.
func (t *Table) Find(key []byte) int32 {
	return t.find(t.hash(key), key)
}

func (t *Table) find(h uint32, key []byte) int32 {
	if t.live == 0 {
		return None
	}
	mask := uint32(len(t.slots) - 1)
	for s := h & mask; ; s = (s + 1) & mask {
		slot := t.slots[s]
		if slot == 0 {
			return None
		}
		if uint32(slot>>32) == h {
			i := int32(uint32(slot)) - 1
			if bytes.Equal(t.Key(i), key) {
				return i
			}
		}
	}
}

// Used tells whether a row number is in use.
func (t *Table) Used(i int32) bool { return t.entries[i].vlen != freeRow }

// Key is the key of a row, valid until the table changes.
func (t *Table) Key(i int32) []byte {
	e := &t.entries[i]
	return t.arena.at(e.key, e.klen)
}

// Value is the value of a row, valid until the table changes; nil if it has
// none.
func (t *Table) Value(i int32) []byte {
	e := &t.entries[i]
	if e.vlen < 0 {
		return nil
	}
	return t.arena.at(e.value, uint32(e.vlen))
}

// Put sets the value of a key, nil for none, and returns its row and whether
// the row is new. Both slices are copied.
func (t *Table) Put(key, value []byte) (row int32, isNew bool) {
	t.changing()
	h := t.hash(key)
	if i := t.find(h, key); i != None {
		t.set(i, value)
		return i, false
	}
	return t.insert(h, key, value), true
}

// Set sets the value of a row.
func (t *Table) Set(i int32, value []byte) {
	t.changing()
	t.set(i, value)
}

func (t *Table) set(i int32, value []byte) {
	e := &t.entries[i]
	if value == nil {
		e.vlen = noValue
		return
	}
	n := len(value)
	if uint32(n) > e.vcap || t.arena.pins.Load() != 0 {
		t.garbage += int(e.vcap)
		room := roundUp(n)
		e.value, e.vcap = t.arena.reserve(room), uint32(room)
	}
	e.vlen = int32(n)
	copy(t.arena.at(e.value, uint32(n)), value)
	t.tidy()
}

// tidy compacts once more than half of the arena is garbage.
func (t *Table) tidy() {
	if t.garbage > lastChunk/4 && t.garbage > t.arena.used/2 {
		t.compact()
	}
}

// roundUp gives a value some room to grow in place.
func roundUp(n int) int { return (n + 7) &^ 7 }

func (t *Table) insert(h uint32, key, value []byte) int32 {
	if (t.live+1)*4 > len(t.slots)*3 {
		t.rehash(max(minSlots, 2*len(t.slots)))
	}
	i := t.free
	if i != None {
		t.free = int32(t.entries[i].hash) - 1
	} else {
		t.entries = append(t.entries, entry{})
		i = int32(len(t.entries) - 1)
	}
	room := roundUp(len(value))
	p := t.arena.reserve(len(key) + room)
	copy(t.arena.at(p, uint32(len(key))), key)
	e := entry{key: p, value: p + place(len(key)), klen: uint32(len(key)), vlen: noValue, vcap: uint32(room), hash: h}
	if value != nil {
		e.vlen = int32(len(value))
		copy(t.arena.at(e.value, uint32(e.vlen)), value)
	}
	t.entries[i] = e
	t.place(e.hash, i)
	t.live++
	if t.order != nil {
		t.order.insert(t, i)
	}
	t.tidy()
	return i
}

// Delete takes a row out; its number is used again.
func (t *Table) Delete(i int32) {
	t.changing()
	if t.order != nil {
		t.order.remove(t, i)
	}
	e := &t.entries[i]
	t.unplace(e.hash, i)
	t.garbage += int(e.klen) + int(e.vcap)
	*e = entry{vlen: freeRow, hash: uint32(t.free + 1)}
	t.free = i
	t.live--
}

// Clear takes every row out. Memory that cursors still look at is left to them.
func (t *Table) Clear() {
	t.changing()
	if len(t.slots) > 16*minSlots && t.live*8 < len(t.slots) {
		t.slots = nil
	} else {
		clear(t.slots)
	}
	t.entries = t.entries[:0]
	t.free, t.live, t.garbage = None, 0, 0
	t.order = nil
	if t.arena.pins.Load() != 0 {
		t.arena = &arena{}
	} else {
		t.arena.reset()
	}
}

// Release is Clear that also gives the memory back.
func (t *Table) Release() {
	t.Clear()
	t.slots, t.entries, t.arena = nil, nil, &arena{}
}

// compact moves what is in use into a new arena. The old one stays with the
// cursors that pin it.
func (t *Table) compact() {
	old := t.arena
	fresh := &arena{}
	for i := range t.entries {
		e := &t.entries[i]
		if e.vlen == freeRow {
			continue
		}
		room := 0
		if e.vlen > 0 {
			room = roundUp(int(e.vlen))
		}
		p := fresh.reserve(int(e.klen) + room)
		copy(fresh.at(p, e.klen), old.at(e.key, e.klen))
		v := p + place(e.klen)
		if e.vlen > 0 {
			copy(fresh.at(v, uint32(e.vlen)), old.at(e.value, uint32(e.vlen)))
		}
		e.key, e.value, e.vcap = p, v, uint32(room)
	}
	t.arena, t.garbage = fresh, 0
}

func (t *Table) hash(key []byte) uint32 { return uint32(maphash.Bytes(t.seed, key) >> 32) }

func (t *Table) place(h uint32, i int32) {
	mask := uint32(len(t.slots) - 1)
	s := h & mask
	for t.slots[s] != 0 {
		s = (s + 1) & mask
	}
	t.slots[s] = uint64(h)<<32 | uint64(uint32(i+1))
}

// unplace empties the slot of a row and moves later slots of the same run
// back, so that no run has a hole.
func (t *Table) unplace(h uint32, i int32) {
	mask := uint32(len(t.slots) - 1)
	s := h & mask
	for uint32(t.slots[s]) != uint32(i+1) {
		s = (s + 1) & mask
	}
	for next := (s + 1) & mask; t.slots[next] != 0; next = (next + 1) & mask {
		home := uint32(t.slots[next]>>32) & mask
		if (next-home)&mask >= (next-s)&mask {
			t.slots[s] = t.slots[next]
			s = next
		}
	}
	t.slots[s] = 0
}

func (t *Table) rehash(n int) {
	t.slots = make([]uint64, n)
	for i := range t.entries {
		if e := &t.entries[i]; e.vlen != freeRow {
			t.place(e.hash, int32(i))
		}
	}
}

// Pin keeps the bytes of keys and values that were read from the table as they
// are, until the returned function is called.
func (t *Table) Pin() (unpin func()) {
	a := t.arena
	a.pins.Add(1)
	return func() { a.pins.Add(-1) }
}

// changing lets every open cursor fetch the rows it has not yet seen.
func (t *Table) changing() {
	if len(t.cursors) != 0 {
		t.detach()
	}
}
