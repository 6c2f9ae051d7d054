package scenario

import (
	"slices"
	"strings"
)

// Words lists, sorted, what an implementation must have to run the scenario:
// the ops of its steps, config:KEY for every configuration key, and features
// that are not ops. Those are
//
//	store:KIND    a store that the scenario makes for processors, by its builder;
//	              the two plain kinds of key-value stores have no word
//	store:lruMap  one of limited size
//	store:supplied  one on disk whose supplier is of another kind
//	supplier      a store supplier given to an operator of the DSL
//	versioned     a table over a versioned store
//	plainTable    a table over a store on disk without timestamps
//	windowSupplier  a supplier of a window or session store
//	headerStores  DSL stores whose values carry headers
//	query, iq2    query inputs, and interactive queries among them
//	emit          an emit strategy
//	plainBuilder  a builder made without the configuration
//	wrapByHand    a processor wrapper around processors added by hand
func (s *Scenario) Words() []string {
	w := words{}
	w.steps(s.Topology)
	for key, value := range s.Config {
		w.add("config:" + key)
		if key == "dsl.store.format" && value == "headers" {
			w.add("headerStores")
		}
	}
	for _, in := range s.Inputs {
		if in.Query != nil {
			w.add("query")
			if in.Query.Mode == "iq2" {
				w.add("iq2")
			}
		}
	}
	if w["addProcessor"] && w["config:processor.wrapper.class"] {
		w.add("wrapByHand")
	}
	if s.PlainBuilder {
		w.add("plainBuilder")
	}
	out := make([]string, 0, len(w))
	for word := range w {
		out = append(out, word)
	}
	slices.Sort(out)
	return out
}

type words map[string]bool

func (w words) add(word string) { w[word] = true }

func (w words) steps(steps []Step) {
	for _, s := range steps {
		w.add(s.Op)
		w.spec(s.Spec)
	}
}

func (w words) spec(spec any) {
	switch x := spec.(type) {
	case *Table:
		w.materialized(x.Materialized)
	case *StateStore:
		w.store(x.Store)
	case *GlobalStore:
		w.store(x.Store)
		w.program(x.Program)
	case *Filter:
		w.materialized(x.Materialized)
	case *MapValues:
		w.materialized(x.Materialized)
	case *Split:
		for _, b := range x.Branches {
			w.steps(b.Steps)
		}
		if x.Default != nil {
			w.steps(x.Default.Steps)
		}
	case *ToTable:
		w.materialized(x.Materialized)
	case *WindowedBy:
		if x.Emit != "" {
			w.add("emit")
		}
	case *Count:
		w.materialized(x.Materialized)
	case *Reduce:
		w.materialized(x.Materialized)
	case *Aggregate:
		w.materialized(x.Materialized)
	case *TransformValues:
		w.materialized(x.Materialized)
		w.program(x.Program)
	case *TableJoin:
		w.materialized(x.Materialized)
	case *FKJoin:
		w.materialized(x.Materialized)
	case *JoinStream:
		if x.StreamJoined != nil {
			w.materialized(&Materialized{Supplier: x.StreamJoined.ThisStore})
			w.materialized(&Materialized{Supplier: x.StreamJoined.OtherStore})
		}
	case *Process:
		w.program(x.Program)
	case *AddProcessor:
		w.program(x.Program)
	case *AddStateStore:
		w.store(x.Store)
	case *AddGlobalStore:
		w.store(x.Store)
		w.program(x.Program)
	}
}

func (w words) program(p *Program) {
	for _, s := range p.Provides {
		w.store(s)
	}
}

func (w words) materialized(m *Materialized) {
	if m == nil || m.Supplier == nil {
		return
	}
	switch m.Supplier.Kind {
	case "persistentVersioned":
		w.add("versioned")
		return
	case "persistentKeyValue":
		w.add("plainTable")
	case "persistentWindow", "persistentTimestampedWindow", "inMemoryWindow", "persistentSession", "inMemorySession":
		w.add("windowSupplier")
	case "persistentTimestampedKeyValueWithHeaders", "persistentTimestampedWindowWithHeaders", "persistentSessionWithHeaders":
		w.add("headerStores")
	}
	w.add("supplier")
}

func (w words) store(s *Store) {
	if s.Builder != "keyValue" && s.Builder != "timestampedKeyValue" {
		w.add("store:" + s.Builder)
	}
	if s.Supplier == nil {
		return
	}
	kind := s.Supplier.Kind
	if kind == "lruMap" {
		w.add("store:lruMap")
	}
	if plain, onDisk := strings.CutPrefix(kind, "persistent"); onDisk && !strings.EqualFold(plain, s.Builder) {
		w.add("store:supplied")
	}
}

// Ops lists every op of the language, sorted.
func Ops() []string {
	out := make([]string, 0, len(ops))
	for op := range ops {
		out = append(out, op)
	}
	slices.Sort(out)
	return out
}
