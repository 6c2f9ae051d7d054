package pebblestore

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/millrace/millrace/statestore"
)

// Commit makes the rows durable together with the offset, or leaves that to a
// later commit if little has changed since the last durable one: what is on
// disk then is an earlier commit, rows and offset.
func (s *keyValue) Commit(offset int64) error {
	if s.closed {
		return statestore.ErrClosed
	}
	s.committed, s.open = offset, 0
	if offset >= 0 && s.updates < s.e.options.CommitAfter {
		return nil
	}
	return s.durable()
}

// durable writes the dirty rows and the offset of the last commit.
func (s *keyValue) durable() error {
	if s.updates == 0 && s.committed == s.e.offset {
		return nil
	}
	if err := s.write(true); err != nil {
		return err
	}
	if err := s.e.sync(); err != nil {
		return err
	}
	s.updates = 0
	s.unsynced.Store(0)
	return nil
}

// CommittedOffset is the offset of the last commit.
func (s *keyValue) CommittedOffset() (int64, error) {
	if s.closed {
		return -1, statestore.ErrClosed
	}
	return s.committed, nil
}

// Uncommitted tells whether the database holds rows later than its offset.
func (s *keyValue) Uncommitted() (bool, error) { return s.e.ahead, nil }

// overflow writes the dirty rows and empties the table.
func (s *keyValue) overflow() error {
	if err := s.write(false); err != nil {
		return err
	}
	s.table.Mu.Lock()
	s.table.Clear()
	s.complete, s.fresh = false, nil
	s.table.Mu.Unlock()
	s.flags = s.flags[:0]
	s.counted = s.table.Bytes()
	s.budget.Set(s.counted)
	return nil
}

// write hands the dirty rows to the database in key order. The batch that ends
// a commit carries its offset; each other one marks the database as being ahead
// of its offset, which the mark's removal in the batch with the offset ends.
// Readers may look on: the rows stay in the table.
func (s *keyValue) write(commit bool) error {
	rows := s.dirtyRows()
	b := s.e.db.NewBatch()
	defer b.Close()
	for _, i := range rows {
		if b.Len() >= s.e.options.BatchBytes {
			if err := s.apply(b, false); err != nil {
				return err
			}
		}
		if err := s.add(b, i); err != nil {
			return err
		}
	}
	if commit || !b.Empty() {
		if err := s.apply(b, commit); err != nil {
			return err
		}
	}
	s.table.Mu.Lock()
	defer s.table.Mu.Unlock()
	for _, i := range rows {
		s.flags[i] = 0
		if s.table.Value(i) == nil {
			s.table.Delete(i)
		}
	}
	s.dirty = 0
	return nil
}

func (s *keyValue) dirtyRows() []int32 {
	if s.dirty == 0 {
		return nil
	}
	rows := make([]int32, 0, s.dirty)
	for i := range int32(s.table.Rows()) {
		if s.table.Used(i) && s.flags[i]&rowDirty != 0 {
			rows = append(rows, i)
		}
	}
	s.table.SortByKey(rows)
	return rows
}

func (s *keyValue) add(b *pebble.Batch, i int32) error {
	key, value := s.table.Key(i), s.table.Value(i)
	if value == nil {
		op := b.DeleteDeferred(1 + len(key))
		op.Key[0] = rowPrefix
		copy(op.Key[1:], key)
		s.unsynced.Add(-1)
		return op.Finish()
	}
	op := b.SetDeferred(1+len(key), len(value))
	op.Key[0] = rowPrefix
	copy(op.Key[1:], key)
	copy(op.Value, value)
	s.unsynced.Add(1)
	return op.Finish()
}

func (s *keyValue) apply(b *pebble.Batch, commit bool) (err error) {
	ahead := s.e.ahead
	switch {
	case commit:
		var offset [8]byte
		binary.BigEndian.PutUint64(offset[:], uint64(s.committed))
		err = b.Set(offsetKey, offset[:], nil)
		if err == nil && ahead {
			err = b.Delete(aheadKey, nil)
		}
		ahead = false
	case !ahead:
		err = b.Set(aheadKey, nil, nil)
		ahead = true
	}
	if err == nil {
		err = b.Commit(pebble.NoSync)
	}
	if err != nil {
		return s.e.failed("write to", err)
	}
	s.e.ahead = ahead
	if commit {
		s.e.offset = s.committed
	}
	b.Reset()
	return nil
}

// Close makes a commit that was left for later durable, unless rows were
// written since that it does not cover: then the files stay at the durable
// commit before, and the rest comes from the changelog.
func (s *keyValue) Close() error {
	if s.closed {
		return nil
	}
	var err error
	if s.open == 0 {
		err = s.durable()
	}
	s.table.Mu.Lock()
	s.closed = true
	s.closeCursors()
	s.table.Release()
	s.table.Mu.Unlock()
	s.budget.Leave()
	if closeErr := s.e.close(); err == nil && closeErr != nil {
		err = s.e.failed("close", closeErr)
	}
	return err
}
