// Package scan owns ordered walks over rows of bytes: the cursor every layer
// and backend hands out, and the merge of a newer walk over an older one. It
// refuses to know where rows come from.
package scan

import "bytes"

// Range is what a cursor walks over: keys from Lower, inclusive, to Upper,
// exclusive, in unsigned byte order. A nil end is open.
type Range struct {
	Lower, Upper []byte
	Reverse      bool
}

// Empty tells whether no key can lie in the range.
func (r Range) Empty() bool {
	return r.Lower != nil && r.Upper != nil && bytes.Compare(r.Lower, r.Upper) >= 0
}

// Contains tells whether a key lies in the range.
func (r Range) Contains(key []byte) bool {
	return (r.Lower == nil || bytes.Compare(key, r.Lower) >= 0) &&
		(r.Upper == nil || bytes.Compare(key, r.Upper) < 0)
}

// Prefix is the range of the keys that begin with p. A prefix without an upper
// neighbour (only 0xff bytes, or empty) is open above.
func Prefix(p []byte) Range {
	r := Range{Lower: bytes.Clone(p)}
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xff {
			r.Upper = bytes.Clone(p[:i+1])
			r.Upper[i]++
			break
		}
	}
	return r
}

// Cursor walks over rows in key order. Key and Value are valid until the next
// call of Next or Close. A cursor sees the rows as they were when it was made,
// whatever is written meanwhile. It is used by one goroutine.
type Cursor interface {
	// Next moves to the next row; false at the end and after an error.
	Next() bool
	Key() []byte
	// Value of the row; nil marks a row that hides an older one of that key.
	Value() []byte
	// Err is the error that ended the walk early.
	Err() error
	// Close releases the cursor. It may be called twice.
	Close() error
}

// Merge walks over two cursors of the same range at once. Rows of newer hide
// rows of older with the same key; rows of newer without a value only hide.
// It closes both.
func Merge(newer, older Cursor, reverse bool) Cursor {
	return &merged{newer: newer, older: older, reverse: reverse}
}

// merged holds a loaded row of each side that has one. A side is advanced only
// when its row was handed out and another one is asked for, so that breaking
// out of a loop reads no row too many (Java's iterators peek in the same way,
// and reading a cached row moves it in the cache's order of use).
type merged struct {
	newer, older         Cursor
	newerIn, olderIn     bool
	newerDone, olderDone bool
	reverse              bool
	cur                  Cursor
	err                  error
}

func (m *merged) Next() bool {
	if m.err != nil {
		return false
	}
	m.drop()
	for {
		if !m.load() {
			return false
		}
		switch {
		case !m.newerIn && !m.olderIn:
			return false
		case !m.newerIn:
			m.cur = m.older
			return true
		}
		order := -1
		if m.olderIn {
			order = bytes.Compare(m.newer.Key(), m.older.Key())
			if m.reverse {
				order = -order
			}
		}
		if order > 0 {
			m.cur = m.older
			return true
		}
		if order == 0 {
			m.olderIn = false
		}
		if m.newer.Value() != nil {
			m.cur = m.newer
			return true
		}
		m.newerIn = false
	}
}

// drop lets go of the row handed out last.
func (m *merged) drop() {
	switch m.cur {
	case nil:
	case m.newer:
		m.newerIn = false
	case m.older:
		m.olderIn = false
	}
	m.cur = nil
}

// load sees to it that each side that is not at its end has a row.
func (m *merged) load() bool {
	if !m.newerIn && !m.newerDone {
		if m.newerIn = m.newer.Next(); !m.newerIn {
			m.newerDone = true
			m.err = m.newer.Err()
		}
	}
	if m.err == nil && !m.olderIn && !m.olderDone {
		if m.olderIn = m.older.Next(); !m.olderIn {
			m.olderDone = true
			m.err = m.older.Err()
		}
	}
	return m.err == nil
}

func (m *merged) Key() []byte   { return m.cur.Key() }
func (m *merged) Value() []byte { return m.cur.Value() }
func (m *merged) Err() error    { return m.err }

func (m *merged) Close() error {
	err := m.newer.Close()
	if olderErr := m.older.Close(); err == nil {
		err = olderErr
	}
	return err
}

// Empty is a cursor without rows.
type Empty struct{}

// Next is false.
func (Empty) Next() bool { return false }

// Key is nil.
func (Empty) Key() []byte { return nil }

// Value is nil.
func (Empty) Value() []byte { return nil }

// Err is nil.
func (Empty) Err() error { return nil }

// Close does nothing.
func (Empty) Close() error { return nil }

// Values walks over a cursor and skips the rows without a value.
type Values struct{ Cursor }

// Next moves to the next row with a value.
func (v Values) Next() bool {
	for v.Cursor.Next() {
		if v.Cursor.Value() != nil {
			return true
		}
	}
	return false
}
