package processor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// upper sends each value on in capitals, with its own name in front.
type upper struct {
	Base[string, string]
	name string
	to   string
}

func (u *upper) Process(ctx *Context[string, string], rec Record[string, string]) error {
	rec.Value = u.name + strings.ToUpper(rec.Value)
	if u.to != "" {
		return ctx.ForwardTo(u.to, rec)
	}
	return ctx.Forward(rec)
}

func newUpper(name string) func() *upper { return func() *upper { return &upper{name: name} } }

func text() serde.Serde[string] { return serde.String() }

func textSink(topic string) SinkConfig[string, string] {
	return SinkConfig[string, string]{Key: text(), Value: text(), Topic: topic}
}

func TestInstantiateRuns(t *testing.T) {
	topo := NewTopology()
	must(t,
		AddSource(topo, "s", text(), text(), []string{"in"}, StartAt(OffsetReset{Policy: "earliest"}), ExtractTime(WallclockTimestamp)),
		AddProcessor(topo, "a", newUpper("a"), "s"),
		AddProcessor(topo, "b", newUpper("b"), "s", "a"),
		AddSink(topo, "k2", textSink("two"), "b"),
		AddSink(topo, "k1", textSink("hop"), "a", "b"),
		topo.AddInternalTopic(InternalTopic{Name: "hop"}),
		AddPatternSource(topo, "far", text(), text(), "far-.*"),
		AddSink(topo, "k3", textSink("three"), "far"),
	)
	host := &testHost{topology: topo}
	g, err := topo.Instantiate([]int{0}, host)
	must(t, err)
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name())
		must(t, n.Unit().Init(n))
	}
	if !slices.Equal(names, []string{"s", "a", "b", "k2", "k1"}) {
		t.Errorf("nodes: %v", names)
	}
	if _, ok := g.Source("far-1"); ok {
		t.Error("source of another sub-topology")
	}
	s, ok := g.Source("in")
	if !ok || s.Reset.Policy != "earliest" || s.Extractor == nil || !slices.Equal(s.Topics, []string{"in"}) {
		t.Fatalf("source: %+v", s)
	}
	head := s.Unit.NewHead()
	must(t, head.Load("in", &record.Raw{Key: []byte("k"), Value: []byte("v")}, &record.Headers{}))
	head.Take()
	must(t, head.Emit(5))
	var sent []string
	for _, o := range host.sent {
		sent = append(sent, o.Topic+":"+string(o.Value))
	}
	if diff := cmp.Diff([]string{"two:bAV", "app-hop:bAV", "app-hop:aV", "two:bV", "app-hop:bV"}, sent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	must(t, g.Close())
	if all, err := topo.Instantiate(nil, host); err != nil || len(all.Nodes) != 7 || len(all.Sources) != 2 {
		t.Errorf("all: %v, %v", all, err)
	} else if s, ok := all.Source("far-1"); !ok || s.Node.Name() != "far" {
		t.Error("no source for far-1")
	}
	if _, err := topo.Instantiate([]int{7}, host); err == nil {
		t.Error("no error for an unknown sub-topology")
	}
}

// TestStoreOrder: node by node, and for one node in the order of its HashSet.
func TestStoreOrder(t *testing.T) {
	topo := pair(t)
	names := []string{"orders", "counts", "users", "seen", "KSTREAM-AGGREGATE-STATE-STORE-0000000002", "joined"}
	for _, name := range names {
		must(t, topo.AddStore(&testBuilder{name: name}))
	}
	must(t,
		topo.AddProcessor(ProcessorSpec{Name: "q", Parents: []string{"p"}, Stores: names,
			New: func() (Unit, error) { return &ProcessorUnit[string, string, string, string]{}, nil }}),
		topo.Connect("p", "seen"))
	want := []string{"seen"}
	for _, name := range javaorder.HashSetOrder(names) {
		if name != "seen" {
			want = append(want, name)
		}
	}
	if slices.Equal(want[1:], []string{"orders", "counts", "users", "KSTREAM-AGGREGATE-STATE-STORE-0000000002", "joined"}) {
		t.Fatal("the hash order is the order of insertion")
	}
	sub := topo.Subtopologies()[0]
	if diff := cmp.Diff(want, sub.Stores); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, c := range sub.Changelogs {
		if c.Topic != want[i]+"-changelog" {
			t.Errorf("changelog %d is %s", i, c.Topic)
		}
	}
}

func TestInstantiateErrors(t *testing.T) {
	topo := pair(t)
	if _, err := topo.Instantiate(nil, &testHost{topology: topo}); err == nil || !strings.Contains(err.Error(), "make node s") {
		t.Errorf("no units: %v", err)
	}
	topo = NewTopology()
	boom := errors.New("boom")
	must(t, AddSource(topo, "s", text(), text(), []string{"in"}),
		topo.AddProcessor(ProcessorSpec{Name: "p", Parents: []string{"s"}, New: func() (Unit, error) { return nil, boom }}))
	if _, err := topo.Instantiate(nil, &testHost{topology: topo}); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
}

func TestInstantiateGlobal(t *testing.T) {
	topo := NewTopology()
	builder := &testBuilder{name: "g"}
	must(t, AddGlobalStore(topo, MirrorConfig[string, string]{Store: builder, Source: "gs", Processor: "gp", Topic: "gt",
		Key: text(), Value: text(), New: newMirror}),
		AddReadOnlyStore(topo, MirrorConfig[string, string]{Store: &testBuilder{name: "r"}, Source: "rs", Processor: "rp",
			Topic: "rt", Key: text(), Value: text(), New: newMirror}))
	g, err := topo.InstantiateGlobal(&testHost{topology: topo})
	must(t, err)
	if len(g.Nodes) != 2 || len(g.Stores) != 1 || g.Stores[0].Name() != "g" || g.Stores[0].Logged() {
		t.Errorf("global graph: %+v", g)
	}
	task, err := topo.Instantiate(nil, &testHost{topology: topo})
	must(t, err)
	if len(task.Nodes) != 2 || len(task.Stores) != 1 || task.Stores[0].Name() != "r" || task.Stores[0].Logged() {
		t.Errorf("task graph: %+v", task)
	}
	if r, _ := topo.OffsetReset("rt"); r.Policy != "earliest" {
		t.Errorf("reset of the read-only store's topic: %v", r)
	}
	if c := topo.Subtopologies()[1].Changelogs; len(c) != 1 || c[0].FullTopic("app") != "rt" {
		t.Errorf("changelogs: %v", c)
	}
}

type mirror struct {
	Base[any, any]
	seen int
}

func (m *mirror) Process(*Context[any, any], Record[string, string]) error {
	m.seen++
	return nil
}

func newMirror() Processor[string, string, any, any] { return &mirror{} }

// stateless has size zero, so that pointers to two of them may be equal.
type stateless struct{ Base[string, int64] }

func (*stateless) Process(*Context[string, int64], Record[string, string]) error { return nil }

func TestEdgeTypes(t *testing.T) {
	topo := NewTopology()
	must(t, AddSource(topo, "s", text(), text(), []string{"in"}),
		AddProcessor(topo, "n", func() *stateless { return &stateless{} }, "s"))
	err := AddProcessor(topo, "p", newUpper(""), "n")
	if err == nil || !strings.Contains(err.Error(), "node n:") || !strings.Contains(err.Error(), "node p ") {
		t.Errorf("processor: %v", err)
	}
	err = AddSink(topo, "k", textSink("out"), "n")
	if err == nil || !strings.Contains(err.Error(), "node n:") || !strings.Contains(err.Error(), "node k ") {
		t.Errorf("sink: %v", err)
	}
	// A parent that was added without its types is asked itself.
	must(t, topo.AddProcessor(ProcessorSpec{Name: "dsl", Parents: []string{"s"},
		New: func() (Unit, error) { return &ProcessorUnit[string, string, string, int64]{}, nil }}))
	if err := AddSink(topo, "k2", textSink("out"), "dsl"); err == nil || !strings.Contains(err.Error(), "node dsl:") {
		t.Errorf("sink below an untyped node: %v", err)
	}
}

func TestBuildErrors(t *testing.T) {
	topo := NewTopology()
	must(t, AddSource(topo, "s", text(), text(), []string{"in"}))
	shared := &upper{}
	for name, err := range map[string]error{
		"no serde":       AddSource[string, string](topo, "x", nil, text(), []string{"x"}),
		"no pattern":     AddPatternSource(topo, "x", text(), text(), ""),
		"no function":    AddProcessor[string, string, string, string, *upper](topo, "x", nil, "s"),
		"nil processor":  AddProcessor(topo, "x", func() *upper { return nil }, "s"),
		"one processor":  AddProcessor(topo, "x", func() *upper { return shared }, "s"),
		"unknown parent": AddProcessor(topo, "x", newUpper(""), "nope"),
		"sink no serde":  AddSink(topo, "x", SinkConfig[string, string]{Topic: "t"}, "s"),
		"mirror":         AddGlobalStore(topo, MirrorConfig[string, string]{}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSinkOfComputedTopic(t *testing.T) {
	topo := NewTopology()
	c := textSink("")
	c.TopicFunc = route
	must(t, AddSource(topo, "s", text(), text(), []string{"in"}), AddSink(topo, "k", c, "s"))
	if d := topo.Describe(); !strings.Contains(d, "(extractor class: github.com/millrace/millrace/processor.route)") {
		t.Error(d)
	}
}

func route(rec Record[string, string], _ *record.Context) (string, error) { return rec.Value, nil }
