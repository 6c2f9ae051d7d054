// Package record holds what a record carries besides its key and value: its
// headers and where it came from. It lies below every other package, so that
// serdes, stores and processors can speak of them without knowing each other.
package record

import "slices"

// Header is one key-value pair of a record. A nil Value is Kafka's null, which
// differs from an empty one.
type Header struct {
	Key   string
	Value []byte
}

// Headers is the ordered list of headers of one record, mutable in place and
// shared by every node that receives this record, as Java's RecordHeaders is: a
// header added by one child of a node is seen by its later siblings. A record
// that a node makes has a list of its own, see [Lists]. The nil *Headers is a
// valid empty list for reading.
type Headers struct {
	list []Header
	// shared says that another list may have the same array.
	shared bool
	kept   bool
	// uses counts the records the list has served, see [Lists].
	uses uint32
}

// NewHeaders returns headers that hold the given pairs in order.
func NewHeaders(list ...Header) *Headers { return &Headers{list: list} }

// Len returns the number of headers.
func (h *Headers) Len() int {
	if h == nil {
		return 0
	}
	return len(h.list)
}

// All returns the headers in order. The slice is valid until the next change
// and must not be written to.
func (h *Headers) All() []Header {
	if h == nil {
		return nil
	}
	return h.list
}

// Add appends a header; earlier ones of the same key stay.
func (h *Headers) Add(key string, value []byte) {
	h.list = append(h.list, Header{Key: key, Value: value})
}

// Remove deletes every header of the key.
func (h *Headers) Remove(key string) {
	if h == nil {
		return
	}
	if h.shared {
		h.list, h.shared = slices.Clone(h.list), false
	}
	h.list = slices.DeleteFunc(h.list, func(e Header) bool { return e.Key == key })
}

// Last returns the value of the last header of the key, and whether there is one.
func (h *Headers) Last(key string) ([]byte, bool) {
	for i := h.Len() - 1; i >= 0; i-- {
		if h.list[i].Key == key {
			return h.list[i].Value, true
		}
	}
	return nil, false
}

// Clone returns an independent list with the same headers; values are shared.
func (h *Headers) Clone() *Headers {
	if h.Len() == 0 {
		return &Headers{}
	}
	return &Headers{list: slices.Clone(h.list)}
}

// CopyTo makes dst an independent list with the same headers, like Clone, but
// copies nothing before one of the two is changed.
func (h *Headers) CopyTo(dst *Headers) {
	n := h.Len()
	if n == 0 {
		dst.list, dst.shared = nil, false
		return
	}
	h.shared = true
	dst.list, dst.shared = h.list[:n:n], true
}

// Reset makes the list empty and keeps its memory.
func (h *Headers) Reset() {
	if h.shared {
		h.list, h.shared = nil, false
	}
	h.list = h.list[:0]
}
