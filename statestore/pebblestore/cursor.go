package pebblestore

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/millrace/millrace/statestore"
)

// diskCursor walks over the rows of the database. It copies each row: closing
// the store takes the database, and its memory, away from under open cursors,
// whose next step then fails.
type diskCursor struct {
	s          *keyValue
	it         *pebble.Iterator
	reverse    bool
	begun      bool
	key, value []byte
	err        error
}

// newDiskCursor is called with the store's lock held.
func (s *keyValue) newDiskCursor(r statestore.KeyRange) (*diskCursor, error) {
	o := &pebble.IterOptions{
		LowerBound: append([]byte{rowPrefix}, r.Lower...),
		UpperBound: []byte{rowEnd},
	}
	if r.Upper != nil {
		o.UpperBound = append([]byte{rowPrefix}, r.Upper...)
	}
	it, err := s.e.db.NewIter(o)
	if err != nil {
		return nil, s.e.failed("read", err)
	}
	c := &diskCursor{s: s, it: it, reverse: r.Reverse, key: []byte{}, value: []byte{}}
	s.scans.Lock()
	s.cursors[c] = struct{}{}
	s.scans.Unlock()
	return c, nil
}

// closeCursors is called with the store's lock held for writing.
func (s *keyValue) closeCursors() {
	s.scans.Lock()
	defer s.scans.Unlock()
	for c := range s.cursors {
		_ = c.it.Close() // its error is of a scan that is cut short anyway
		c.it = nil
	}
	clear(s.cursors)
}

// Next moves to the next row.
func (c *diskCursor) Next() bool {
	c.s.table.Mu.RLock()
	defer c.s.table.Mu.RUnlock()
	if c.it == nil {
		if c.s.closed {
			c.err = statestore.ErrClosed
		}
		return false
	}
	if !c.move() {
		if err := c.it.Error(); err != nil {
			c.err = c.s.e.failed("read", err)
		}
		return false
	}
	v, err := c.it.ValueAndErr()
	if err != nil {
		c.err = c.s.e.failed("read", err)
		return false
	}
	c.key = append(c.key[:0], c.it.Key()[1:]...)
	c.value = append(c.value[:0], v...)
	return true
}

func (c *diskCursor) move() bool {
	begun := c.begun
	c.begun = true
	switch {
	case begun && c.reverse:
		return c.it.Prev()
	case begun:
		return c.it.Next()
	case c.reverse:
		return c.it.Last()
	}
	return c.it.First()
}

func (c *diskCursor) Key() []byte   { return c.key }
func (c *diskCursor) Value() []byte { return c.value }
func (c *diskCursor) Err() error    { return c.err }

// Close lets go of the database.
func (c *diskCursor) Close() error {
	c.s.table.Mu.RLock()
	defer c.s.table.Mu.RUnlock()
	if c.it == nil {
		return nil
	}
	c.s.scans.Lock()
	delete(c.s.cursors, c)
	c.s.scans.Unlock()
	err := c.it.Close()
	c.it = nil
	if err != nil {
		return c.s.e.failed("read", err)
	}
	return nil
}
