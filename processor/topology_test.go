package processor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// must fails the test at the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

// pair is a topology of a source s on topic in and a processor p below it.
func pair(t *testing.T) *Topology {
	t.Helper()
	topo := NewTopology()
	must(t, topo.AddSource(SourceSpec{Name: "s", Topics: []string{"in"}}),
		topo.AddProcessor(ProcessorSpec{Name: "p", Parents: []string{"s"}}))
	return topo
}

// refusals are calls on the topology of pair, with Java's texts.
var refusals = []struct {
	name string
	do   func(*Topology) error
	want string
}{
	{"duplicate node", func(t *Topology) error { return t.AddSource(SourceSpec{Name: "p", Topics: []string{"x"}}) },
		"Processor p is already added."},
	{"duplicate processor", func(t *Topology) error {
		return t.AddProcessor(ProcessorSpec{Name: "s", Parents: []string{"p"}})
	}, "Processor s is already added."},
	{"no topics", func(t *Topology) error { return t.AddSource(SourceSpec{Name: "s2"}) }, "topics cannot be empty"},
	{"topic twice", func(t *Topology) error { return t.AddSource(SourceSpec{Name: "s2", Topics: []string{"in"}}) },
		"Topic in has already been registered by another source."},
	{"topic twice in one source", func(t *Topology) error {
		return t.AddSource(SourceSpec{Name: "s2", Topics: []string{"a", "a"}})
	}, "Topic a has already been registered by another source."},
	{"pattern over topic", func(t *Topology) error { return t.AddSource(SourceSpec{Name: "s2", Pattern: "i."}) },
		"Pattern i. will match a topic that has already been registered by another source."},
	{"topic under pattern", func(t *Topology) error {
		return errors.Join(t.AddSource(SourceSpec{Name: "s2", Pattern: "x|y+"}),
			t.AddSource(SourceSpec{Name: "s3", Topics: []string{"yy"}}))
	}, "Topic yy matches a Pattern already registered by another source."},
	{"no parents", func(t *Topology) error { return t.AddSink(SinkSpec{Name: "k", Topic: "x"}) },
		"predecessorNames cannot be empty"},
	{"unknown parent", func(t *Topology) error {
		return t.AddProcessor(ProcessorSpec{Name: "q", Parents: []string{"nope"}})
	}, "Parent node nope is unknown."},
	{"own parent", func(t *Topology) error { return t.AddProcessor(ProcessorSpec{Name: "q", Parents: []string{"q"}}) },
		"Parent node q is unknown (self-reference)."},
	{"sink as parent", func(t *Topology) error {
		return errors.Join(t.AddSink(SinkSpec{Name: "k", Topic: "x", Parents: []string{"p"}}),
			t.AddProcessor(ProcessorSpec{Name: "q", Parents: []string{"k"}}))
	}, "Sink k cannot be used a parent."},
	{"other builder", func(t *Topology) error { return errors.Join(t.AddStore(store("st")), t.AddStore(store("st"))) },
		"A different StateStore has already been added with the name st"},
	{"store unknown", func(t *Topology) error { return t.Connect("p", "nope") }, "StateStore nope is not added yet."},
	{"store unknown to a new processor", func(t *Topology) error {
		return t.AddProcessor(ProcessorSpec{Name: "q", Parents: []string{"p"}, Stores: []string{"nope"}})
	}, "StateStore nope is not added yet."},
	{"processor unknown", func(t *Topology) error { return t.AddStore(store("st"), "nope") },
		"Processor nope is not added yet."},
	{"store at source", func(t *Topology) error { return errors.Join(t.AddStore(store("st")), t.Connect("s", "st")) },
		"State stores cannot be connect to sources or sinks."},
	{"store added to source", func(t *Topology) error { return t.AddStore(store("st"), "s") },
		"cannot connect a state store st to a source node or a sink node."},
	{"no stores", func(t *Topology) error { return t.Connect("p") }, "stateStoreNames cannot be empty"},
	{"global store connected", func(t *Topology) error {
		return errors.Join(t.AddGlobalStore(globalStore("gs", "gp", "g", "st")), t.Connect("p", "st"))
	}, "Global StateStore st can be used by a Processor without being specified; it should not be explicitly passed."},
	{"global over local", func(t *Topology) error {
		return errors.Join(t.AddStore(store("st")), t.AddGlobalStore(globalStore("gs", "gp", "g", "st")))
	}, "A different StateStore has already been added with the name st"},
	{"global over global", func(t *Topology) error {
		return errors.Join(t.AddGlobalStore(globalStore("gs", "gp", "g", "st")), t.AddGlobalStore(globalStore("hs", "hp", "h", "st")))
	}, "A different GlobalStateStore has already been added with the name st"},
	{"local over global", func(t *Topology) error {
		return errors.Join(t.AddGlobalStore(globalStore("gs", "gp", "g", "st")), t.AddStore(store("st")))
	}, "A different GlobalStateStore has already been added with the name st"},
	{"global topic taken", func(t *Topology) error { return t.AddGlobalStore(globalStore("gs", "gp", "in", "st")) },
		"Topic in has already been registered by another source."},
	{"global names equal", func(t *Topology) error { return t.AddGlobalStore(globalStore("g", "g", "g", "st")) },
		"sourceName and processorName must be different."},
	{"source store twice", func(t *Topology) error {
		return errors.Join(t.UseTopicAsChangelog("st", "in"), t.UseTopicAsChangelog("st", "in"))
	}, "Source store st is already added."},
}

func store(name string) *testBuilder { return &testBuilder{name: name} }

func globalStore(source, processor, topic, st string) GlobalSpec {
	return GlobalSpec{Store: store(st), Source: SourceSpec{Name: source, Topics: []string{topic}},
		Processor: ProcessorSpec{Name: processor}}
}

func TestTopologyErrors(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.do(pair(t))
			var topology *TopologyError
			if !errors.As(err, &topology) || err.Error() != "Invalid topology: "+tt.want {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTopologyPlainErrors(t *testing.T) {
	for name, err := range map[string]error{
		"no name":          pair(t).AddSource(SourceSpec{Topics: []string{"x"}}),
		"bad pattern":      pair(t).AddSource(SourceSpec{Name: "x", Pattern: "("}),
		"sink to nowhere":  pair(t).AddSink(SinkSpec{Name: "k", Parents: []string{"p"}}),
		"internal no name": pair(t).AddInternalTopic(InternalTopic{}),
		"two topics": pair(t).AddGlobalStore(GlobalSpec{Store: &testBuilder{name: "g"},
			Source: SourceSpec{Name: "g", Topics: []string{"a", "b"}}, Processor: ProcessorSpec{Name: "h"}}),
		"no store": pair(t).AddGlobalStore(GlobalSpec{
			Source: SourceSpec{Name: "g", Topics: []string{"a"}}, Processor: ProcessorSpec{Name: "h"}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestValidateName(t *testing.T) {
	long := strings.Repeat("a", 250)
	for name, want := range map[string]string{
		"Abc.9_-":  "",
		long[:249]: "",
		"":         "Name is illegal, it can't be empty",
		".":        `Name cannot be "." or ".."`,
		"..":       `Name cannot be "." or ".."`,
		"bad name": `Name "bad name" is illegal, it contains a character other than ASCII alphanumerics, '.', '_' and '-'`,
		"ä":        `Name "ä" is illegal, it contains a character other than ASCII alphanumerics, '.', '_' and '-'`,
		long:       "Name is illegal, it can't be longer than 249 characters, name: " + long,
	} {
		got := ""
		if err := ValidateName(name); err != nil {
			got = strings.TrimPrefix(err.Error(), "Invalid topology: ")
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestSubtopologyNumbers: groups count by first node, global stores included,
// and a shared store joins groups.
func TestSubtopologyNumbers(t *testing.T) {
	topo := NewTopology()
	st := &testBuilder{name: "st"}
	must(t,
		topo.AddSource(SourceSpec{Name: "a", Topics: []string{"a"}}),
		topo.AddGlobalStore(GlobalSpec{Store: &testBuilder{name: "g"}, Source: SourceSpec{Name: "gs", Topics: []string{"g"}},
			Processor: ProcessorSpec{Name: "gp"}}),
		topo.AddSource(SourceSpec{Name: "b", Topics: []string{"b-repartition"}}),
		topo.AddSource(SourceSpec{Name: "c", Pattern: "c.*"}),
		topo.AddProcessor(ProcessorSpec{Name: "pc", Parents: []string{"c"}}),
		topo.AddProcessor(ProcessorSpec{Name: "pa", Parents: []string{"a"}}),
		topo.AddStore(st, "pa"),
		topo.AddStore(st, "pc"),
		topo.AddSink(SinkSpec{Name: "ka", Parents: []string{"pa"}, Topic: "b-repartition"}),
		topo.AddSink(SinkSpec{Name: "kb", Parents: []string{"b"}, Dynamic: "f"}),
		topo.AddInternalTopic(InternalTopic{Name: "b-repartition", Partitions: 3, Enforced: true}),
		topo.AddStore(&testBuilder{name: "unused"}),
	)
	want := []Subtopology{
		{ID: 0, Nodes: []string{"a", "c", "pc", "pa", "ka"}, Sources: []string{"a", "c"}, Processors: []string{"pc", "pa"},
			Sinks: []string{"ka"}, Stores: []string{"st"}, SourceTopics: []string{"a"}, Patterns: []string{"c.*"},
			SinkTopics: []string{"b-repartition"}, Changelogs: []Changelog{{Store: st, Topic: "st-changelog"}}},
		{ID: 1, Global: true, Nodes: []string{"gs", "gp"}, Sources: []string{"gs"}, Processors: []string{"gp"},
			Stores: []string{"g"}, SourceTopics: []string{"g"},
			Changelogs: []Changelog{{Store: &testBuilder{name: "g", unlogged: true}, Topic: "g", SourceTopic: true}}},
		{ID: 2, Nodes: []string{"b", "kb"}, Sources: []string{"b"}, Sinks: []string{"kb"}, SourceTopics: []string{"b-repartition"},
			RepartitionSourceTopics: []InternalTopic{{Name: "b-repartition", Partitions: 3, Enforced: true}}},
	}
	if diff := cmp.Diff(want, topo.Subtopologies(), cmp.AllowUnexported(testBuilder{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := topo.SourceTopics("app"); !slices.Equal(got, []string{"a", "app-b-repartition"}) {
		t.Errorf("source topics: %v", got)
	}
	if got := topo.Patterns(); !slices.Equal(got, []string{"c.*"}) {
		t.Errorf("patterns: %v", got)
	}
	if got := topo.GlobalTopics(); !slices.Equal(got, []string{"g"}) {
		t.Errorf("global topics: %v", got)
	}
	topics, patterns := topo.StoreSources("st")
	if !slices.Equal(topics, []string{"a"}) || patterns != nil {
		t.Errorf("sources of st: %v %v", topics, patterns)
	}
	if got := len(topo.Stores()); got != 2 {
		t.Errorf("%d stores", got)
	}
	if g := topo.GlobalStores(); len(g) != 1 || g[0].Store.Logged() || g[0].Processor.Parents[0] != "gs" {
		t.Errorf("global stores: %v", g)
	}
}

func TestNodes(t *testing.T) {
	topo := pair(t)
	must(t, topo.AddProcessor(ProcessorSpec{Name: "q", Parents: []string{"s", "p", "s"}}),
		topo.AddStore(&testBuilder{name: "st"}, "q"),
		topo.AddSink(SinkSpec{Name: "k", Parents: []string{"q"}, Topic: "out"}),
		topo.AddSource(SourceSpec{Name: "r", Pattern: "x+"}),
		topo.AddSink(SinkSpec{Name: "d", Parents: []string{"r"}, Dynamic: "f"}))
	want := []NodeInfo{
		{Name: "s", Kind: SourceNode, Children: []string{"p", "q", "q"}, Topics: []string{"in"}},
		{Name: "p", Kind: ProcessorNode, Parents: []string{"s"}, Children: []string{"q"}, Stores: []string{}},
		{Name: "q", Kind: ProcessorNode, Parents: []string{"s", "p", "s"}, Children: []string{"k"}, Stores: []string{"st"}},
		{Name: "k", Kind: SinkNode, Parents: []string{"q"}, Topics: []string{"out"}},
		{Name: "r", Kind: SourceNode, Subtopology: 1, Children: []string{"d"}, Pattern: "x+"},
		{Name: "d", Kind: SinkNode, Subtopology: 1, Parents: []string{"r"}, Dynamic: "f"},
	}
	if diff := cmp.Diff(want, topo.Nodes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMatchTopics(t *testing.T) {
	topo := NewTopology()
	must(t, topo.AddSource(SourceSpec{Name: "a", Pattern: "a.*|b", Reset: OffsetReset{Policy: "latest"}}),
		topo.AddSource(SourceSpec{Name: "c", Pattern: "c|ab"}))
	got, err := topo.MatchTopics([]string{"b", "c", "bb", "aa"})
	if diff := cmp.Diff(map[string][]string{"a": {"b", "aa"}, "c": {"c"}}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const want = "Invalid topology: Topic ab is already matched for another regex pattern a.*|b and hence cannot be matched " +
		"to this regex pattern c|ab any more."
	if _, err := topo.MatchTopics([]string{"ab"}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if r, ok := topo.OffsetReset("aa"); !ok || r.Policy != "latest" {
		t.Errorf("reset: %v %t", r, ok)
	}
	if _, ok := topo.OffsetReset("bb"); ok {
		t.Error("bb is read by no source")
	}
}

func TestCopartition(t *testing.T) {
	topo := NewTopology()
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		must(t, topo.AddSource(SourceSpec{Name: "s" + name, Topics: []string{name}}))
	}
	must(t, topo.AddSource(SourceSpec{Name: "sx", Pattern: "x."}),
		topo.AddInternalTopic(InternalTopic{Name: "b", Partitions: 3}),
		topo.AddInternalTopic(InternalTopic{Name: "c", Partitions: 4}),
		topo.AddInternalTopic(InternalTopic{Name: "d"}))
	topo.Copartition("sa", "sb")
	topo.Copartition("se", "gone", "sx")
	topo.Copartition("sb", "sd")
	topo.ReplaceCopartitioned("gone", "sf")
	must(t, topo.ValidateCopartition())
	got := topo.CopartitionGroups("app", map[string][]string{"sx": {"x1"}})
	for _, g := range got {
		slices.Sort(g)
	}
	slices.SortFunc(got, slices.Compare)
	if diff := cmp.Diff([][]string{{"a", "app-b", "app-d"}, {"e", "f", "x1"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	topo.Copartition("sc", "sb")
	const want = "Invalid topology: Following topics do not have the same number of partitions: [{b=3, c=4}]"
	if err := topo.ValidateCopartition(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
