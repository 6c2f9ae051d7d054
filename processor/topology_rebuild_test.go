package processor

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// described is a node as its text shows it.
type described struct {
	kind, name, what string
	global           bool
	parents          []string
}

// rebuild adds the nodes of a description to a topology. The text does not say
// in which order they were added; the numbers in the names do, mostly.
func rebuild(t *testing.T, topo *Topology, text string) {
	t.Helper()
	var group []*described
	global := false
	flush := func() {
		addGroup(t, topo, group)
		group = nil
	}
	for _, line := range strings.Split(text, "\n")[1:] {
		line = strings.TrimSpace(line)
		kind, rest, _ := strings.Cut(line, ": ")
		switch {
		case kind == "Sub-topology":
			flush()
			global = strings.Contains(rest, "global store")
		case kind == "Source" || kind == "Processor" || kind == "Sink":
			name, what, _ := strings.Cut(rest, " (")
			group = append(group, &described{kind: kind, name: name, what: strings.TrimSuffix(what, ")"), global: global})
		case strings.HasPrefix(line, "<-- ") && line != "<-- none":
			group[len(group)-1].parents = strings.Split(line[4:], ", ")
		}
	}
	flush()
}

func addGroup(t *testing.T, topo *Topology, group []*described) {
	t.Helper()
	if len(group) > 0 && group[0].global {
		addGlobal(t, topo, group[0], group[1])
		return
	}
	slices.SortStableFunc(group, func(a, b *described) int { return number(a.name) - number(b.name) })
	done := map[string]bool{}
	for len(group) > 0 {
		i := slices.IndexFunc(group, func(d *described) bool {
			return !slices.ContainsFunc(d.parents, func(p string) bool { return !done[p] })
		})
		if i < 0 {
			t.Fatal("no node with known parents")
		}
		group[i].add(t, topo)
		done[group[i].name] = true
		group = slices.Delete(group, i, i+1)
	}
}

func addGlobal(t *testing.T, topo *Topology, source, updater *described) {
	t.Helper()
	err := topo.AddGlobalStore(GlobalSpec{Store: &testBuilder{name: source.list(updater.what)[0]},
		Source:    SourceSpec{Name: source.name, Topics: source.list(source.what)},
		Processor: ProcessorSpec{Name: updater.name}})
	if err != nil {
		t.Fatal(err)
	}
}

// number is the index in a generated name; names without one come last.
func number(name string) int {
	i := strings.LastIndexByte(name, '-')
	n, err := strconv.Atoi(name[i+1:])
	if err != nil {
		return 1 << 30
	}
	return n
}

// list reads "stores: [a, b]".
func (d *described) list(what string) []string {
	_, what, _ = strings.Cut(what, ": ")
	if !strings.HasPrefix(what, "[") || what == "[]" {
		return nil
	}
	return strings.Split(strings.Trim(what, "[]"), ", ")
}

func (d *described) add(t *testing.T, topo *Topology) {
	t.Helper()
	label, what, _ := strings.Cut(d.what, ": ")
	var err error
	switch d.kind {
	case "Source":
		spec := SourceSpec{Name: d.name, Topics: d.list(d.what)}
		if spec.Topics == nil {
			spec.Pattern = what
		}
		err = topo.AddSource(spec)
	case "Sink":
		spec := SinkSpec{Name: d.name, Parents: d.parents, Topic: what}
		if label == "extractor class" {
			spec.Topic, spec.Dynamic = "", what
		}
		err = topo.AddSink(spec)
	default:
		for _, store := range d.list(d.what) {
			if _, ok := topo.Store(store); !ok {
				if err := topo.AddStore(&testBuilder{name: store}); err != nil {
					t.Fatal(err)
				}
			}
		}
		err = topo.AddProcessor(ProcessorSpec{Name: d.name, Parents: d.parents, Stores: d.list(d.what)})
	}
	if err != nil {
		t.Fatal(err)
	}
}
