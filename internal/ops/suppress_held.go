package ops

import (
	"unicode/utf16"

	"github.com/millrace/millrace/internal/storebytes"
)

// heldUpdate is the update of one key.
type heldUpdate struct {
	storebytes.Buffered
	key string
	// at is its place in the heap.
	at int
}

// size is what the update counts for in the limit of bytes, as Java estimates
// it.
func (u *heldUpdate) size() int64 {
	n := 8 + len(u.key) + len(u.Prior) + len(u.New)
	if string(u.Old) != string(u.Prior) {
		n += len(u.Old)
	}
	n += 8 + 8 + 4 + utf16Len(u.Context.Topic)
	for _, h := range u.Context.Headers.All() {
		n += utf16Len(h.Key) + len(h.Value)
	}
	return int64(n)
}

// utf16Len is the length of a text in Java.
func utf16Len(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// heldUpdates is a heap by time and key.
type heldUpdates []*heldUpdate

// Len implements heap.Interface.
func (h heldUpdates) Len() int { return len(h) }

// Less implements heap.Interface.
func (h heldUpdates) Less(i, j int) bool {
	if h[i].Time != h[j].Time {
		return h[i].Time < h[j].Time
	}
	return h[i].key < h[j].key
}

// Swap implements heap.Interface.
func (h heldUpdates) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push implements heap.Interface.
func (h *heldUpdates) Push(x any) {
	u := x.(*heldUpdate)
	u.at = len(*h)
	*h = append(*h, u)
}

// Pop implements heap.Interface.
func (h *heldUpdates) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}
