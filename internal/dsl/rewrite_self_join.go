package dsl

import (
	"fmt"
	"slices"
)

// rewriteSelfJoins finds stream-stream joins whose two sides are one node and
// leaves them the window store of the left side only.
func (g *Graph) rewriteSelfJoins(n *Node, visited map[*Node]bool) error {
	visited[n] = true
	if n.Join != nil && len(n.parents) == 1 {
		if err := n.becomeSelfJoin(n.parents[0]); err != nil {
			return err
		}
	}
	for _, c := range slices.Clone(n.children) {
		if visited[c] {
			continue
		}
		if err := g.rewriteSelfJoins(c, visited); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) becomeSelfJoin(parent *Node) error {
	var this, other *Node
	for _, c := range parent.children {
		switch {
		case !c.Window || c.priority >= n.priority:
		case c.Name == n.Join.This:
			this = c
		case c.Name == n.Join.Other:
			other = c
		}
	}
	if this == nil || other == nil || this.priority >= other.priority {
		return fmt.Errorf("self join %s: its windowing nodes %s and %s do not precede it", n.Name, n.Join.This, n.Join.Other)
	}
	parent.removeChild(other)
	n.Join.Self = true
	return nil
}
