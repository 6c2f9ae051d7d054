package processor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/record"
)

// headerUnit notes the headers it sees and adds one.
type headerUnit struct {
	Out[string, string]
	add  string
	pass func(u *headerUnit, rec Record[string, string]) error
	seen []string
	last *record.Headers
}

func (u *headerUnit) Init(*Node) error { return nil }
func (u *headerUnit) Close() error     { return nil }
func (u *headerUnit) Receive(rec Record[string, string]) error {
	for _, h := range rec.Headers.All() {
		u.seen = append(u.seen, h.Key)
	}
	u.last = rec.Headers
	if u.add != "" {
		rec.Headers.Add(u.add, nil)
	}
	if u.pass != nil {
		return u.pass(u, rec)
	}
	return nil
}

func attach(t *testing.T, h Host, parent Unit, children ...Unit) {
	t.Helper()
	for _, c := range children {
		if err := parent.Attach(NewNode("child", c, h, nil, true)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChildrenShareHeaders(t *testing.T) {
	h := &testHost{}
	parent := &headerUnit{}
	a, b := &headerUnit{add: "a"}, &headerUnit{add: "b"}
	attach(t, h, parent, a, b)
	list := record.NewHeaders()
	if err := parent.Pass(Record[string, string]{Headers: list}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a"}, b.seen); d != "" || list.Len() != 2 {
		t.Errorf("the second child sees %s; the record has %v", d, list.All())
	}
}

// TestNewRecordHasHeadersOfItsOwn: what is added below a node that makes new
// records is seen neither above nor in the next new record.
func TestNewRecordHasHeadersOfItsOwn(t *testing.T) {
	for _, given := range [][]record.Header{nil, {{Key: "given"}}} {
		h := &testHost{}
		parent := &headerUnit{}
		mapping := &headerUnit{pass: func(u *headerUnit, rec Record[string, string]) error {
			if err := u.Forward(rec); err != nil {
				return err
			}
			return u.Forward(rec)
		}}
		adds, sees := &headerUnit{add: "below"}, &headerUnit{}
		attach(t, h, parent, mapping, sees)
		attach(t, h, mapping, adds)
		if err := parent.Pass(Record[string, string]{Headers: record.NewHeaders(given...)}); err != nil {
			t.Fatal(err)
		}
		var once, twice []string
		for _, e := range given {
			once, twice = append(once, e.Key), append(twice, e.Key, e.Key)
		}
		if d := cmp.Diff(once, sees.seen); d != "" {
			t.Errorf("given %v, a sibling sees %s", given, d)
		}
		if d := cmp.Diff(twice, adds.seen); d != "" {
			t.Errorf("given %v, two new records have %s", given, d)
		}
	}
}

// TestRecordInARecordHasItsOwnHeaders: a node may be come back to while a
// record it has made is on its way, as in a flush of the record cache.
func TestRecordInARecordHasItsOwnHeaders(t *testing.T) {
	h := &testHost{}
	parent := &headerUnit{}
	inner, outer := &headerUnit{add: "inner"}, &headerUnit{}
	deep := false
	inner.pass = func(*headerUnit, Record[string, string]) error {
		if deep {
			return nil
		}
		deep = true
		return parent.Forward(Record[string, string]{})
	}
	attach(t, h, parent, inner, outer)
	if err := parent.Forward(Record[string, string]{}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"inner", "inner"}, outer.seen); d != "" {
		t.Error(d)
	}
}

type keeper struct {
	Base[string, string]
	kept []Record[string, string]
}

func (k *keeper) Process(_ *Context[string, string], rec Record[string, string]) error {
	k.kept = append(k.kept, rec)
	return nil
}

type fixedKeeper struct {
	FixedKeyBase[string, string]
	kept []FixedKeyRecord[string, string]
}

func (k *fixedKeeper) Process(ctx *FixedKeyContext[string, string], rec FixedKeyRecord[string, string]) error {
	k.kept = append(k.kept, rec, WithFixedKeyValue(rec, "v"), rec.WithTimestamp(1), WithFixedKeyNull[string](rec))
	return ctx.Forward(rec)
}

// TestKeptRecordsAreIndependent: a processor may keep records; what it adds to
// the headers of one is not seen in another.
func TestKeptRecordsAreIndependent(t *testing.T) {
	h := &testHost{}
	parent := &headerUnit{}
	k, fixed := &keeper{}, &fixedKeeper{}
	fixedUnit := NewFixedKeyUnit[string, string, string](fixed)
	child := &headerUnit{}
	attach(t, h, parent, NewProcessorUnit[string, string, string, string](k), fixedUnit)
	attach(t, h, fixedUnit, child)
	if err := fixedUnit.Init(NewNode("fixed", fixedUnit, h, nil, true)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := parent.Forward(Record[string, string]{Key: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	lists := []*record.Headers{child.last}
	for _, r := range k.kept {
		lists = append(lists, r.Headers, WithKey(r, 1).Headers, WithValue(r, 2).Headers)
	}
	for _, r := range fixed.kept {
		lists = append(lists, r.Headers())
	}
	if len(lists) != 1+6+8 {
		t.Fatalf("%d lists", len(lists))
	}
	for i, l := range lists {
		if l.Len() != 0 {
			t.Errorf("list %d is that of an earlier record", i)
		}
		l.Add("h", nil)
	}
}
