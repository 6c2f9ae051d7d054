package table

import "sync/atomic"

// arena holds bytes in chunks that never move. While a cursor pins it nothing
// in it is overwritten, so that slices into it stay as they were.
type arena struct {
	chunks [][]byte
	// size is the capacity of all chunks, used what was handed out of it.
	size, used int
	pins       atomic.Int32
}

const (
	firstChunk = 4 << 10
	lastChunk  = 1 << 20
)

// place is where bytes lie: chunk number and offset in it.
type place uint64

func (a *arena) at(p place, n uint32) []byte {
	c := a.chunks[p>>32]
	off := uint32(p)
	return c[off : off+n : off+n]
}

// reserve returns room for n bytes.
func (a *arena) reserve(n int) place {
	last := len(a.chunks) - 1
	if last < 0 || cap(a.chunks[last])-len(a.chunks[last]) < n {
		size := firstChunk
		if last >= 0 {
			size = min(2*cap(a.chunks[last]), lastChunk)
		}
		size = max(size, n)
		a.chunks = append(a.chunks, make([]byte, 0, size))
		a.size += size
		last++
	}
	c := a.chunks[last]
	p := place(uint64(last)<<32 | uint64(len(c)))
	a.chunks[last] = c[:len(c)+n]
	a.used += n
	return p
}

// reset forgets everything. Only the largest chunk is kept for reuse: it is
// enough for the small tables that are cleared often.
func (a *arena) reset() {
	var keep []byte
	for _, c := range a.chunks {
		if cap(c) <= lastChunk && cap(c) > cap(keep) {
			keep = c
		}
	}
	clear(a.chunks)
	a.chunks = a.chunks[:0]
	a.size, a.used = 0, 0
	if keep != nil {
		a.chunks = append(a.chunks, keep[:0])
		a.size = cap(keep)
	}
}
