package dsl

// propagateVersioned tells the nodes that care which of their parents yield
// versioned tables, and refuses to suppress one.
func (g *Graph) propagateVersioned() error {
	for _, n := range g.versioned {
		for _, p := range n.parents {
			if g.yieldsVersioned(p) {
				n.EnableVersioned(p.Name)
			}
		}
	}
	for _, n := range g.suppress {
		if g.versionedAbove(n) {
			return at(n.Caller, n.Name, Topologyf("suppress() is only supported for non-versioned KTables "+
				"(note that version semantics might be inherited from upstream)"))
		}
	}
	return nil
}

func (g *Graph) yieldsVersioned(n *Node) bool {
	if n.Output != Inherited {
		return n.Output == Versioned
	}
	return g.versionedAbove(n)
}

func (g *Graph) versionedAbove(n *Node) bool {
	if n == g.root {
		return false
	}
	for _, p := range n.parents {
		if !g.yieldsVersioned(p) {
			return false
		}
	}
	return true
}
