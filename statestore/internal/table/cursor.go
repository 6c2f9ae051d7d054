package table

import (
	"bytes"
	"math"
	"slices"

	"github.com/millrace/millrace/statestore/internal/scan"
)

// Cursor walks over the rows of a table as they were when it was made. It
// fetches rows in growing portions; when the writer is about to change the
// table it first lets each open cursor fetch the rest, so a scan that stops
// early costs little and one that goes on sees no change. It locks the table
// itself and never while the caller's code runs.
type Cursor struct {
	t       *Table
	r       scan.Range
	unpin   func()
	rows    []row
	at      int
	portion int
	// key and value are the row handed out, apart from rows, which the writer
	// may extend at any time.
	key, value []byte
	// whole says that rows holds everything that is left.
	whole  bool
	closed bool
}

type row struct{ key, value []byte }

const (
	firstPortion = 8
	lastPortion  = 512
)

// NewCursor makes a cursor over the range. Mu must be held, at least for
// reading.
func (t *Table) NewCursor(r scan.Range) *Cursor {
	c := &Cursor{t: t, r: r, at: -1, portion: firstPortion}
	if r.Empty() || t.live == 0 {
		c.whole = true
		c.unpin = func() {}
		return c
	}
	c.unpin = t.Pin()
	t.scans.Lock()
	defer t.scans.Unlock()
	if t.order == nil {
		t.order = newOrder(t)
	}
	t.cursors = append(t.cursors, c)
	c.fetch()
	return c
}

// detach lets every open cursor fetch what it has not yet seen.
func (t *Table) detach() {
	t.scans.Lock()
	defer t.scans.Unlock()
	for _, c := range t.cursors {
		c.portion = math.MaxInt
		c.fetch()
	}
	t.cursors = t.cursors[:0]
}

// fetch appends the next portion of rows. Rows already handed out are let go.
func (c *Cursor) fetch() {
	if c.whole {
		return
	}
	if c.at > 0 {
		c.rows = slices.Delete(c.rows, 0, c.at)
		c.at = 0
	}
	room := c.portion
	if c.portion < lastPortion {
		c.portion *= 2
	}
	if c.r.Reverse {
		c.fetchDown(room)
	} else {
		c.fetchUp(room)
	}
}

func (c *Cursor) fetchUp(room int) {
	t, o := c.t, c.t.order
	b, at := 0, 0
	if n := len(c.rows); n > 0 {
		last := c.rows[n-1].key
		if b, at = o.seek(t, last); b < len(o.blocks) && bytes.Equal(t.Key(o.blocks[b][at]), last) {
			at++
		}
	} else if c.r.Lower != nil {
		b, at = o.seek(t, c.r.Lower)
	}
	for ; b < len(o.blocks); b, at = b+1, 0 {
		for ; at < len(o.blocks[b]); at++ {
			key := t.Key(o.blocks[b][at])
			if c.r.Upper != nil && bytes.Compare(key, c.r.Upper) >= 0 {
				c.whole = true
				return
			}
			if room == 0 {
				return
			}
			room--
			c.rows = append(c.rows, row{key, t.Value(o.blocks[b][at])})
		}
	}
	c.whole = true
}

func (c *Cursor) fetchDown(room int) {
	t, o := c.t, c.t.order
	b, at := len(o.blocks), 0
	if n := len(c.rows); n > 0 {
		b, at = o.seek(t, c.rows[n-1].key)
	} else if c.r.Upper != nil {
		b, at = o.seek(t, c.r.Upper)
	}
	for {
		if at == 0 {
			if b == 0 {
				c.whole = true
				return
			}
			b--
			at = len(o.blocks[b])
		}
		at--
		key := t.Key(o.blocks[b][at])
		if c.r.Lower != nil && bytes.Compare(key, c.r.Lower) < 0 {
			c.whole = true
			return
		}
		if room == 0 {
			return
		}
		room--
		c.rows = append(c.rows, row{key, t.Value(o.blocks[b][at])})
	}
}

// Next moves to the next row.
func (c *Cursor) Next() bool {
	c.t.Mu.RLock()
	defer c.t.Mu.RUnlock()
	if c.closed {
		return false
	}
	if c.at+1 >= len(c.rows) && !c.whole {
		c.t.scans.Lock()
		c.fetch()
		c.t.scans.Unlock()
	}
	if c.at+1 >= len(c.rows) {
		return false
	}
	c.at++
	c.key, c.value = c.rows[c.at].key, c.rows[c.at].value
	return true
}

// Key is the key of the row.
func (c *Cursor) Key() []byte { return c.key }

// Value is the value of the row, nil if it has none.
func (c *Cursor) Value() []byte { return c.value }

// Err is nil: reading a table cannot fail.
func (c *Cursor) Err() error { return nil }

// Close lets go of the table.
func (c *Cursor) Close() error {
	c.t.Mu.RLock()
	defer c.t.Mu.RUnlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.t.scans.Lock()
	if i := slices.Index(c.t.cursors, c); i >= 0 {
		c.t.cursors = slices.Delete(c.t.cursors, i, i+1)
	}
	c.t.scans.Unlock()
	c.unpin()
	return nil
}
