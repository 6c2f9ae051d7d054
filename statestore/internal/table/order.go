package table

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// order keeps row numbers sorted by key in blocks, so that a new row costs a
// binary search and the move of part of one block. It exists from the first
// scan until the table is cleared: tables nobody scans pay nothing.
type order struct {
	blocks [][]int32
}

const (
	blockFill = 256
	blockMax  = 512
)

func newOrder(t *Table) *order {
	rows := make([]int32, 0, t.live)
	for i := range t.entries {
		if t.entries[i].vlen != freeRow {
			rows = append(rows, int32(i))
		}
	}
	t.SortByKey(rows)
	o := &order{}
	for chunk := range slices.Chunk(rows, blockFill) {
		o.blocks = append(o.blocks, append(make([]int32, 0, blockMax), chunk...))
	}
	return o
}

// SortByKey sorts row numbers by the unsigned order of their keys. The first
// eight bytes of each key are compared where they lie together; the arena is
// only asked when they are equal.
func (t *Table) SortByKey(rows []int32) {
	type row struct {
		head uint64
		i    int32
	}
	list := make([]row, len(rows))
	for n, i := range rows {
		list[n] = row{keyHead(t.Key(i)), i}
	}
	slices.SortFunc(list, func(a, b row) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(t.Key(a.i), t.Key(b.i))
	})
	for n := range list {
		rows[n] = list[n].i
	}
}

func keyHead(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var b [8]byte
	copy(b[:], key)
	return binary.BigEndian.Uint64(b[:])
}

// seek finds the first position whose key is not below key.
func (o *order) seek(t *Table, key []byte) (block, at int) {
	block, _ = slices.BinarySearchFunc(o.blocks, key, func(b []int32, key []byte) int {
		if bytes.Compare(t.Key(b[len(b)-1]), key) < 0 {
			return -1
		}
		return 1
	})
	if block == len(o.blocks) {
		return block, 0
	}
	at, _ = slices.BinarySearchFunc(o.blocks[block], key, func(i int32, key []byte) int {
		return bytes.Compare(t.Key(i), key)
	})
	return block, at
}

func (o *order) insert(t *Table, row int32) {
	b, at := o.seek(t, t.Key(row))
	if b == len(o.blocks) {
		if b == 0 {
			o.blocks = append(o.blocks, append(make([]int32, 0, blockMax), row))
			return
		}
		b--
		at = len(o.blocks[b])
	}
	if len(o.blocks[b]) == blockMax {
		right := append(make([]int32, 0, blockMax), o.blocks[b][blockFill:]...)
		o.blocks[b] = o.blocks[b][:blockFill]
		o.blocks = slices.Insert(o.blocks, b+1, right)
		if at > blockFill {
			b, at = b+1, at-blockFill
		}
	}
	o.blocks[b] = slices.Insert(o.blocks[b], at, row)
}

func (o *order) remove(t *Table, row int32) {
	b, at := o.seek(t, t.Key(row))
	o.blocks[b] = slices.Delete(o.blocks[b], at, at+1)
	if len(o.blocks[b]) == 0 {
		o.blocks = slices.Delete(o.blocks, b, b+1)
	}
}
