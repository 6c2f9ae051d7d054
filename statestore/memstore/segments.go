package memstore

import (
	"bytes"
	"sync/atomic"

	"github.com/millrace/millrace/statestore"
)

// DeleteRange drops the rows between two keys.
func (s *keyValue) DeleteRange(lower, upper []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return statestore.ErrClosed
	}
	for {
		found, key := false, []byte(nil)
		s.tree.Ascend(row{lower, len(lower)}, func(r row) bool {
			found, key = upper == nil || bytes.Compare(r.key(), upper) < 0, r.key()
			return false
		})
		if !found {
			return nil
		}
		if s.walking.Load() != 0 {
			s.tree, s.walking = s.tree.Copy(), &atomic.Int64{}
		}
		s.tree.Delete(row{key, len(key)})
	}
}

// FreshFrom has nothing to do: everything is in memory.
func (s *keyValue) FreshFrom([]byte) {}

var _ statestore.SegmentBytes = (*keyValue)(nil)
