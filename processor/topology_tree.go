package processor

import (
	"cmp"

	"github.com/millrace/millrace/internal/javaorder"
)

// compareDrawn orders larger nodes first and nodes of a size by name.
func compareDrawn(a, b *drawn) int {
	if a == b {
		return 0
	}
	if c := cmp.Compare(b.size, a.size); c != 0 {
		return c
	}
	return javaorder.CompareStrings(a.spec.name, b.spec.name)
}

// drawnSet is a java.util.TreeSet under compareDrawn. Since sizes change while
// nodes are in the set, its order depends on every comparison that was made
// and so on the shape of the tree: a sorted slice would not do. For the same
// reason a node can be in the set twice.
type drawnSet struct {
	root *treeNode
}

// treeNode is a node of a red-black tree.
type treeNode struct {
	value  *drawn
	parent *treeNode
	child  [2]*treeNode
	red    bool
}

// add inserts a node at the place where the comparisons of this moment lead.
func (s *drawnSet) add(d *drawn) {
	var parent *treeNode
	side := 0
	for at := s.root; at != nil; at = at.child[side] {
		c := compareDrawn(d, at.value)
		if c == 0 {
			return
		}
		side = 0
		if c > 0 {
			side = 1
		}
		parent = at
	}
	added := &treeNode{value: d, parent: parent, red: true}
	if parent == nil {
		s.root = added
	} else {
		parent.child[side] = added
	}
	s.rebalance(added)
}

// rebalance restores the rule that a red node has a black parent, from x
// upwards.
func (s *drawnSet) rebalance(x *treeNode) {
	for x != s.root && x.parent.red {
		parent := x.parent
		grand := parent.parent
		side := parent.side()
		if uncle := grand.child[1-side]; uncle != nil && uncle.red {
			parent.red, uncle.red, grand.red = false, false, true
			x = grand
			continue
		}
		if x.side() != side {
			s.rotate(parent, side)
			x, parent = parent, x
		}
		parent.red, grand.red = false, true
		s.rotate(grand, 1-side)
	}
	s.root.red = false
}

func (x *treeNode) side() int {
	if x.parent.child[1] == x {
		return 1
	}
	return 0
}

// rotate moves x down to the given side; its child on the other side takes its
// place.
func (s *drawnSet) rotate(x *treeNode, side int) {
	up := x.child[1-side]
	x.child[1-side] = up.child[side]
	if up.child[side] != nil {
		up.child[side].parent = x
	}
	up.parent = x.parent
	if x.parent == nil {
		s.root = up
	} else {
		x.parent.child[x.side()] = up
	}
	up.child[side] = x
	x.parent = up
}

// slice returns the nodes from left to right.
func (s *drawnSet) slice() []*drawn {
	var nodes []*drawn
	var walk func(*treeNode)
	walk = func(at *treeNode) {
		if at == nil {
			return
		}
		walk(at.child[0])
		nodes = append(nodes, at.value)
		walk(at.child[1])
	}
	walk(s.root)
	return nodes
}
