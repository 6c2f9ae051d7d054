package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// plain is a node that passes int records through.
func plain(name string, change func(*Node)) *Node {
	n := NewProcessor(name, Processor{New: Unit(func() processor.Unit { return &nullKeyFilter[int, int]{} })})
	if change != nil {
		change(n)
	}
	return n
}

func changesKey(n *Node)   { n.KeyChanging = true }
func changesValue(n *Node) { n.ValueChanging = true }
func merges(n *Node)       { n.Merge = true }

func source(g *Graph, topic string) *Node {
	return NewSource(g, Consume[int, int]{Topics: []string{topic}}).Node
}

func below(g *Graph, n *Node, parents ...*Node) *Node {
	g.Add(n, parents...)
	return n
}

func repartition(g *Graph, base string, key serde.Serde[int], parent *Node) *Node {
	return below(g, NewRepartition(g, Repartitioning[int, int]{Base: base, Named: true, Key: key, Optimizable: true}), parent)
}

// edges shows a graph as "parent>child" in the order of traversal.
func edges(g *Graph) []string {
	var list []string
	seen := map[*Node]bool{}
	var walk func(*Node)
	walk = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, c := range n.children {
			list = append(list, n.Name+">"+c.Name)
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(g.root)
	return list
}

func TestMergeRepartitions(t *testing.T) {
	marked := serde.Int()
	for _, c := range []struct {
		name  string
		build func(*Graph)
		want  []string
		index int
	}{
		{"two below filters", func(g *Graph) {
			k := below(g, plain("k", changesKey), source(g, "in"))
			f := below(g, plain("f", nil), k)
			below(g, plain("a", nil), repartition(g, "one", nil, f))
			below(g, plain("b", nil), repartition(g, "two", marked, k))
		}, []string{"root>KSTREAM-SOURCE-0000000000", "KSTREAM-SOURCE-0000000000>k", "k>one-repartition-source",
			"one-repartition-source>f", "one-repartition-source>b", "f>a"}, 10},
		{"a value changer blocks", func(g *Graph) {
			k := below(g, plain("k", changesKey), source(g, "in"))
			v := below(g, plain("v", changesValue), k)
			below(g, plain("a", nil), repartition(g, "one", nil, v))
		}, []string{"root>KSTREAM-SOURCE-0000000000", "KSTREAM-SOURCE-0000000000>k", "k>v", "v>one-repartition-source",
			"one-repartition-source>a"}, 4},
		{"merge of key changers", func(g *Graph) {
			s := source(g, "in")
			m := below(g, plain("m", merges), below(g, plain("k1", changesKey), s), below(g, plain("k2", changesKey), s))
			below(g, plain("a", nil), repartition(g, "one", nil, m))
			below(g, plain("b", nil), repartition(g, "two", nil, m))
		}, []string{"root>KSTREAM-SOURCE-0000000000", "KSTREAM-SOURCE-0000000000>k1", "KSTREAM-SOURCE-0000000000>k2", "k1>m",
			"m>one-repartition-source", "one-repartition-source>a", "one-repartition-source>b", "k2>m"}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := New(processor.Config{})
			c.build(g)
			g.Copartition([]string{"two-repartition-source", "x"})
			if err := g.mergeRepartitions(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, edges(g)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if g.index != c.index {
				t.Errorf("the counter is at %d, want %d", g.index, c.index)
			}
			merged := slices.ContainsFunc(edges(g), func(e string) bool { return strings.HasSuffix(e, ">b") })
			if group := g.copartitions[0]; merged && !slices.Contains(group, "one-repartition-source") {
				t.Errorf("co-partitioned sources: %v", group)
			}
		})
	}
}

// TestMergedRepartitionSerdes: the merged topic has the first serdes that any
// of the merged ones has.
func TestMergedRepartitionSerdes(t *testing.T) {
	g := New(processor.Config{})
	k := below(g, plain("k", changesKey), source(g, "in"))
	marked := serde.Int()
	repartition(g, "one", nil, k)
	repartition(g, "two", marked, k)
	if err := g.mergeRepartitions(); err != nil {
		t.Fatal(err)
	}
	r := k.children[0].Repartition
	if r.Topic != "one-repartition" || r.Key != any(marked) || r.Value != nil {
		t.Errorf("got %+v", r)
	}
}

func TestNullKeys(t *testing.T) {
	g := New(processor.Config{})
	s := source(g, "in")
	drop, keep := repartition(g, "drop", nil, s), repartition(g, "keep", nil, s)
	below(g, plain("a", nil), drop)
	below(g, plain("join", func(n *Node) { n.NullKeyJoin = true }), below(g, plain("b", nil), keep))
	g.filterNullKeys()
	if !drop.Repartition.DropNullKeys || keep.Repartition.DropNullKeys {
		t.Errorf("dropped: %v and %v, want true and false", drop.Repartition.DropNullKeys, keep.Repartition.DropNullKeys)
	}
}

func TestSelfJoin(t *testing.T) {
	g := New(processor.Config{})
	s := source(g, "in")
	window := func(n *Node) { n.Window = true }
	this, other := below(g, plain("w1", window), s), below(g, plain("w2", window), s)
	join := below(g, plain("j", func(n *Node) { n.Join = &StreamJoin{This: "w1", Other: "w2"} }), s)
	if err := g.rewriteSelfJoins(g.root, map[*Node]bool{}); err != nil {
		t.Fatal(err)
	}
	if !join.Join.Self || !slices.Contains(s.children, this) || slices.Contains(s.children, other) {
		t.Errorf("self join %v, children %v", join.Join.Self, edges(g))
	}
}

func TestVersioned(t *testing.T) {
	g := New(processor.Config{})
	yes := below(g, plain("yes", func(n *Node) { n.Output = Versioned }), source(g, "a"))
	no := below(g, plain("no", func(n *Node) { n.Output = Unversioned }), source(g, "b"))
	var told []string
	tell := func(n *Node) { n.EnableVersioned = func(parent string) { told = append(told, parent) } }
	inherits := below(g, plain("inherits", nil), yes)
	below(g, plain("join", tell), inherits, no)
	if err := g.propagateVersioned(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"inherits"}, told); diff != "" {
		t.Errorf("told of versioned parents (-want +got):\n%s", diff)
	}
	below(g, plain("s", func(n *Node) { n.Suppress = true }), inherits)
	if err := g.propagateVersioned(); err == nil || !strings.Contains(err.Error(), "non-versioned") {
		t.Errorf("suppression of a versioned table: %v", err)
	}
}

func TestMergeSources(t *testing.T) {
	g := New(processor.Config{})
	a, b := source(g, "in"), source(g, "in")
	m := below(g, plain("m", merges), a, b)
	below(g, plain("x", nil), b)
	if err := g.mergeSources(); err != nil {
		t.Fatal(err)
	}
	want := []string{"root>KSTREAM-SOURCE-0000000000", "KSTREAM-SOURCE-0000000000>m", "KSTREAM-SOURCE-0000000000>x"}
	if diff := cmp.Diff(want, edges(g)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if names := m.ParentNames(); !slices.Equal(names, []string{a.Name}) {
		t.Errorf("the merge has the parents %v", names)
	}
	NewSource(g, Consume[int, int]{Topics: []string{"in", "more"}})
	if err := g.mergeSources(); err == nil || !strings.Contains(err.Error(), "overlapping but not equal") {
		t.Errorf("got %v", err)
	}
}

// TestBuildTwice: the first Build decides.
func TestBuildTwice(t *testing.T) {
	g := New(processor.Config{})
	NewSource(g, Consume[int, int]{Topics: []string{"in"}, Key: serde.Int(), Value: serde.Int()})
	first, err := g.Build(processor.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if second, err := g.Build(processor.Config{Optimize: "nonsense"}); second != first || err != nil {
		t.Errorf("the second build gives %v", err)
	}
}
