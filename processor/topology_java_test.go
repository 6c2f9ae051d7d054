package processor

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// javaTopology is a random topology and what a JVM made of it; see
// testdata/Topologies.java.
type javaTopology struct {
	Steps []struct {
		Op, Name string
		Of, With []string
	}
	Describe               string
	Nodes, Stores, Sources []string
	Copartition            [][]string
}

// TestJavaTopologies compares descriptions, the orders of nodes and stores in
// a task, and co-partition groups.
func TestJavaTopologies(t *testing.T) {
	var all []javaTopology
	readCorpus(t, "testdata/topologies.json", &all)
	if len(all) == 0 {
		t.Fatal("no topologies")
	}
	for i, want := range all {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			topo := want.build(t)
			got := javaTopology{Steps: want.Steps, Describe: topo.Describe(), Nodes: []string{}, Stores: []string{},
				Sources: topo.SourceTopics("app"), Copartition: topo.CopartitionGroups("app", nil)}
			g, err := topo.Instantiate(nil, &testHost{topology: topo})
			must(t, err)
			for _, n := range g.Nodes {
				got.Nodes = append(got.Nodes, n.Name())
			}
			for _, b := range g.Stores {
				got.Stores = append(got.Stores, b.Name())
			}
			// Java copies its set of groups into a list.
			if got.Copartition == nil {
				got.Copartition = [][]string{}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-java +got):\n%s", diff)
			}
		})
	}
}

func (j javaTopology) build(t *testing.T) *Topology {
	t.Helper()
	topo := NewTopology()
	unit := func() (Unit, error) { return &ProcessorUnit[string, string, string, string]{}, nil }
	source := func() SourceUnit { return &Source[string, string]{} }
	for _, s := range j.Steps {
		switch s.Op {
		case "source":
			must(t, topo.AddSource(SourceSpec{Name: s.Name, Topics: s.Of, New: source}))
		case "processor":
			must(t, topo.AddProcessor(ProcessorSpec{Name: s.Name, Parents: s.Of, Stores: s.With, New: unit}))
		case "sink":
			must(t, topo.AddSink(SinkSpec{Name: s.Name, Parents: s.Of, Topic: s.With[0],
				New: func() Unit { return &Sink[string, string]{} }}))
		case "store":
			must(t, topo.AddStore(&testBuilder{name: s.Name}, s.Of...))
		case "global":
			must(t, topo.AddGlobalStore(GlobalSpec{Store: &testBuilder{name: s.With[1]},
				Source:    SourceSpec{Name: s.Name, Topics: s.Of, New: source},
				Processor: ProcessorSpec{Name: s.With[0], New: unit}}))
		case "copartition":
			topo.Copartition(s.Of...)
		default:
			t.Fatal(s.Op)
		}
	}
	if slices.Contains(j.Nodes, "") {
		t.Fatal("a node has no name")
	}
	return topo
}
