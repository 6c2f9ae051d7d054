package ops

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/processor"
)

// byFirst selects "key:value" texts; a missing half becomes null.
func byFirst(_, v string) (*string, *string) {
	k, rest, _ := strings.Cut(v, ":")
	part := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return part(k), part(rest)
}

func TestTableSelectHalves(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string
		want     []string
	}{
		{"insert", "", "a:1", []string{"a:1<--@5"}},
		{"delete", "a:1", "", []string{"a:-<-1@5"}},
		{"same key", "a:1", "a:2", []string{"a:2<-1@5"}},
		{"other key", "a:1", "b:2", []string{"a:-<-1@5", "b:2<--@5"}},
		{"null new key", "a:1", ":2", []string{"a:-<-1@5"}},
		{"null new value", "a:1", "a:", []string{"a:-<-1@5"}},
		{"null old key", ":1", "b:2", []string{"b:2<--@5"}},
		{"nothing", ":1", "b:", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			u, out := unit(t, NewTableSelect(byFirst)), &sink[*string, processor.Change[*string]]{}
			pipe(h, u, out)
			feed(h, u, kv("k", processor.Change[string]{Old: c.old, New: c.new, HasOld: c.old != "", HasNew: c.new != ""}, 5))
			plain := &sink[string, processor.Change[*string]]{}
			for _, r := range out.got {
				plain.got = append(plain.got, processor.Record[string, processor.Change[*string]]{Key: *r.Key, Value: r.Value, Timestamp: r.Timestamp})
			}
			want(t, changes(plain), c.want...)
			if h.dropped != 0 {
				t.Errorf("%d records dropped", h.dropped)
			}
		})
	}
}

func TestTableSelectSkipsStaleUpdatesOfVersionedTables(t *testing.T) {
	h := newHost(t)
	plan := NewTableSelect(func(k, v string) (string, string) { return v, k })
	u, out := unit(t, plan), &sink[string, processor.Change[string]]{}
	pipe(h, u, out)
	stale := kv("k", processor.Change[string]{New: "a", HasNew: true, Stale: true}, 5)
	feed(h, u, stale)
	want(t, changes(out), "a:k<--@5 stale")
	plan.UseVersioned(true)
	feed(h, u, stale)
	want(t, changes(out))
}

func TestKeyEqual(t *testing.T) {
	type pair struct {
		A string
		N int
	}
	type boxed struct{ P *string }
	bytes := []byte("x")
	for name, c := range map[string][2]bool{
		"string":             {keyEqual[string]()("a", strings.Clone("a")), keyEqual[string]()("a", "b")},
		"struct":             {keyEqual[pair]()(pair{"a", 1}, pair{"a", 1}), keyEqual[pair]()(pair{"a", 1}, pair{"a", 2})},
		"pointer":            {keyEqual[*string]()(text("a"), text("a")), keyEqual[*string]()(text("a"), text("b"))},
		"struct of pointers": {keyEqual[boxed]()(boxed{text("a")}, boxed{text("a")}), keyEqual[boxed]()(boxed{text("a")}, boxed{text("b")})},
		"bytes":              {keyEqual[[]byte]()(bytes, bytes), keyEqual[[]byte]()(bytes, []byte("x"))},
		"any string":         {keyEqual[any]()("a", "a"), keyEqual[any]()("a", 1)},
		"any bytes":          {keyEqual[any]()(bytes, bytes), keyEqual[any]()(bytes, []byte("x"))},
		"any struct":         {keyEqual[any]()(boxed{text("a")}, boxed{text("a")}), keyEqual[any]()(boxed{text("a")}, pair{"a", 1})},
		"list":               {keyEqual[[]int]()([]int{1}, []int{1}), keyEqual[[]int]()([]int{1}, []int{2})},
	} {
		if !c[0] || c[1] {
			t.Errorf("%s: equal keys %v, other keys %v", name, c[0], c[1])
		}
	}
}
