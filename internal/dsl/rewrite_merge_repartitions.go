package dsl

import (
	"slices"
)

// keyChanger is a node that changes keys, and the repartitions that are due to
// it: those without a node in between that changes key or value.
type keyChanger struct {
	node         *Node
	repartitions []*Node
}

func (k *keyChanger) add(n *Node) {
	if !slices.Contains(k.repartitions, n) {
		k.repartitions = append(k.repartitions, n)
	}
}

func (g *Graph) changer(n *Node) *keyChanger {
	for _, k := range g.changers {
		if k.node == n {
			return k
		}
	}
	return nil
}

// mergeRepartitions replaces the repartitions due to one key-changing node by a
// single one directly below it, which takes the topic of the first and the
// first serdes that any of them has.
func (g *Graph) mergeRepartitions() error {
	g.moveToMergeNodes()
	for _, k := range g.changers {
		if len(k.repartitions) == 0 {
			continue
		}
		if err := g.pullUp(k); err != nil {
			return err
		}
	}
	g.changers = nil
	return nil
}

func (g *Graph) pullUp(k *keyChanger) error {
	first := k.repartitions[0].Repartition
	var key, value any
	for _, n := range k.repartitions {
		if key == nil {
			key = n.Repartition.Key
		}
		if value == nil {
			value = n.Repartition.Value
		}
	}
	single := first.merged(g, first.Topic, key, value)
	single.graph = g
	single.Caller = k.repartitions[0].Caller
	single.priority = k.node.priority
	for _, n := range k.repartitions {
		child := n.findUp(func(x *Node) bool { return slices.Contains(x.parents, k.node) })
		if child == nil {
			return Errorf(KindStreams, "no node between the key-changing node %s and the repartition %s", k.node.Name, n.Name)
		}
		single.adapters = append(single.adapters, child.adapters...)
		single.addChild(child)
		k.node.removeChild(child)
		children, parents := slices.Clone(n.children), slices.Clone(n.parents)
		for _, c := range children {
			for _, p := range parents {
				p.addChild(c)
			}
		}
		for _, p := range parents {
			p.removeChild(n)
		}
		n.clearChildren()
		g.replaceCopartitioned(n.Name, single.Name)
	}
	k.node.addChild(single)
	return nil
}

// moveToMergeNodes hands the repartitions below a merge of key-changing
// branches from the branches to the merge.
func (g *Graph) moveToMergeNodes() {
	type moved struct {
		merge    *Node
		changers []*keyChanger
	}
	var moves []moved
	for _, m := range g.merges {
		move := moved{merge: m}
		for _, k := range g.changers {
			if allBelow(k.repartitions, m) && m.findUp(func(x *Node) bool { return slices.Contains(x.parents, k.node) }) != nil {
				move.changers = append(move.changers, k)
			}
		}
		moves = append(moves, move)
	}
	var gone []*keyChanger
	for _, move := range moves {
		to := g.changer(move.merge)
		if to == nil {
			to = &keyChanger{node: move.merge}
			g.changers = append(g.changers, to)
		}
		to.repartitions = nil
		for _, k := range move.changers {
			for _, n := range k.repartitions {
				to.add(n)
			}
			gone = append(gone, k)
		}
	}
	g.changers = slices.DeleteFunc(g.changers, func(k *keyChanger) bool { return slices.Contains(gone, k) })
}

func allBelow(repartitions []*Node, merge *Node) bool {
	for _, n := range repartitions {
		if n.findUp(func(x *Node) bool { return slices.Contains(x.parents, merge) }) == nil {
			return false
		}
	}
	return true
}
