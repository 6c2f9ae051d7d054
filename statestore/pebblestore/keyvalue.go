package pebblestore

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/internal/scan"
	"github.com/millrace/millrace/statestore/internal/table"
)

// keyValue is a database behind a hash table that holds the rows written or
// read last. Updates change the table in place, so that a key that is updated a
// thousand times between two commits is written once; the table is written out,
// sorted, at a commit, and also emptied when the memory shared by all stores is
// used up.
type keyValue struct {
	e *engine
	// table.Mu guards table, complete, fresh and closed.
	table *table.Table
	// complete says that the table has every row there is: the store began empty
	// and the table was never emptied. Then a miss needs no read from disk.
	complete bool
	// fresh is a key from which on the same holds; nil if there is none.
	fresh  []byte
	closed bool

	// dirty counts the rows to be written, guarded by table.Mu too; unsynced the
	// rows that only Pebble's memory has, less the deletes.
	dirty    int
	unsynced atomic.Int64

	// The fields below are only the writer's.
	flags  []uint8
	budget *statestore.WriteBudget
	// counted is the table's size as the budget knows it; it is told of changes
	// of at least quantum bytes.
	counted, quantum int64
	// committed is the offset of the last commit, durable or not. updates counts
	// the writes since the last durable commit, open those since any commit.
	committed     int64
	updates, open int
	key           []byte

	scans   sync.Mutex
	cursors map[*diskCursor]struct{}
}

const (
	// rowDirty: the database has another value, or none.
	rowDirty uint8 = 1 << iota
	// rowNew: the database has no row of this key.
	rowNew
)

func newKeyValue(e *engine, budget *statestore.WriteBudget) *keyValue {
	return &keyValue{e: e, table: table.New(), complete: e.fresh, budget: budget, quantum: budget.Quantum(),
		committed: e.offset, cursors: map[*diskCursor]struct{}{}}
}

// rowKey is the key under which the database holds a row.
func (s *keyValue) rowKey(key []byte) []byte {
	s.key = append(append(s.key[:0], rowPrefix), key...)
	return s.key
}

// Get appends the value of a key. What is read from disk is kept in the table:
// it is likely to be updated next.
func (s *keyValue) Get(dst, key []byte) ([]byte, bool, error) {
	if s.closed {
		return dst, false, statestore.ErrClosed
	}
	if i := s.table.Find(key); i != table.None {
		v := s.table.Value(i)
		return append(dst, v...), v != nil, nil
	}
	if s.absent(key) {
		return dst, false, nil
	}
	out, ok, err := s.read(dst, s.rowKey(key))
	if err != nil || !ok {
		return dst, false, err
	}
	value := out[len(dst):]
	if value == nil {
		value = []byte{}
	}
	s.table.Mu.Lock()
	i, _ := s.table.Put(key, value)
	s.flag(i, 0)
	s.table.Mu.Unlock()
	return out, true, s.account()
}

func (s *keyValue) read(dst, rowKey []byte) ([]byte, bool, error) {
	v, closer, err := s.e.db.Get(rowKey)
	if errors.Is(err, pebble.ErrNotFound) {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, s.e.failed("read", err)
	}
	dst = append(dst, v...)
	if err := closer.Close(); err != nil {
		return dst, false, s.e.failed("read", err)
	}
	return dst, true, nil
}

// Peek is Get for other goroutines. The lock is held while it reads from disk,
// so that the database is not closed meanwhile.
func (s *keyValue) Peek(dst, key []byte) ([]byte, bool, error) {
	s.table.Mu.RLock()
	defer s.table.Mu.RUnlock()
	if s.closed {
		return dst, false, statestore.ErrClosed
	}
	if i := s.table.Find(key); i != table.None {
		v := s.table.Value(i)
		return append(dst, v...), v != nil, nil
	}
	if s.absent(key) {
		return dst, false, nil
	}
	return s.read(dst, append([]byte{rowPrefix}, key...))
}

func (s *keyValue) flag(i int32, f uint8) {
	for int(i) >= len(s.flags) {
		s.flags = append(s.flags, 0)
	}
	s.flags[i] = f
}

// Put changes the table. A key that the database never had leaves no trace when
// it is deleted.
func (s *keyValue) Put(key, value []byte) error {
	if s.closed {
		return statestore.ErrClosed
	}
	s.table.Mu.Lock()
	i, isNew := s.table.Put(key, value)
	switch {
	case isNew && s.absent(key):
		s.flag(i, rowDirty|rowNew)
		s.dirty++
	case isNew:
		s.flag(i, rowDirty)
		s.dirty++
	case s.flags[i]&rowDirty == 0:
		s.flags[i] |= rowDirty
		s.dirty++
	}
	if value == nil && s.flags[i]&rowNew != 0 {
		s.table.Delete(i)
		s.dirty--
	}
	s.table.Mu.Unlock()
	s.updates++
	s.open++
	return s.account()
}

// account tells the budget how large the table is and empties it if it must.
func (s *keyValue) account() error {
	size := s.table.Bytes() + int64(len(s.flags))
	if d := size - s.counted; d < s.quantum && -d < s.quantum {
		return nil
	}
	s.counted = size
	if !s.budget.Set(size) {
		return nil
	}
	return s.overflow()
}

// Scan merges the table over the database.
func (s *keyValue) Scan(r statestore.KeyRange) (statestore.Cursor, error) {
	s.table.Mu.RLock()
	defer s.table.Mu.RUnlock()
	if s.closed {
		return nil, statestore.ErrClosed
	}
	if r.Empty() {
		return scan.Empty{}, nil
	}
	if s.complete || r.Lower != nil && s.absent(r.Lower) {
		return scan.Values{Cursor: s.table.NewCursor(r)}, nil
	}
	disk, err := s.newDiskCursor(r)
	if err != nil || s.table.Len() == 0 {
		return disk, err
	}
	return scan.Merge(s.table.NewCursor(r), disk, r.Reverse), nil
}

// ApproximateLen counts the rows of the files and those not yet in them. A row
// that is in several files, or was overwritten, counts more than once, as in
// RocksDB's estimate.
func (s *keyValue) ApproximateLen() (int64, error) {
	s.table.Mu.RLock()
	defer s.table.Mu.RUnlock()
	if s.closed {
		return 0, statestore.ErrClosed
	}
	if s.complete {
		return int64(s.table.Len()), nil
	}
	levels, err := s.e.db.SSTables(pebble.WithProperties())
	if err != nil {
		return 0, s.e.failed("read", err)
	}
	n := s.unsynced.Load() + int64(s.dirty)
	for _, level := range levels {
		for _, file := range level {
			n += int64(file.Properties.NumEntries) - 2*int64(file.Properties.NumDeletions)
		}
	}
	return max(n, 0), nil
}
