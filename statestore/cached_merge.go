package statestore

import "bytes"

// mergedRows walks over the record cache and the store below at once (Java:
// MergedSortedCacheKeyValueBytesStoreIterator). Where a backward scan comes to
// a cached delete it forgets to turn the order round, as Java does: a delete
// that is behind the next row of the store is given out as a row without a
// value, one that is before it is dropped and no longer hides its row.
type mergedRows struct {
	cached, below         Cursor
	reverse               bool
	cachedIn, belowIn     bool
	cachedDone, belowDone bool
	cachedUsed, belowUsed bool
	key, value            []byte
	err                   error
}

// loadCached sees to it that the next cached row is loaded, if there is one. A
// row that was given out stays as it is until another one is asked for.
func (m *mergedRows) loadCached() bool {
	if m.cachedUsed {
		m.cachedUsed, m.cachedIn = false, false
	}
	if !m.cachedIn && !m.cachedDone && m.err == nil {
		if m.cachedIn = m.cached.Next(); !m.cachedIn {
			m.cachedDone, m.err = true, m.cached.Err()
		}
	}
	return m.cachedIn
}

func (m *mergedRows) loadBelow() bool {
	if m.belowUsed {
		m.belowUsed, m.belowIn = false, false
	}
	if !m.belowIn && !m.belowDone && m.err == nil {
		if m.belowIn = m.below.Next(); !m.belowIn {
			m.belowDone, m.err = true, m.below.Err()
		}
	}
	return m.belowIn
}

func (m *mergedRows) compare() int { return bytes.Compare(m.cached.Key(), m.below.Key()) }

// settle gets rid of cached deletes in front.
func (m *mergedRows) settle() {
	for m.loadCached() && m.cached.Value() == nil {
		if !m.loadBelow() {
			m.cachedIn = false
			continue
		}
		n := m.compare()
		if n > 0 {
			return
		}
		if n == 0 {
			m.belowIn = false
		}
		m.cachedIn = false
	}
}

// Next moves to the next row.
func (m *mergedRows) Next() bool {
	m.settle()
	cached, below := m.loadCached(), m.loadBelow()
	if m.err != nil || !cached && !below {
		return false
	}
	if cached && below {
		n := m.compare()
		if m.reverse {
			n = -n
		}
		switch {
		case n > 0:
			cached = false
		case n == 0:
			m.belowIn = false
		}
	}
	if cached {
		m.key, m.value, m.cachedUsed = m.cached.Key(), m.cached.Value(), true
	} else {
		m.key, m.value, m.belowUsed = m.below.Key(), m.below.Value(), true
	}
	return true
}

func (m *mergedRows) Key() []byte   { return m.key }
func (m *mergedRows) Value() []byte { return m.value }
func (m *mergedRows) Err() error    { return m.err }

func (m *mergedRows) Close() error {
	err := m.cached.Close()
	if belowErr := m.below.Close(); err == nil {
		err = belowErr
	}
	return err
}
