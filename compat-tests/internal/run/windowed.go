package run

import (
	"time"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

// The handles of windowed groupings and of cogrouped streams in scenarios.
type (
	timeWindowed      = kstream.TimeWindowed[any, any]
	sessionWindowed   = kstream.SessionWindowed[any, any]
	cogrouped         = kstream.Cogrouped[any, any]
	timeCogrouped     = kstream.TimeWindowedCogrouped[any, any]
	sessionsCogrouped = kstream.SessionWindowedCogrouped[any, any]
)

func init() {
	register(map[string]opFunc{
		"windowedBy": op(buildWindowedBy),
		"cogroup":    op(buildCogroup),
	})
}

func millis(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// timeWindows are the windows of the types time and unlimited.
func timeWindows(w *scenario.Window) window.Windows {
	if w.Type == "unlimited" {
		u := window.Unlimited()
		if w.StartMs != nil {
			u = u.From(time.UnixMilli(*w.StartMs))
		}
		return u
	}
	t := window.Tumbling(millis(w.SizeMs))
	if w.AdvanceMs != nil {
		t = window.Hopping(millis(w.SizeMs), millis(*w.AdvanceMs))
	}
	if w.GraceMs != nil {
		t = t.Grace(millis(*w.GraceMs))
	}
	return t
}

func slidingWindows(w *scenario.Window) window.Sliding {
	s := window.Slide(millis(w.DiffMs))
	if w.GraceMs != nil {
		s = s.Grace(millis(*w.GraceMs))
	}
	return s
}

func sessionWindows(w *scenario.Window) window.Session {
	s := window.Sessions(millis(w.GapMs))
	if w.GraceMs != nil {
		s = s.Grace(millis(*w.GraceMs))
	}
	return s
}

func buildWindowedBy(p *program, s step, spec *scenario.WindowedBy) (any, error) {
	onClose := spec.Emit == "onWindowClose"
	switch in := p.handles[spec.In].(type) {
	case groupedStream:
		if spec.Window.Type == "session" {
			w := in.WindowedBySession(sessionWindows(&spec.Window))
			if onClose {
				w = w.EmitOnClose()
			}
			return w, nil
		}
		w := windowedBy(in, &spec.Window)
		if onClose {
			w = w.EmitOnClose()
		}
		return w, nil
	case cogrouped:
		if spec.Emit != "" {
			return nil, fault(s, `unknown member "emit"`)
		}
		switch spec.Window.Type {
		case "session":
			return in.WindowedBySession(sessionWindows(&spec.Window)), nil
		case "sliding":
			return in.WindowedBySliding(slidingWindows(&spec.Window)), nil
		default:
			return in.WindowedBy(timeWindows(&spec.Window)), nil
		}
	}
	return nil, notAGrouping(p, s, spec.In)
}

func windowedBy(in groupedStream, w *scenario.Window) timeWindowed {
	if w.Type == "sliding" {
		return in.WindowedBySliding(slidingWindows(w))
	}
	return in.WindowedBy(timeWindows(w))
}

func buildCogroup(p *program, s step, spec *scenario.Cogroup) (any, error) {
	var c cogrouped
	for i, part := range spec.Streams {
		in, err := handle[groupedStream](p, s, part.In)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			c = kstream.Cogroup(in, p.aggregator(part.Add))
		} else {
			c = kstream.And(c, in, p.aggregator(part.Add))
		}
	}
	return c, nil
}

// countWindowed counts a windowed grouping.
func (p *program) countWindowed(s step, in string, opts []with.Aggregation) (any, error) {
	switch g := p.handles[in].(type) {
	case timeWindowed:
		return erasedTable(kstream.Count(g, opts...)), nil
	case sessionWindowed:
		return erasedTable(kstream.Count(g, opts...)), nil
	}
	return nil, notAGrouping(p, s, in)
}

// reduceWindowed reduces a windowed grouping.
func (p *program) reduceWindowed(s step, spec *scenario.Reduce) (any, error) {
	opts, err := aggregationOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, err
	}
	switch g := p.handles[spec.In].(type) {
	case timeWindowed:
		return erasedTable(kstream.Reduce(g, p.reducer(spec.Add), opts...)), nil
	case sessionWindowed:
		return erasedTable(kstream.Reduce(g, p.reducer(spec.Add), opts...)), nil
	}
	return nil, notAGrouping(p, s, spec.In)
}

func (r *run) merger(x *expr.Expr) func(k, left, right any) any {
	return func(k, left, right any) any { return r.eval(x, "key", k, "left", left, "right", right) }
}

// aggregateMore aggregates a windowed grouping or cogrouped streams; those
// have their functions already. It returns false for other handles.
func (p *program) aggregateMore(s step, spec *scenario.Aggregate) (t any, is bool, err error) {
	opts, err := aggregationOptions(spec.Name, spec.Materialized)
	if err != nil {
		return nil, true, err
	}
	init := func() any { return p.eval(spec.Init) }
	needs := func(x *expr.Expr, member string) error {
		if x == nil {
			return fault(s, "missing %q", member)
		}
		return nil
	}
	switch g := p.handles[spec.In].(type) {
	case timeWindowed:
		if err := needs(spec.Add, "add"); err != nil {
			return nil, true, err
		}
		return erasedTable(kstream.Aggregate(g, init, p.aggregator(spec.Add), opts...)), true, nil
	case sessionWindowed:
		if err := needs(spec.Add, "add"); err != nil {
			return nil, true, err
		}
		if err := needs(spec.Merge, "merge"); err != nil {
			return nil, true, err
		}
		return erasedTable(kstream.AggregateSessions(g, init, p.aggregator(spec.Add), p.merger(spec.Merge), opts...)), true, nil
	case cogrouped:
		return erasedTable(g.Aggregate(init, opts...)), true, nil
	case timeCogrouped:
		return erasedTable(g.Aggregate(init, opts...)), true, nil
	case sessionsCogrouped:
		if err := needs(spec.Merge, "merge"); err != nil {
			return nil, true, err
		}
		return erasedTable(g.Aggregate(init, p.merger(spec.Merge), opts...)), true, nil
	}
	return nil, false, nil
}

// windowSupplier is a supplier of window or session stores, nil for those of
// other stores.
func windowSupplier(s *scenario.Supplier) with.Supplier {
	windows := statestore.WindowConfig{RetentionMs: s.RetentionMs, SizeMs: s.WindowSizeMs, RetainDuplicates: s.RetainDuplicates}
	sessions := statestore.SessionConfig{RetentionMs: s.RetentionMs}
	switch s.Kind {
	case "persistentWindow", "persistentTimestampedWindow", "persistentTimestampedWindowWithHeaders":
		return statestore.SupplyWindow(s.Name, backend(s), supplied[s.Kind], windows)
	case "inMemoryWindow":
		return statestore.SupplyWindow(s.Name, backend(s), statestore.KindWindow, windows)
	case "persistentSession", "persistentSessionWithHeaders":
		return statestore.SupplySession(s.Name, backend(s), supplied[s.Kind], sessions)
	case "inMemorySession":
		return statestore.SupplySession(s.Name, backend(s), statestore.KindSession, sessions)
	}
	return nil
}
