package fuzz

import (
	"github.com/millrace/millrace/compat-tests/internal/suite"
	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// shrinkTries bounds the comparisons one difference may cost.
const shrinkTries = 400

// shrink makes a differing scenario smaller while it still differs: fewer
// inputs, fewer steps, fewer members.
func (l *loop) shrink(data []byte) ([]byte, error) {
	node, err := tree.Parse(data)
	if err != nil {
		return nil, err
	}
	var failed error
	differs := func(candidate *tree.Object) bool {
		if failed != nil {
			return false
		}
		res, want, err := l.compare([]byte(tree.Compact(candidate)))
		if err != nil {
			failed = err
			return false
		}
		_, fault := want.Get("oracleError")
		return res.Status == suite.Different && !fault
	}
	small := Shrink(node.(*tree.Object), differs, shrinkTries)
	return []byte(tree.File(small)), failed
}

// Shrink returns a scenario for which the condition, which holds for s, still
// holds, after at most tries evaluations of it.
func Shrink(s *tree.Object, holds func(*tree.Object) bool, tries int) *tree.Object {
	sh := &shrinker{best: s, holds: holds, left: tries}
	for {
		before := len(tree.Compact(sh.best))
		sh.list("inputs")
		sh.list("topology")
		sh.members("config")
		sh.stepMembers()
		sh.members("topics")
		if sh.left <= 0 || len(tree.Compact(sh.best)) == before {
			return sh.best
		}
	}
}

type shrinker struct {
	best  *tree.Object
	holds func(*tree.Object) bool
	left  int
}

func (sh *shrinker) try(candidate *tree.Object) bool {
	if sh.left <= 0 {
		return false
	}
	sh.left--
	if !sh.holds(candidate) {
		return false
	}
	sh.best = candidate
	return true
}

// with is the best scenario with one member replaced.
func (sh *shrinker) with(member string, v any) *tree.Object {
	c := sh.best.Without("")
	c.Set(member, v)
	return c
}

// list removes runs of elements of an array member, long ones first, from the
// end: later steps use earlier ones.
func (sh *shrinker) list(member string) {
	for size := sh.length(member) / 2; size > 0; size /= 2 {
		for end := sh.length(member); end-size >= 0; end -= size {
			node, _ := sh.best.Get(member)
			l := node.([]any)
			rest := append(append([]any{}, l[:end-size]...), l[end:]...)
			sh.try(sh.with(member, rest))
		}
	}
}

func (sh *shrinker) length(member string) int {
	node, _ := sh.best.Get(member)
	l, _ := node.([]any)
	return len(l)
}

// members removes members of an object member one by one.
func (sh *shrinker) members(member string) {
	node, _ := sh.best.Get(member)
	o, ok := node.(*tree.Object)
	if !ok {
		return
	}
	for _, name := range o.Names() {
		now, _ := sh.best.Get(member)
		sh.try(sh.with(member, now.(*tree.Object).Without(name)))
	}
}

// stepMembers removes optional members of steps and, one level deeper, of their
// parameter objects.
func (sh *shrinker) stepMembers() {
	for i := range sh.length("topology") {
		for _, name := range sh.step(i).Names() {
			if sh.try(sh.withStep(i, sh.step(i).Without(name))) {
				continue
			}
			v, _ := sh.step(i).Get(name)
			parameters, ok := v.(*tree.Object)
			if !ok {
				continue
			}
			for _, inner := range parameters.Names() {
				v, _ := sh.step(i).Get(name)
				step := sh.step(i).Without("")
				step.Set(name, v.(*tree.Object).Without(inner))
				sh.try(sh.withStep(i, step))
			}
		}
	}
}

func (sh *shrinker) step(i int) *tree.Object {
	node, _ := sh.best.Get("topology")
	return node.([]any)[i].(*tree.Object)
}

func (sh *shrinker) withStep(i int, step *tree.Object) *tree.Object {
	node, _ := sh.best.Get("topology")
	l := append([]any{}, node.([]any)...)
	l[i] = step
	return sh.with("topology", l)
}
