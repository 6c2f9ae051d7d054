package javaorder

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vector is one order seen on a JVM that runs Kafka Streams: a flat set when
// In holds strings, a set of sets when it holds lists.
type vector struct {
	Name   string
	In     json.RawMessage
	Hashes []int32
	Out    string
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestStreamsVectors(t *testing.T) {
	var vectors []vector
	readJSON(t, "testdata/vectors.json", &vectors)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			if v.Name == "java_hashset_of_sets_order" {
				checkSetOfSets(t, v)
				return
			}
			checkSet(t, v)
		})
	}
}

func checkSet(t *testing.T, v vector) {
	var in []string
	if err := json.Unmarshal(v.In, &in); err != nil {
		t.Fatal(err)
	}
	for i, want := range v.Hashes {
		if got := StringHash(in[i]); got != want {
			t.Errorf("hash of %q: got %d, want %d", in[i], got, want)
		}
	}
	got := HashSetOrder(in)
	if strings.HasPrefix(v.Name, "java_hashset_order_incremental") {
		s := NewHashSet()
		s.AddAll(in)
		got = s.Slice()
	}
	if got := strings.Join(got, ","); got != v.Out {
		t.Errorf("got %s, want %s", got, v.Out)
	}
}

func checkSetOfSets(t *testing.T, v vector) {
	var in [][]string
	if err := json.Unmarshal(v.In, &in); err != nil {
		t.Fatal(err)
	}
	all := NewSetOfSets()
	for i, members := range in {
		if got := SetHash(members); got != v.Hashes[i] {
			t.Errorf("hash of %v: got %d, want %d", members, got, v.Hashes[i])
		}
		all.Add(HashSetOf(members))
	}
	var groups []string
	for s := range all.All() {
		groups = append(groups, "["+strings.Join(s.Slice(), ", ")+"]")
	}
	if got := "[" + strings.Join(groups, ", ") + "]"; got != v.Out {
		t.Errorf("got %s, want %s", got, v.Out)
	}
}

// TestJVMOrders replays what testdata/Orders.java saw.
func TestJVMOrders(t *testing.T) {
	var cases []json.RawMessage
	readJSON(t, "testdata/orders.json", &cases)
	replay := map[string]func(*testing.T, json.RawMessage){
		"set": replaySet, "sets": replaySets, "queue": replayQueue,
		"bytes": replayBytes, "string": replayString, "sorted": replaySorted,
	}
	for i, raw := range cases {
		var c struct{ Kind string }
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("%s/%d", c.Kind, i), func(t *testing.T) { replay[c.Kind](t, raw) })
	}
}

func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func replaySet(t *testing.T, raw json.RawMessage) {
	c := decode[struct {
		In, Copied, Incremental, Removed, AfterRemove, AfterAdd, AfterClear []string
	}](t, raw)
	check := func(what string, got, want []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-java +got):\n%s", what, diff)
		}
	}
	check("copied", HashSetOrder(c.In), c.Copied)
	s := NewHashSet()
	s.AddAll(c.In)
	check("incremental", s.Slice(), c.Incremental)
	for _, m := range c.Removed {
		s.Remove(m)
	}
	check("after remove", s.Slice(), c.AfterRemove)
	s.AddAll(c.Removed)
	check("after add", s.Slice(), c.AfterAdd)
	s.Clear()
	s.AddAll(c.Removed)
	check("after clear", s.Slice(), c.AfterClear)
}

func replaySets(t *testing.T, raw json.RawMessage) {
	c := decode[struct{ In, Out [][]string }](t, raw)
	all := NewSetOfSets()
	for _, members := range c.In {
		all.Add(HashSetOf(members))
	}
	var got [][]string
	for s := range all.All() {
		got = append(got, s.Slice())
	}
	if diff := cmp.Diff(c.Out, got); diff != "" {
		t.Errorf("(-java +got):\n%s", diff)
	}
}

func replayQueue(t *testing.T, raw json.RawMessage) {
	c := decode[struct{ Steps []string }](t, raw)
	priority := func(s string) int {
		p, err := strconv.Atoi(s[:strings.IndexByte(s, ':')])
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	q := NewPriorityQueue(func(a, b string) bool { return priority(a) < priority(b) })
	for _, step := range c.Steps {
		what, want, _ := strings.Cut(step, " = ")
		verb, arg, _ := strings.Cut(what, " ")
		switch verb {
		case "offer":
			q.Offer(arg)
		case "poll":
			if got, ok := q.Poll(); ok != (arg != "null") || ok && got != arg {
				t.Fatalf("%s: got %q, %t", what, got, ok)
			}
		case "remove":
			if !q.Remove(func(s string) bool { return s == arg }) {
				t.Fatalf("%s: not found", what)
			}
		}
		if got := strings.Join(q.Slice(), " "); got != want {
			t.Fatalf("after %s: got %s, want %s", what, got, want)
		}
	}
}

func replayBytes(t *testing.T, raw json.RawMessage) {
	c := decode[struct {
		Hex  string
		Hash int32
	}](t, raw)
	b, err := hex.DecodeString(c.Hex)
	if err != nil {
		t.Fatal(err)
	}
	if got := BytesHash(string(b)); got != c.Hash {
		t.Errorf("hash of %s: got %d, want %d", c.Hex, got, c.Hash)
	}
}

func replayString(t *testing.T, raw json.RawMessage) {
	c := decode[struct {
		S    string
		Hash int32
	}](t, raw)
	if got := StringHash(c.S); got != c.Hash {
		t.Errorf("hash of %q: got %d, want %d", c.S, got, c.Hash)
	}
}

func replaySorted(t *testing.T, raw json.RawMessage) {
	c := decode[struct{ Out []string }](t, raw)
	got := slices.Clone(c.Out)
	slices.Reverse(got)
	slices.SortFunc(got, CompareStrings)
	if diff := cmp.Diff(c.Out, got); diff != "" {
		t.Errorf("(-java +got):\n%s", diff)
	}
}

func TestHashMap(t *testing.T) {
	m := NewStringMap[int]()
	if m.Delete("x") {
		t.Error("deleted from an empty map")
	}
	m.Put("b", 1)
	m.Put("a", 2)
	m.Put("b", 3)
	if v, ok := m.Get("b"); v != 3 || !ok {
		t.Errorf("b: got %d, %t", v, ok)
	}
	if _, ok := m.Get("c"); ok {
		t.Error("c is present")
	}
	if got := strings.Join(m.Keys(), ""); got != "ab" || m.Len() != 2 {
		t.Errorf("got %s, %d entries", got, m.Len())
	}
	for k := range m.All() {
		if k != "a" {
			t.Errorf("first key %s", k)
		}
		break
	}
	m.Grow(1000) // too late: the table exists
	m.Clear()
	if m.Len() != 0 || len(m.Keys()) != 0 {
		t.Error("entries after Clear")
	}
}

func TestSets(t *testing.T) {
	s := NewHashSet()
	if !s.Add("x") || s.Add("x") || s.Len() != 1 || !s.Contains("x") || s.Contains("y") {
		t.Error("Add or Contains")
	}
	if !s.Remove("x") || s.Remove("x") {
		t.Error("Remove")
	}
	all := NewSetOfSets()
	if !all.Add(HashSetOf([]string{"a", "b"})) || all.Add(HashSetOf([]string{"b", "a"})) || !all.Add(NewHashSet()) || all.Len() != 2 {
		t.Error("sets of equal members are one")
	}
}

func TestPriorityQueueEmpty(t *testing.T) {
	q := NewPriorityQueue(func(a, b int) bool { return a < b })
	if _, ok := q.Peek(); ok {
		t.Error("peek of an empty queue")
	}
	if _, ok := q.Poll(); ok {
		t.Error("poll of an empty queue")
	}
	q.Offer(2)
	q.Offer(1)
	if x, ok := q.Peek(); x != 1 || !ok || q.Len() != 2 {
		t.Errorf("peek: got %d, %t", x, ok)
	}
	q.Clear()
	if q.Len() != 0 || q.Remove(func(int) bool { return true }) {
		t.Error("elements after Clear")
	}
}
