package dsl

// filterNullKeys lets repartitions drop null keys, except those above a join
// that accepts them.
func (g *Graph) filterNullKeys() {
	var order []*Node
	visited, keep := map[*Node]bool{}, map[*Node]bool{}
	g.root.visit(visited, keep, &order)
	for _, n := range order {
		if n.Repartition != nil && !keep[n] {
			n.Repartition.DropNullKeys = true
		}
	}
}

func (n *Node) visit(visited, keep map[*Node]bool, order *[]*Node) {
	if visited[n] {
		return
	}
	for _, c := range n.children {
		c.visit(visited, keep, order)
		if c.NullKeyJoin || keep[c] {
			keep[n] = true
		}
	}
	visited[n] = true
	*order = append(*order, n)
}
