package record

// Lists hands out the headers of the records that one node makes: each such
// record has a list of its own, a copy of the one it was made of, as the
// constructor of Java's Record sees to. Most records have no headers, and then
// one empty list serves them all in turn, as long as it comes back empty and
// nobody keeps it. It belongs to one task.
type Lists struct {
	spare *Headers
	block []Headers
}

// listBlock is how many lists are made at a time where they are not given back.
const listBlock = 16

// Copy returns an independent list with the same headers. Give it back with
// Done when the record has been processed.
func (l *Lists) Copy(h *Headers) *Headers {
	if h.Len() > 0 {
		own := l.fresh()
		h.CopyTo(own)
		return own
	}
	return l.empty()
}

// Of is Copy for headers that are not yet a list. The slice is not changed.
func (l *Lists) Of(from []Header) *Headers {
	if len(from) > 0 {
		own := l.fresh()
		own.list, own.shared = from[:len(from):len(from)], true
		return own
	}
	return l.empty()
}

func (l *Lists) empty() *Headers {
	if h := l.spare; h != nil {
		l.spare = nil
		return h
	}
	return l.fresh()
}

func (l *Lists) fresh() *Headers {
	if len(l.block) == 0 {
		l.block = make([]Headers, listBlock)
	}
	h := &l.block[0]
	l.block = l.block[1:]
	return h
}

// Done takes a list back. One that has headers stays with whoever may have
// kept it.
func (l *Lists) Done(h *Headers) {
	if h == nil || len(h.list) > 0 || h.kept {
		return
	}
	h.list, h.shared = nil, false
	h.uses++
	l.spare = h
}

// Keep says that the list may be held for longer than its record is processed,
// so that it serves no other record.
func (h *Headers) Keep() {
	if h != nil {
		h.kept = true
	}
}

// Held is a list as one record had it. Should the list serve another record
// later, it was empty when this one had been processed.
type Held struct {
	h    *Headers
	uses uint32
}

// Hold remembers the list, which may be nil, with what is added to it while
// its record is processed.
func (h *Headers) Hold() Held {
	if h == nil {
		return Held{}
	}
	return Held{h, h.uses}
}

// Headers is the list, nil if it is empty.
func (h Held) Headers() *Headers {
	if h.h == nil || h.h.uses != h.uses || len(h.h.list) == 0 {
		return nil
	}
	return h.h
}
