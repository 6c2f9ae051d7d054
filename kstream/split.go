package kstream

import (
	"strconv"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/with"
)

// Branches is a stream being split (Java: BranchedKStream). Each record goes to
// the first branch whose predicate holds, else to the default branch, else
// nowhere.
type Branches[K, V any] struct {
	source *dsl.Stream[K, V]
	node   *dsl.Node
	rules  *rules[K, V]
	out    map[string]Stream[K, V]
}

// rules grow while branches are declared; tasks read them when they start.
type rules[K, V any] struct {
	when  []func(K, V) bool
	nodes []string
}

// Split begins to split a stream:
//
//	b := s.Split(with.Name("split-")).When("big", isBig).Otherwise("small")
//	big := b["split-big"]
//
// The streams are found under the names of their nodes: the splitter's name
// followed by the branch's, or by its number if the branch has no name: 1 for
// the first, 0 for the default.
func (s Stream[K, V]) Split(opts ...with.Node) *Branches[K, V] {
	c := s.use("Split")
	name := c.Graph.Name(dsl.PrefixBranch, options(c.Graph, "Split", opts).Name)
	r := &rules[K, V]{}
	b := &Branches[K, V]{source: c, rules: r, out: map[string]Stream[K, V]{},
		node: plain(name, func() processor.Unit { return &splitter[K, V]{rules: r} })}
	c.Below(b.node)
	return b
}

// When adds a branch for the records that no earlier branch took.
func (b *Branches[K, V]) When(name string, f func(K, V) bool) *Branches[K, V] {
	child, s := b.when("When", name, f)
	b.out[child] = s
	return b
}

// WhenThen is When, where the branch's stream is replaced by what chain makes of
// it (Java: Branched.withFunction). The zero Stream leaves it out of the result.
func (b *Branches[K, V]) WhenThen(name string, f func(K, V) bool, chain func(Stream[K, V]) Stream[K, V]) *Branches[K, V] {
	child, s := b.when("WhenThen", name, f)
	b.then("WhenThen", child, s, chain)
	return b
}

// WhenDo is When, where the branch's stream is handed to use and left out of the
// result (Java: Branched.withConsumer).
func (b *Branches[K, V]) WhenDo(name string, f func(K, V) bool, use func(Stream[K, V])) *Branches[K, V] {
	_, s := b.when("WhenDo", name, f)
	b.do("WhenDo", s, use)
	return b
}

// Otherwise adds the default branch and ends the split.
func (b *Branches[K, V]) Otherwise(name string) map[string]Stream[K, V] {
	child, s := b.add(name, 0)
	b.out[child] = s
	return b.out
}

// OtherwiseThen is Otherwise with a chain, see WhenThen.
func (b *Branches[K, V]) OtherwiseThen(name string, chain func(Stream[K, V]) Stream[K, V]) map[string]Stream[K, V] {
	child, s := b.add(name, 0)
	b.then("OtherwiseThen", child, s, chain)
	return b.out
}

// OtherwiseDo is Otherwise with a consumer, see WhenDo.
func (b *Branches[K, V]) OtherwiseDo(name string, use func(Stream[K, V])) map[string]Stream[K, V] {
	_, s := b.add(name, 0)
	b.do("OtherwiseDo", s, use)
	return b.out
}

// Done ends the split without a default branch: the other records are dropped.
func (b *Branches[K, V]) Done() map[string]Stream[K, V] { return b.out }

func (b *Branches[K, V]) when(op, name string, f func(K, V) bool) (string, Stream[K, V]) {
	need(b.source.Graph, op, f == nil)
	b.rules.when = append(b.rules.when, f)
	return b.add(name, len(b.rules.when))
}

func (b *Branches[K, V]) add(name string, number int) (string, Stream[K, V]) {
	if name == "" {
		name = strconv.Itoa(number)
	}
	child := b.source.Graph.Name("", b.node.Name+name)
	b.rules.nodes = append(b.rules.nodes, child)
	n := plain(child, func() processor.Unit { return &passThrough[K, V]{} })
	b.source.Graph.Add(n, b.node)
	return child, Stream[K, V]{&dsl.Stream[K, V]{Base: dsl.Base{Graph: b.source.Graph, Node: n, Name: child, Sources: b.source.Sources},
		Key: b.source.Key, Value: b.source.Value, Rekeyed: b.source.Rekeyed}}
}

func (b *Branches[K, V]) then(op, child string, s Stream[K, V], chain func(Stream[K, V]) Stream[K, V]) {
	if chain == nil {
		need(b.source.Graph, op, true)
		return
	}
	if s = chain(s); !s.IsZero() {
		b.out[child] = s
	}
}

func (b *Branches[K, V]) do(op string, s Stream[K, V], use func(Stream[K, V])) {
	if use == nil {
		need(b.source.Graph, op, true)
		return
	}
	use(s)
}

type splitter[K, V any] struct {
	processor.Out[K, V]
	args[K, V]
	rules *rules[K, V]
}

// Receive implements processor.Receiver.
func (u *splitter[K, V]) Receive(rec processor.Record[K, V]) error {
	r := u.rules
	if len(r.when) > 0 {
		if err := u.both(rec.KeyNull, rec.ValueNull); err != nil {
			return err
		}
	}
	for i, f := range r.when {
		if f(rec.Key, rec.Value) {
			return u.PassTo(r.nodes[i], rec)
		}
	}
	if len(r.nodes) > len(r.when) {
		return u.PassTo(r.nodes[len(r.when)], rec)
	}
	return nil
}
