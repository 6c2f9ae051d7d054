package processor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/statestore"
)

// corpusGolden is what the tests need of a golden that Java wrote.
type corpusGolden struct {
	Describe      *string           `json:"describe"`
	Subtopologies []goldenSub       `json:"subtopologies"`
	Exception     *goldenException  `json:"exception"`
	Advisory      []goldenException `json:"advisory"`
}

type goldenSub struct {
	ID          int
	Class       string
	Stores      []string
	Sources     map[string]*string
	Sinks       []string
	Repartition map[string]struct {
		Partitions int32
		Enforced   bool
	}
	Changelogs  map[string]struct{}
	Copartition [][]string
}

type goldenException struct {
	At, Class string
	Chain     []struct{ Class, Message string }
}

type corpusScenario struct {
	Config   map[string]string `json:"config"`
	Topology []corpusStep      `json:"topology"`
}

type corpusStep struct {
	Op, Name, Topic, Source, Processor, Pattern, OffsetReset string
	Topics, Parents, Processors, Stores                      []string
	TopicExpr                                                any
	Store                                                    *struct {
		Supplier struct{ Name string }
		Logging  any
	}
}

// corpus calls f for every scenario of the compatibility corpus.
func corpus(t *testing.T, f func(*testing.T, corpusScenario, corpusGolden)) {
	files, err := filepath.Glob("../compat-tests/corpus/*/golden/*.json")
	if err != nil || len(files) < 300 {
		t.Fatalf("found %d goldens, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			var g corpusGolden
			var s corpusScenario
			readCorpus(t, file, &g)
			readCorpus(t, strings.Replace(file, "/golden/", "/scenarios/", 1), &s)
			f(t, s, g)
		})
	}
}

func readCorpus(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// TestDescribeCorpus takes every description of the corpus apart, builds a
// topology from its nodes and expects the same text.
func TestDescribeCorpus(t *testing.T) {
	corpus(t, func(t *testing.T, s corpusScenario, g corpusGolden) {
		if g.Describe == nil {
			t.Skip("Java refuses the topology")
		}
		topo := NewTopology()
		rebuild(t, topo, *g.Describe)
		if diff := cmp.Diff(*g.Describe, topo.Describe()); diff != "" {
			t.Errorf("(-java +got):\n%s", diff)
		}
		checkSubtopologies(t, topo, s, g.Subtopologies, false)
	})
}

// TestTopologyStepsCorpus runs the scenarios that consist of topology calls
// only, so that nothing has to be guessed.
func TestTopologyStepsCorpus(t *testing.T) {
	ran := 0
	corpus(t, func(t *testing.T, s corpusScenario, g corpusGolden) {
		topo := NewTopology()
		for _, step := range s.Topology {
			err, known := step.apply(topo)
			if !known {
				return
			}
			if err != nil {
				checkRefusal(t, g, err)
				return
			}
		}
		if len(s.Topology) == 0 || g.Describe == nil {
			return
		}
		ran++
		if diff := cmp.Diff(*g.Describe, topo.Describe()); diff != "" {
			t.Errorf("(-java +got):\n%s", diff)
		}
		checkSubtopologies(t, topo, s, g.Subtopologies, true)
	})
	if ran < 20 {
		t.Errorf("only %d scenarios ran", ran)
	}
}

func checkRefusal(t *testing.T, g corpusGolden, err error) {
	t.Helper()
	if g.Exception == nil || g.Exception.At != "build" {
		t.Fatalf("Java builds it, got %v", err)
	}
	last := g.Advisory[0].Chain[0]
	if err.Error() != last.Message {
		t.Errorf("got %q, want %q", err, last.Message)
	}
}

// apply makes the call of one step; false if it is not a topology call.
func (s corpusStep) apply(topo *Topology) (error, bool) {
	sourceSpec := SourceSpec{Name: s.Name, Topics: s.Topics, Pattern: s.Pattern, Reset: resetOf(s.OffsetReset)}
	mirror := func() GlobalSpec {
		return GlobalSpec{Store: s.builder(), Source: SourceSpec{Name: s.Source, Topics: []string{s.Topic}},
			Processor: ProcessorSpec{Name: s.Processor}}
	}
	switch s.Op {
	case "addSource":
		return topo.AddSource(sourceSpec), true
	case "addProcessor":
		return topo.AddProcessor(ProcessorSpec{Name: s.Name, Parents: s.Parents}), true
	case "addSink":
		spec := SinkSpec{Name: s.Name, Parents: s.Parents, Topic: s.Topic}
		if s.TopicExpr != nil {
			spec.Dynamic = "topicExpr"
		}
		return topo.AddSink(spec), true
	case "addStateStore":
		return topo.AddStore(s.builder(), s.Processors...), true
	case "addGlobalStore":
		return topo.AddGlobalStore(mirror()), true
	case "addReadOnlyStateStore":
		return topo.AddReadOnlyStore(mirror()), true
	case "connectStores":
		return topo.Connect(s.Processor, s.Stores...), true
	}
	return nil, false
}

func (s corpusStep) builder() statestore.Builder {
	return &testBuilder{name: s.Store.Supplier.Name, unlogged: s.Store.Logging == false}
}

func resetOf(text string) OffsetReset {
	policy, iso, ok := strings.Cut(text, ":")
	if ok {
		return OffsetReset{Policy: "by_duration", Text: iso}
	}
	return OffsetReset{Policy: policy}
}

// checkSubtopologies compares with Java's; exact topologies have their offset
// resets and their stores' logging too.
func checkSubtopologies(t *testing.T, topo *Topology, s corpusScenario, want []goldenSub, exact bool) {
	t.Helper()
	if len(want) == 1 && want[0].Class != "" || want == nil {
		return
	}
	app := "oracle"
	if id := s.Config["application.id"]; id != "" {
		app = id
	}
	for _, w := range want {
		for topic, in := range w.Repartition {
			name := strings.TrimPrefix(topic, app+"-")
			if err := topo.AddInternalTopic(InternalTopic{Name: name, Partitions: in.Partitions, Enforced: in.Enforced}); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := []goldenSub{}
	for _, sub := range topo.Subtopologies() {
		if !sub.Global && len(sub.SourceTopics) > 0 {
			got = append(got, golden(topo, app, sub))
		}
	}
	want = slices.DeleteFunc(slices.Clone(want), func(w goldenSub) bool { return w.Copartition != nil })
	if !exact {
		for i := range want {
			want[i].Changelogs = nil
			for topic := range want[i].Sources {
				want[i].Sources[topic] = nil
			}
		}
		for i := range got {
			got[i].Changelogs = nil
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sub-topologies (-java +got):\n%s", diff)
	}
}

func golden(topo *Topology, app string, sub Subtopology) goldenSub {
	g := goldenSub{ID: sub.ID, Stores: append([]string{}, sub.Stores...), Sources: map[string]*string{}, Sinks: []string{},
		Changelogs: map[string]struct{}{}}
	g.Repartition = map[string]struct {
		Partitions int32
		Enforced   bool
	}{}
	for _, topic := range sub.SourceTopics {
		var text *string
		if r, ok := topo.OffsetReset(topic); ok && r.Policy != "" {
			s := r.Policy
			if r.Text != "" {
				s += ":" + r.Text
			}
			text = &s
		}
		g.Sources[topo.TopicName(app, topic)] = text
	}
	for _, topic := range sub.SinkTopics {
		g.Sinks = append(g.Sinks, topo.TopicName(app, topic))
	}
	for _, in := range sub.RepartitionSourceTopics {
		g.Repartition[app+"-"+in.Name] = struct {
			Partitions int32
			Enforced   bool
		}{in.Partitions, in.Enforced}
	}
	for _, c := range sub.Changelogs {
		g.Changelogs[c.FullTopic(app)] = struct{}{}
	}
	slices.Sort(g.Stores)
	slices.Sort(g.Sinks)
	return g
}
