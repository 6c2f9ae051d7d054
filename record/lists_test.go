package record

import "testing"

func TestListsServeEmptyRecordsInTurn(t *testing.T) {
	var l Lists
	first := l.Copy(nil)
	nested := l.Copy(first)
	if first == nested {
		t.Error("two records have one list at the same time")
	}
	l.Done(nested)
	if again := l.Copy(nil); again != nested {
		t.Error("an empty list is not used again")
	}
}

func TestListsAreIndependent(t *testing.T) {
	var l Lists
	from := NewHeaders(Header{Key: "a", Value: []byte("1")})
	h := l.Copy(from)
	h.Add("b", nil)
	from.Add("c", nil)
	if from.Len() != 2 || h.Len() != 2 || h.All()[1].Key != "b" {
		t.Errorf("%v and %v", from.All(), h.All())
	}
	l.Done(h)
	if other := l.Copy(nil); other == h || other.Len() != 0 {
		t.Error("a list with headers was given to another record")
	}
	raw := []Header{{Key: "d"}, {Key: "e"}}
	of := l.Of(raw)
	of.Remove("d")
	of.Add("f", nil)
	if all := of.All(); len(all) != 2 || all[0].Key != "e" || all[1].Key != "f" || raw[0].Key != "d" || raw[1].Key != "e" {
		t.Errorf("list of a topic's headers: %v, those are %v", all, raw)
	}
}

func TestKeptListsAreNotUsedAgain(t *testing.T) {
	var l Lists
	h := l.Copy(nil)
	h.Keep()
	l.Done(h)
	if l.Copy(nil) == h {
		t.Error("a list that is kept was given to another record")
	}
}

func TestHeldHeaders(t *testing.T) {
	var l Lists
	h := l.Copy(nil)
	held := h.Hold()
	if held.Headers() != nil {
		t.Error("an empty list has headers")
	}
	h.Add("late", []byte("1"))
	if got := held.Headers(); got.Len() != 1 {
		t.Errorf("a header added later does not show: %v", got.All())
	}
	l.Done(h)
	if got := held.Headers(); got.Len() != 1 {
		t.Errorf("a header is gone with its record: %v", got.All())
	}

	h = l.Copy(nil)
	held = h.Hold()
	l.Done(h)
	if again := l.Copy(nil); again != h {
		t.Fatal("another list")
	}
	h.Add("other", nil)
	if held.Headers() != nil {
		t.Error("the header of another record shows")
	}
	if (*Headers)(nil).Hold().Headers() != nil {
		t.Error("no list has headers")
	}
}

func TestListsAllocateNothing(t *testing.T) {
	var l Lists
	l.Done(l.Copy(nil))
	if n := testing.AllocsPerRun(100, func() { l.Done(l.Copy(nil)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
