package table

import "github.com/millrace/millrace/statestore/internal/scan"

// First is the key a cursor over the range would come to first. Mu must be held,
// at least for reading; the key is valid until the table changes.
func (t *Table) First(r scan.Range) (key []byte, ok bool) {
	if r.Empty() || t.live == 0 {
		return nil, false
	}
	t.scans.Lock()
	defer t.scans.Unlock()
	if t.order == nil {
		t.order = newOrder(t)
	}
	c := &Cursor{t: t, r: r}
	c.portion = 1
	c.fetch()
	if len(c.rows) == 0 {
		return nil, false
	}
	return c.rows[0].key, true
}
