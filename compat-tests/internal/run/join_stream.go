package run

import (
	"time"

	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/kstream"
	"github.com/millrace/millrace/window"
	"github.com/millrace/millrace/with"
)

func init() {
	register(map[string]opFunc{"joinStream": op(buildJoinStream)})
}

func buildJoinStream(p *program, s step, spec *scenario.JoinStream) (any, error) {
	in, err := handle[stream](p, s, spec.In)
	if err != nil {
		return nil, err
	}
	other, err := handle[stream](p, s, spec.With)
	if err != nil {
		return nil, err
	}
	opts, err := streamJoined(spec.StreamJoined)
	if err != nil {
		return nil, err
	}
	// A missing side is nil here, which the language shows as null.
	if spec.WithKey {
		f := func(k, l, r any) any { return p.eval(spec.Joiner, "key", k, "left", l, "right", r) }
		switch spec.Type {
		case "left":
			return kstream.LeftJoinWithKey(in, other, func(k, l, r any, _ bool) any { return f(k, l, r) }, joinWindow(spec), opts...), nil
		case "outer":
			return kstream.OuterJoinWithKey(in, other, func(k, l any, _ bool, r any, _ bool) any { return f(k, l, r) }, joinWindow(spec), opts...), nil
		}
		return kstream.JoinWithKey(in, other, f, joinWindow(spec), opts...), nil
	}
	f := func(l, r any) any { return p.eval(spec.Joiner, "left", l, "right", r) }
	switch spec.Type {
	case "left":
		return kstream.LeftJoin(in, other, func(l, r any, _ bool) any { return f(l, r) }, joinWindow(spec), opts...), nil
	case "outer":
		return kstream.OuterJoin(in, other, func(l any, _ bool, r any, _ bool) any { return f(l, r) }, joinWindow(spec), opts...), nil
	}
	return kstream.Join(in, other, f, joinWindow(spec), opts...), nil
}

func joinWindow(spec *scenario.JoinStream) window.Join {
	w := window.Within(milliseconds(spec.DiffMs))
	if spec.GraceMs != nil {
		w = w.Grace(milliseconds(*spec.GraceMs))
	}
	if spec.BeforeMs != nil {
		w = w.Before(milliseconds(*spec.BeforeMs))
	}
	if spec.AfterMs != nil {
		w = w.After(milliseconds(*spec.AfterMs))
	}
	return w
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func streamJoined(j *scenario.StreamJoined) ([]with.Join, error) {
	if j == nil {
		return nil, nil
	}
	opts := []with.Join{serdes(j.Key, j.Value), with.OtherValueSerde(serdeOrNil(j.OtherValue))}
	if j.Name != nil {
		opts = append(opts, with.Name(*j.Name))
	}
	if j.StoreName != nil {
		opts = append(opts, with.Store(*j.StoreName))
	}
	switch j.StoreType {
	case "inMemory":
		opts = append(opts, with.InMemory())
	case "rocksDB":
		opts = append(opts, with.Persistent())
	}
	if j.ThisStore != nil {
		s, err := supplier(j.ThisStore)
		if err != nil {
			return nil, err
		}
		opts = append(opts, with.StoreSupplier(s))
	}
	if j.OtherStore != nil {
		s, err := supplier(j.OtherStore)
		if err != nil {
			return nil, err
		}
		opts = append(opts, with.OtherStoreSupplier(s))
	}
	if j.Logging != nil {
		if j.Logging.Enabled {
			opts = append(opts, with.ChangelogConfig(j.Logging.Config))
		} else {
			opts = append(opts, with.NoChangelog())
		}
	}
	return opts, nil
}
