package pebblestore

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"github.com/millrace/millrace/statestore"
)

// absent tells that the database has no row of a key the table does not have.
func (s *keyValue) absent(key []byte) bool {
	return s.complete || s.fresh != nil && bytes.Compare(key, s.fresh) >= 0
}

// FreshFrom spares reads from disk: the newest segment of a window store is read
// most, and all its rows are in the table until that is emptied.
func (s *keyValue) FreshFrom(lower []byte) {
	s.table.Mu.Lock()
	defer s.table.Mu.Unlock()
	if s.fresh == nil || bytes.Compare(lower, s.fresh) < 0 {
		s.fresh = append([]byte{}, lower...)
	}
}

// DeleteRange drops rows at once from the table and the database. It does not
// count as an update: rows of segments that have expired are never asked for
// again, so that the files may lack them before the commit.
func (s *keyValue) DeleteRange(lower, upper []byte) error {
	if s.closed {
		return statestore.ErrClosed
	}
	r := statestore.KeyRange{Lower: lower, Upper: upper}
	if r.Empty() {
		return nil
	}
	s.table.Mu.Lock()
	for i := range int32(s.table.Rows()) {
		if !s.table.Used(i) || !r.Contains(s.table.Key(i)) {
			continue
		}
		if s.flags[i]&rowDirty != 0 {
			s.dirty--
		}
		s.flags[i] = 0
		s.table.Delete(i)
	}
	s.table.Mu.Unlock()
	end := []byte{rowEnd}
	if upper != nil {
		end = append([]byte{rowPrefix}, upper...)
	}
	if err := s.e.db.DeleteRange(append([]byte{rowPrefix}, lower...), end, pebble.NoSync); err != nil {
		return s.e.failed("write to", err)
	}
	return s.account()
}

var _ statestore.SegmentBytes = (*keyValue)(nil)
