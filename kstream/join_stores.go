package kstream

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/internal/ops"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
)

// joinStores are the stores of a join, as they are declared and built (Java:
// StreamJoinedInternal). Each is built once, for the topology tells stores
// apart by their builders and several nodes share each.
type joinStores[K, L, R, O any] struct {
	join *ops.StreamJoin[K, L, R, O]
	kept ops.JoinStores
	// base is the user's name for the stores, empty if none.
	base string
	// key, left and right are the serdes of the options, nil if not given.
	key   serde.Serde[K]
	left  serde.Serde[L]
	right serde.Serde[R]
	// The suppliers are nil where the configuration chooses.
	leftSupplier, rightSupplier ops.WindowSupplier

	leftWindow, rightWindow, unmatched builtOnce
}

func newJoinStores[K, L, R, O any](g *dsl.Graph, op string, o *dsl.Options, join *ops.StreamJoin[K, L, R, O]) *joinStores[K, L, R, O] {
	w := join.Window
	return &joinStores[K, L, R, O]{join: join, base: o.Store,
		kept: ops.JoinStores{Backend: o.Backend, Logged: o.Logging != dsl.Off, ChangelogConfig: o.ChangelogConfig,
			Windows: statestore.WindowConfig{RetentionMs: w.SizeMs() + w.GraceMs(), SizeMs: w.SizeMs(), RetainDuplicates: true}},
		key:          dsl.SerdeOf[K](g, op, dsl.KeySide, o.Key),
		left:         dsl.SerdeOf[L](g, op, dsl.ValueSide, o.Value),
		right:        dsl.SerdeOf[R](g, op, dsl.ValueSide, o.Other),
		leftSupplier: windowSupplier(g, op, o.Supplier), rightSupplier: windowSupplier(g, op, o.OtherSupplier)}
}

// windowSupplier checks the supplier of an option.
func windowSupplier(g *dsl.Graph, op string, option any) ops.WindowSupplier {
	if option == nil {
		return nil
	}
	s, ok := option.(ops.WindowSupplier)
	if !ok {
		g.Fail(op, dsl.Errorf(dsl.KindArgument, "the store supplier is a %T, which makes no window stores", option))
	}
	return s
}

// name gives the stores their names and checks the suppliers.
func (s *joinStores[K, L, R, O]) name(g *dsl.Graph, op string, names joinNames) {
	const suffix = "-store"
	outer := "-left-shared-join"
	if s.join.RightOuter {
		outer = "-outer-shared-join"
	}
	s.join.LeftStore = nameOr(s.base, names.leftSuffix, names.leftGenerated) + suffix
	s.join.RightStore = nameOr(s.base, names.rightSuffix, names.rightGenerated) + suffix
	shared := nameOr(s.base, outer, dsl.PrefixOuterShared+names.number)
	if s.leftSupplier != nil {
		s.join.LeftStore = s.leftSupplier.Name()
		shared = nameOr(s.join.LeftStore, outer, shared)
	}
	if s.rightSupplier != nil {
		s.join.RightStore = s.rightSupplier.Name()
	}
	if s.join.LeftOuter {
		s.join.Unmatched = shared + suffix
	}
	if err := s.check(); err != nil {
		g.Fail(op, err)
	}
	if s.base != "" {
		return
	}
	g.Unnamed(s.join.LeftStore, changelogOf(s.join.LeftStore, s.kept.Logged || s.leftSupplier != nil), "")
	g.Unnamed(s.join.RightStore, changelogOf(s.join.RightStore, s.kept.Logged || s.rightSupplier != nil), "")
	if s.join.Unmatched != "" {
		g.Unnamed(s.join.Unmatched, changelogOf(s.join.Unmatched, s.kept.Logged), "")
	}
}

// changelogOf is the topic of a store, empty if it has none.
func changelogOf(store string, logged bool) string {
	if !logged {
		return ""
	}
	return store + "-changelog"
}

// check finds suppliers that do not fit the join.
func (s *joinStores[K, L, R, O]) check() error {
	if s.leftSupplier != nil && s.rightSupplier != nil && s.leftSupplier.Name() == s.rightSupplier.Name() {
		return dsl.Errorf(dsl.KindStreams, "both store suppliers have the name %s, but the join needs two stores", s.leftSupplier.Name())
	}
	for _, supplier := range []ops.WindowSupplier{s.leftSupplier, s.rightSupplier} {
		if supplier == nil {
			continue
		}
		_, _, has := supplier.WindowBackend()
		if !has.RetainDuplicates {
			return dsl.Errorf(dsl.KindStreams, "the supplier of store %s does not retain duplicates, which a join needs", supplier.Name())
		}
		if want := s.kept.Windows; has.RetentionMs != want.RetentionMs || has.SizeMs != want.SizeMs {
			return dsl.Errorf(dsl.KindStreams, "the supplier of store %s has a retention of %d ms and a window size of %d ms, the join needs %d ms and %d ms",
				supplier.Name(), has.RetentionMs, has.SizeMs, want.RetentionMs, want.SizeMs)
		}
	}
	return nil
}

// builtOnce is the builder of a store that several nodes share.
type builtOnce struct {
	done    bool
	builder statestore.Builder
}

// get makes the builder at the first call. Later calls give none after an
// error, which is reported by then.
func (b *builtOnce) get(build func() (statestore.Builder, error)) (statestore.Builder, error) {
	if b.done {
		return b.builder, nil
	}
	b.done = true
	made, err := build()
	if err != nil {
		return nil, err
	}
	b.builder = made
	return made, nil
}

func (s *joinStores[K, L, R, O]) leftBuilder(n *dsl.Node) (statestore.Builder, error) {
	return s.leftWindow.get(func() (statestore.Builder, error) {
		return joinWindowBuilder(n, s, s.join.LeftStore, s.leftSupplier, s.left)
	})
}

func (s *joinStores[K, L, R, O]) rightBuilder(n *dsl.Node) (statestore.Builder, error) {
	return s.rightWindow.get(func() (statestore.Builder, error) {
		return joinWindowBuilder(n, s, s.join.RightStore, s.rightSupplier, s.right)
	})
}

func joinWindowBuilder[V, K, L, R, O any](n *dsl.Node, s *joinStores[K, L, R, O], name string, supplier ops.WindowSupplier, value serde.Serde[V]) (statestore.Builder, error) {
	key, err := dsl.Resolve(n, dsl.KeySide, s.key)
	if err != nil {
		return nil, err
	}
	if value, err = dsl.Resolve(n, dsl.ValueSide, value); err != nil {
		return nil, err
	}
	return ops.JoinWindowStore(n, name, supplier, key, value, &s.kept), nil
}

// unmatchedBuilder gives none for inner joins, and none if a window store could
// not be built, which then lacks the same serde.
func (s *joinStores[K, L, R, O]) unmatchedBuilder(n *dsl.Node) (statestore.Builder, error) {
	if s.join.Unmatched == "" || s.leftWindow.builder == nil || s.rightWindow.builder == nil {
		return nil, nil
	}
	return s.unmatched.get(func() (b statestore.Builder, err error) {
		key, err := dsl.Resolve(n, dsl.KeySide, s.key)
		if err != nil {
			return nil, err
		}
		if s.join.LeftValue, err = dsl.Resolve(n, dsl.ValueSide, s.left); err != nil {
			return nil, err
		}
		if s.join.RightValue, err = dsl.Resolve(n, dsl.ValueSide, s.right); err != nil {
			return nil, err
		}
		return ops.UnmatchedStoreBuilder(n, s.join.Unmatched, s.leftSupplier, key, &s.kept, s.join.LeftValue, s.join.RightValue), nil
	})
}
