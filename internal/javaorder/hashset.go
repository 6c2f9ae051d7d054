package javaorder

import (
	"iter"
	"slices"
	"strings"
)

// HashSet iterates in the order of a java.util.HashSet<String> that saw the
// same calls. A HashSet is for one goroutine.
type HashSet struct {
	m *HashMap[string, struct{}]
}

// NewHashSet returns an empty set, as Java's `new HashSet<>()`.
func NewHashSet() *HashSet { return &HashSet{m: NewStringMap[struct{}]()} }

// HashSetOf returns a set of the given strings, as Java's
// `new HashSet<>(collection)`, which sizes the table for the collection before
// it adds the members one by one.
func HashSetOf(members []string) *HashSet {
	s := NewHashSet()
	s.m.Grow(len(members))
	s.AddAll(members)
	return s
}

// Add adds a member; a present one keeps its place. It reports whether the
// member is new.
func (s *HashSet) Add(member string) bool {
	n := s.m.Len()
	s.m.Put(member, struct{}{})
	return s.m.Len() > n
}

// AddAll adds the members one by one, as HashSet.addAll does.
func (s *HashSet) AddAll(members []string) {
	for _, m := range members {
		s.m.Put(m, struct{}{})
	}
}

// Remove removes a member and reports whether it was present.
func (s *HashSet) Remove(member string) bool { return s.m.Delete(member) }

// Contains reports whether member is in the set.
func (s *HashSet) Contains(member string) bool {
	_, ok := s.m.Get(member)
	return ok
}

// Len returns the number of members.
func (s *HashSet) Len() int { return s.m.Len() }

// Clear removes every member; the table keeps its size.
func (s *HashSet) Clear() { s.m.Clear() }

// All yields the members in Java's order. The set must not be changed
// meanwhile.
func (s *HashSet) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for m := range s.m.All() {
			if !yield(m) {
				return
			}
		}
	}
}

// Slice returns the members in Java's order.
func (s *HashSet) Slice() []string { return s.m.Keys() }

// HashSetOrder returns the distinct strings in the order in which
// `new HashSet<>(list)` iterates.
func HashSetOrder(list []string) []string { return HashSetOf(list).Slice() }

// SetOfSets iterates in the order of a java.util.HashSet<Set<String>>. Two
// sets with the same members are one member, whatever their inner order.
type SetOfSets struct {
	m *HashMap[string, *HashSet]
}

// memberGlue joins the sorted members of a set to its identity. NUL appears in
// no topic, store or node name.
const memberGlue = "\x00"

// NewSetOfSets returns an empty set of sets, as `new HashSet<Set<String>>()`.
func NewSetOfSets() *SetOfSets {
	return &SetOfSets{m: NewHashMap[string, *HashSet](func(id string) int32 {
		if id == "" {
			return 0
		}
		return SetHash(strings.Split(id, memberGlue))
	})}
}

// Grow makes the first table large enough for n sets, as Java's
// `new HashSet<>(collection)` does for a collection of n, equal sets included.
func (s *SetOfSets) Grow(n int) { s.m.Grow(n) }

// Add adds a set unless one with the same members is present, and reports
// whether it was added. The set must not be changed afterwards.
func (s *SetOfSets) Add(set *HashSet) bool {
	members := set.Slice()
	slices.Sort(members)
	id := strings.Join(members, memberGlue)
	if _, ok := s.m.Get(id); ok {
		return false
	}
	s.m.Put(id, set)
	return true
}

// Len returns the number of sets.
func (s *SetOfSets) Len() int { return s.m.Len() }

// All yields the sets in Java's order.
func (s *SetOfSets) All() iter.Seq[*HashSet] {
	return func(yield func(*HashSet) bool) {
		for _, set := range s.m.All() {
			if !yield(set) {
				return
			}
		}
	}
}
