package dsl

import (
	"slices"

	"github.com/millrace/millrace/processor"
)

const rootName = "root"

// Node is one step of the logical graph (Java: GraphNode). Parents and children
// are ordered sets.
type Node struct {
	Name string
	// KeyChanging and ValueChanging block or attract the merging of
	// repartitions; Merge marks the node of a merge.
	KeyChanging, ValueChanging, Merge bool
	// NullKeyJoin marks a join that accepts null keys, so that repartitions
	// above it must let them through (Java: NULL_KEY_RELAXED_JOIN).
	NullKeyJoin bool
	// Output says whether the node's table is versioned.
	Output Versioning
	// EnableVersioned tells the node that the parent of that name has a
	// versioned table; nil for nodes that do not care.
	EnableVersioned func(parent string)
	// Suppress marks a suppression; it must not lie below a versioned table.
	Suppress bool
	// Grace is the grace period in milliseconds of a windowed aggregation or
	// stream join; nil for other nodes (Java: GracePeriodGraphNode).
	Grace *int64
	// Source is set for sources of streams, Table for sources of tables,
	// Repartition for repartition nodes, Join for stream-stream joins.
	Source      *StreamSource
	Table       *TableSource
	Repartition *Repartition
	Join        *StreamJoin
	// Window marks the windowing node in front of a stream-stream join.
	Window bool
	// Write puts the node into the topology; nil writes nothing. Parents have
	// been written before.
	Write func(*processor.Topology) error
	// Caller is the file and line of user code that made the node.
	Caller string

	graph    *Graph
	adapters []Adapter
	parents  []*Node
	children []*Node
	priority int
	written  bool
}

// Versioning is what is known about a node's table.
type Versioning int

// Whether a node yields a versioned table (Java: outputVersioned).
const (
	// Inherited nodes are versioned when all their parents are.
	Inherited Versioning = iota
	Versioned
	Unversioned
)

// StreamJoin is what the self-join pass needs to know of a stream-stream join:
// the names of its two windowing nodes, and how to tell it that both sides are
// one.
type StreamJoin struct {
	This, Other string
	Self        bool
}

// Parents are the node's parents in the order they were added.
func (n *Node) Parents() []*Node { return n.parents }

// ParentNames are the names under which the parents were written: for a
// repartition that is its source node.
func (n *Node) ParentNames() []string {
	names := make([]string, len(n.parents))
	for i, p := range n.parents {
		names[i] = p.Name
	}
	return names
}

// Graph is the graph the node was added to.
func (n *Node) Graph() *Graph { return n.graph }

func (n *Node) addChild(child *Node) {
	if !slices.Contains(n.children, child) {
		n.children = append(n.children, child)
	}
	if !slices.Contains(child.parents, n) {
		child.parents = append(child.parents, n)
	}
}

func (n *Node) removeChild(child *Node) {
	n.children = without(n.children, child)
	child.parents = without(child.parents, n)
}

func (n *Node) clearChildren() {
	for _, c := range n.children {
		c.parents = without(c.parents, n)
	}
	n.children = nil
}

// without returns a copy, so that loops over the old list stay valid.
func without(list []*Node, n *Node) []*Node {
	out := make([]*Node, 0, len(list))
	for _, x := range list {
		if x != n {
			out = append(out, x)
		}
	}
	return out
}

func (n *Node) parentsWritten() bool {
	for _, p := range n.parents {
		if !p.written {
			return false
		}
	}
	return true
}

// findUp returns the first match among the node and its ancestors, depth
// first, each parent before its own ancestors.
func (n *Node) findUp(match func(*Node) bool) *Node {
	if match(n) {
		return n
	}
	for _, p := range n.parents {
		if match(p) {
			return p
		}
		if found := p.findUp(match); found != nil {
			return found
		}
	}
	return nil
}

// nearestKeyChanger is the nearest ancestor that changes the key, unless one
// that changes only the value is nearer; nil if there is none.
func (n *Node) nearestKeyChanger() *Node {
	nearest := n.findUp(func(x *Node) bool { return x.KeyChanging || x.ValueChanging })
	if nearest == nil || nearest != n.findUp(func(x *Node) bool { return x.KeyChanging }) {
		return nil
	}
	return nearest
}
