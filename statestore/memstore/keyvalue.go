package memstore

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/millrace/millrace/statestore"
)

// row holds a key and its value in one piece of memory.
type row struct {
	data []byte
	klen int
}

func (r row) key() []byte   { return r.data[:r.klen:r.klen] }
func (r row) value() []byte { return r.data[r.klen:] }

func newRow(key, value []byte) row {
	data := make([]byte, len(key)+len(value))
	copy(data, key)
	copy(data[len(key):], value)
	return row{data, len(key)}
}

// keyValue is a sorted map. A scan walks the tree it found. As long as scans
// walk the current tree the writer first moves to a copy, which shares all
// nodes but the changed ones; as long as any scan is open it overwrites no row
// in place. So scans see nothing of later writes.
type keyValue struct {
	mu     sync.RWMutex
	tree   *btree.BTreeG[row]
	closed bool
	// walking counts the scans of the current tree, open those of any.
	walking *atomic.Int64
	open    atomic.Int64
	// hint is only the writer's.
	hint btree.PathHint
}

func newKeyValue() *keyValue {
	return &keyValue{tree: newTree(), walking: &atomic.Int64{}}
}

func newTree() *btree.BTreeG[row] {
	return btree.NewBTreeGOptions(func(a, b row) bool { return bytes.Compare(a.key(), b.key()) < 0 },
		btree.Options{NoLocks: true})
}

// Get appends the value of a key. The writer needs no lock to read.
func (s *keyValue) Get(dst, key []byte) ([]byte, bool, error) {
	if s.closed {
		return dst, false, statestore.ErrClosed
	}
	r, ok := s.tree.GetHint(row{key, len(key)}, &s.hint)
	if !ok {
		return dst, false, nil
	}
	return append(dst, r.value()...), true, nil
}

func (s *keyValue) Peek(dst, key []byte) ([]byte, bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return dst, false, statestore.ErrClosed
	}
	r, ok := s.tree.Get(row{key, len(key)})
	if !ok {
		return dst, false, nil
	}
	return append(dst, r.value()...), true, nil
}

func (s *keyValue) Put(key, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return statestore.ErrClosed
	}
	if s.walking.Load() != 0 {
		s.tree, s.walking = s.tree.Copy(), &atomic.Int64{}
	}
	if value == nil {
		s.tree.DeleteHint(row{key, len(key)}, &s.hint)
		return nil
	}
	if s.open.Load() == 0 {
		if r, ok := s.tree.GetHint(row{key, len(key)}, &s.hint); ok && len(r.value()) == len(value) {
			copy(r.value(), value)
			return nil
		}
	}
	s.tree.SetHint(newRow(key, value), &s.hint)
	return nil
}

func (s *keyValue) Scan(r statestore.KeyRange) (statestore.Cursor, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, statestore.ErrClosed
	}
	s.walking.Add(1)
	s.open.Add(1)
	return &cursor{s: s, walking: s.walking, it: s.tree.Iter(), r: r}, nil
}

func (s *keyValue) ApproximateLen() (int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return 0, statestore.ErrClosed
	}
	return int64(s.tree.Len()), nil
}

// Commit has nothing to do: memory is never durable.
func (s *keyValue) Commit(int64) error {
	if s.closed {
		return statestore.ErrClosed
	}
	return nil
}

// CommittedOffset is always -1: after a restart nothing is left.
func (s *keyValue) CommittedOffset() (int64, error) { return -1, nil }

func (s *keyValue) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.tree = true, newTree()
	return nil
}

// cursor walks over a tree that nobody changes.
type cursor struct {
	s       *keyValue
	walking *atomic.Int64
	it      btree.IterG[row]
	r       statestore.KeyRange
	row     row
	begun   bool
	closed  bool
}

func (c *cursor) Next() bool {
	if c.closed || !c.move() {
		return false
	}
	c.row = c.it.Item()
	k := c.row.key()
	if c.r.Reverse {
		return c.r.Lower == nil || bytes.Compare(k, c.r.Lower) >= 0
	}
	return c.r.Upper == nil || bytes.Compare(k, c.r.Upper) < 0
}

func (c *cursor) move() bool {
	switch {
	case c.begun && c.r.Reverse:
		return c.it.Prev()
	case c.begun:
		return c.it.Next()
	}
	c.begun = true
	switch {
	case c.r.Reverse && c.r.Upper == nil:
		return c.it.Last()
	case c.r.Reverse:
		if c.it.Seek(row{c.r.Upper, len(c.r.Upper)}) {
			return c.it.Prev()
		}
		return c.it.Last()
	case c.r.Lower == nil:
		return c.it.First()
	}
	return c.it.Seek(row{c.r.Lower, len(c.r.Lower)})
}

func (c *cursor) Key() []byte   { return c.row.key() }
func (c *cursor) Value() []byte { return c.row.value() }
func (c *cursor) Err() error    { return nil }

func (c *cursor) Close() error {
	if !c.closed {
		c.closed = true
		c.it.Release()
		c.walking.Add(-1)
		c.s.open.Add(-1)
	}
	return nil
}
