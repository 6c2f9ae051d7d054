package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/with"
)

// joinStreams declares a join: a windowing node for each side and the node of
// the join, which writes the two sides and what merges them (Java:
// KStreamImpl.doJoin and KStreamImplJoin).
func joinStreams[K, L, R, O any](left Stream[K, L], right Stream[K, R], op string, join *ops.StreamJoin[K, L, R, O], opts []with.Join) Stream[K, O] {
	l, r := left.use(op), right.use(op)
	g := l.Graph
	sameGraph(g, r.Graph, op)
	o := dsl.Collect(g, op, opts, with.Join.ForJoin)
	if err := join.Window.Err(); err != nil {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, "%w", err))
	}
	s := newJoinStores(g, op, o, join)
	l = repartitioned(l, nameOr(o.Name, "-left", l.Name), o.Name != "", s.key, s.left)
	r = repartitioned(r, nameOr(o.Name, "-right", r.Name), o.Name != "", s.key, s.right)
	sources := l.CopartitionWith(&r.Base)

	names := newJoinNames(g, o.Name, join.LeftOuter, join.RightOuter)
	s.name(g, op, names)
	n := &dsl.Node{Name: names.merge, NullKeyJoin: join.LeftOuter || join.RightOuter}
	l.Below(windowNode(names.leftWindow, n, join.LeftStore, s.leftBuilder, ops.NewJoinWindow[K, L]))
	r.Below(windowNode(names.rightWindow, n, join.RightStore, s.rightBuilder, ops.NewJoinWindow[K, R]))
	n.Join = &dsl.StreamJoin{This: names.leftWindow, Other: names.rightWindow}
	n.Write = func(t *processor.Topology) error {
		if n.Join.Self {
			return s.writeSelf(n, t, names)
		}
		return s.write(n, t, names)
	}
	g.Add(n, l.Node, r.Node)
	return Stream[K, O]{&dsl.Stream[K, O]{Base: dsl.Base{Graph: g, Node: n, Name: names.merge, Sources: sources}, Key: s.key}}
}

// nameOr is the user's name with a suffix, or else another name.
func nameOr(user, suffix, other string) string {
	if user == "" {
		return other
	}
	return user + suffix
}

// windowNode makes the node that stores the records of one side. join is asked
// for serdes that were not given.
func windowNode(name string, join *dsl.Node, store string, build func(*dsl.Node) (statestore.Builder, error), unit func(string) processor.Unit) *dsl.Node {
	n := dsl.NewProcessor(name, dsl.Processor{
		New:    dsl.Unit(func() processor.Unit { return unit(store) }),
		Stores: func() ([]statestore.Builder, error) { return builders(join, build) },
	})
	n.Window = true
	return n
}

// builders makes the builders of several stores; those that could not be made
// before are left out, since their error has been reported.
func builders(n *dsl.Node, build ...func(*dsl.Node) (statestore.Builder, error)) ([]statestore.Builder, error) {
	var out []statestore.Builder
	for _, f := range build {
		b, err := f(n)
		if err != nil {
			return nil, err
		}
		if b != nil {
			out = append(out, b)
		}
	}
	return out, nil
}

// joinNames are the nodes of a join. The generated names of the sides name
// their stores too, if the user does not.
type joinNames struct {
	leftWindow, rightWindow, left, right, merge string
	leftGenerated, rightGenerated               string
	leftSuffix, rightSuffix                     string
	// number is that of the left side's generated name.
	number string
}

func newJoinNames(g *dsl.Graph, user string, leftOuter, rightOuter bool) joinNames {
	n := joinNames{leftSuffix: "-this-join", rightSuffix: "-other-join"}
	leftPrefix, rightPrefix := dsl.PrefixJoinThis, dsl.PrefixJoinOther
	if rightOuter {
		leftPrefix, n.leftSuffix = dsl.PrefixOuterThis, "-outer-this-join"
	}
	if leftOuter {
		rightPrefix, n.rightSuffix = dsl.PrefixOuterOther, "-outer-other-join"
	}
	n.leftWindow = g.NameWithSuffix(dsl.PrefixWindowed, user, "-this-windowed")
	n.rightWindow = g.NameWithSuffix(dsl.PrefixWindowed, user, "-other-windowed")
	n.leftGenerated, n.rightGenerated = g.Name(leftPrefix, ""), g.Name(rightPrefix, "")
	n.number = n.leftGenerated[len(leftPrefix):]
	n.left, n.right = nameOr(user, n.leftSuffix, n.leftGenerated), nameOr(user, n.rightSuffix, n.rightGenerated)
	n.merge = g.NameWithSuffix(dsl.PrefixMerge, user, "-merge")
	return n
}

// write writes the two sides and the node that merges their results.
func (s *joinStores[K, L, R, O]) write(n *dsl.Node, t *processor.Topology, names joinNames) error {
	sides := []struct {
		name, parent string
		unit         func() (processor.Unit, error)
		store        func(*dsl.Node) (statestore.Builder, error)
	}{
		{names.left, names.leftWindow, s.join.NewLeft, s.rightBuilder},
		{names.right, names.rightWindow, s.join.NewRight, s.leftBuilder},
	}
	for _, side := range sides {
		err := n.WriteProcessor(t, side.name, []string{side.parent}, dsl.Processor{New: side.unit,
			Stores: func() ([]statestore.Builder, error) { return builders(n, side.store, s.unmatchedBuilder) }})
		if err != nil {
			return err
		}
	}
	return n.WriteProcessor(t, names.merge, []string{names.left, names.right},
		dsl.Processor{New: dsl.Unit(func() processor.Unit { return &passThrough[K, O]{} })})
}

// writeSelf writes a join whose two sides are one stream. They have the same
// types then: a topic read under two types is refused.
func (s *joinStores[K, L, R, O]) writeSelf(n *dsl.Node, t *processor.Topology, names joinNames) error {
	join, ok := any(s.join.Join).(func(K, L, bool, L, bool) O)
	if !ok {
		return dsl.Errorf(dsl.KindArgument, "a stream is joined with itself under two types of values")
	}
	plan := &ops.SelfJoin[K, L, O]{Window: s.join.Window, Join: join, Store: s.join.LeftStore}
	return n.WriteProcessor(t, names.merge, []string{names.leftWindow}, dsl.Processor{New: plan.New,
		Stores: func() ([]statestore.Builder, error) { return builders(n, s.leftBuilder) }})
}
