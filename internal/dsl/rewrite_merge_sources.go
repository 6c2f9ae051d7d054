package dsl

import "slices"

// mergeSources makes one source of streams that read the same topics or the
// same pattern; the first one stays.
func (g *Graph) mergeSources() error {
	topics := map[string]*Node{}
	patterns := map[string]*Node{}
	for _, n := range slices.Clone(g.root.children) {
		switch {
		case n.Source == nil:
		case n.Source.Pattern != "":
			first := patterns[n.Source.Pattern]
			if first == nil {
				patterns[n.Source.Pattern] = n
			} else if err := g.mergeSource(first, n); err != nil {
				return err
			}
		default:
			for _, topic := range n.Source.Topics {
				first := topics[topic]
				if first == nil {
					topics[topic] = n
					continue
				}
				if !sameTopics(first.Source.Topics, n.Source.Topics) {
					return at(n.Caller, n.Name, Topologyf("Two source nodes are subscribed to overlapping but not equal input topics"))
				}
				if err := g.mergeSource(first, n); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (g *Graph) mergeSource(first, n *Node) error {
	if first == n {
		return nil
	}
	if first.Source.Reset.Policy != n.Source.Reset.Policy || first.Source.Reset.Back != n.Source.Reset.Back {
		return at(n.Caller, n.Name, Topologyf("Can't configure different offset reset policies on the same input topic(s)"))
	}
	if first.Source.Types != n.Source.Types {
		return at(n.Caller, n.Name, Errorf(KindArgument, "the topic is already read as Stream%s at %s, here as Stream%s",
			first.Source.Types, first.Caller, n.Source.Types))
	}
	for _, c := range slices.Clone(n.children) {
		n.removeChild(c)
		first.addChild(c)
	}
	g.root.removeChild(n)
	return nil
}
