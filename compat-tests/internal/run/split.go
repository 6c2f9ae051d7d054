package run

import (
	"slices"
	"strconv"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
)

func init() {
	register(map[string]opFunc{"split": op(buildSplit)})
}

// splitting is a split while its branches are added.
type splitting struct {
	*program
	step     step
	branches *kstream.Branches[any, any]
	// plain maps the ids of branches without a callback to their suffixes in
	// the names of the result.
	plain []plainBranch
	// err is what a callback ended with.
	err error
}

type plainBranch struct{ id, suffix string }

func buildSplit(p *program, s step, spec *scenario.Split) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	sp := &splitting{program: p, step: s, branches: in.Split(nodeOptions(spec.Name)...)}
	for i, b := range spec.Branches {
		sp.branch(&b, i+1)
	}
	out := sp.end(spec.Default)
	if sp.err != nil {
		return nil, sp.err
	}
	if s.ID != "" {
		sp.show(out)
	}
	return nil, sp.keep(out)
}

func name(as *string) string {
	if as == nil {
		return ""
	}
	return *as
}

func (sp *splitting) branch(b *scenario.Branch, index int) {
	f := sp.predicate(b.Predicate)
	switch b.Kind {
	case "function":
		sp.branches.WhenThen(name(b.As), f, sp.chain(b))
	case "consumer":
		sp.branches.WhenDo(name(b.As), f, sp.use(b))
	default:
		sp.branches.When(name(b.As), f)
		sp.plainBranch(b, index)
	}
}

func (sp *splitting) plainBranch(b *scenario.Branch, index int) {
	if b.ID == "" {
		return
	}
	suffix := strconv.Itoa(index)
	if b.As != nil {
		suffix = *b.As
	}
	sp.plain = append(sp.plain, plainBranch{b.ID, suffix})
}

// end adds the default branch, if there is one.
func (sp *splitting) end(b *scenario.Branch) map[string]stream {
	switch {
	case b == nil:
		return sp.branches.Done()
	case b.Kind == "function":
		return sp.branches.OtherwiseThen(name(b.As), sp.chain(b))
	case b.Kind == "consumer":
		return sp.branches.OtherwiseDo(name(b.As), sp.use(b))
	}
	sp.plainBranch(b, 0)
	return sp.branches.Otherwise(name(b.As))
}

// use runs the steps of a branch inside its callback.
func (sp *splitting) use(b *scenario.Branch) func(stream) {
	return func(s stream) {
		if sp.err == nil {
			sp.err = sp.put(b.ID, s)
		}
		if sp.err == nil {
			sp.err = sp.steps(b.Steps)
		}
	}
}

func (sp *splitting) chain(b *scenario.Branch) func(stream) stream {
	return func(s stream) stream {
		sp.use(b)(s)
		if sp.err != nil || b.Result == nil {
			return stream{}
		}
		var out stream
		out, sp.err = handle[stream](sp.program, sp.step, *b.Result)
		return out
	}
}

// show puts the names of the result into the golden.
func (sp *splitting) show(out map[string]stream) {
	if sp.doc.Branches == nil {
		sp.doc.Branches = map[string][]string{}
	}
	sp.doc.Branches[sp.step.ID] = sortedTexts(namesOf(out))
}

func namesOf(m map[string]stream) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	return names
}

// keep finds the handles of branches without a callback: the names of the
// result are one common prefix plus the branch's own suffix.
func (sp *splitting) keep(out map[string]stream) error {
	if len(sp.plain) == 0 {
		return nil
	}
	names := namesOf(out)
	slices.Sort(names)
	for _, n := range names {
		prefix, ok := strings.CutSuffix(n, sp.plain[0].suffix)
		if !ok || !hasAll(out, prefix, sp.plain) {
			continue
		}
		for _, b := range sp.plain {
			if err := sp.put(b.id, out[prefix+b.suffix]); err != nil {
				return err
			}
		}
		return nil
	}
	return fault(sp.step, "cannot find the branches in %v", names)
}

func hasAll(out map[string]stream, prefix string, branches []plainBranch) bool {
	for _, b := range branches {
		if _, ok := out[prefix+b.suffix]; !ok {
			return false
		}
	}
	return true
}
