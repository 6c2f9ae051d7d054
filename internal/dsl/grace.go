package dsl

// WindowGrace is how long the windows above a node take late records, in
// milliseconds: the longest grace period of the windowed aggregations that each
// way up leads to first (Java: GraphGraceSearchUtil). It is an error if a way
// leads to none.
func (n *Node) WindowGrace() (int64, error) { return n.windowGrace("") }

func (n *Node) windowGrace(chain string) (int64, error) {
	if n.Grace != nil {
		return *n.Grace, nil
	}
	if chain == "" {
		chain = n.Name
	} else {
		chain = n.Name + "->" + chain
	}
	if len(n.parents) == 0 {
		return 0, Topologyf("Window close time is only defined for windowed computations. Got [%s].", chain)
	}
	longest := int64(-1)
	for _, p := range n.parents {
		grace, err := p.windowGrace(chain)
		if err != nil {
			return 0, err
		}
		longest = max(longest, grace)
	}
	return longest, nil
}
