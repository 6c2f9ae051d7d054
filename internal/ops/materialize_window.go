package ops

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/window"
)

// WindowSupplier chooses backend, kind and layout of a window store (Java:
// WindowBytesStoreSupplier). The kind is that of the rows below the typed
// store.
type WindowSupplier interface {
	Name() string
	WindowBackend() (statestore.Backend, statestore.Kind, statestore.WindowConfig)
}

// SessionSupplier chooses backend, kind and layout of a session store (Java:
// SessionBytesStoreSupplier).
type SessionSupplier interface {
	Name() string
	SessionBackend() (statestore.Backend, statestore.Kind, statestore.SessionConfig)
}

// Windowing is what an aggregation is windowed by: one of Time, Sliding and
// Session is set.
type Windowing struct {
	Time    window.Windows
	Sliding *window.Sliding
	Session *window.Session
	// OnClose sends only the results of windows that have closed (Java:
	// EmitStrategy.onWindowClose).
	OnClose bool
}

// GraceMs is how long the windows take late records, as suppression counts it:
// for sessions the gap belongs to it.
func (w *Windowing) GraceMs() int64 {
	switch {
	case w.Sliding != nil:
		return w.Sliding.GraceMs()
	case w.Session != nil:
		return w.Session.GapMs() + w.Session.GraceMs()
	default:
		return w.Time.GraceMs()
	}
}

// sizeMs is the length of a window; sessions have none.
func (w *Windowing) sizeMs() int64 {
	if w.Sliding != nil {
		return w.Sliding.DifferenceMs()
	}
	return w.Time.SizeMs()
}

// leastRetentionMs is how long the store must keep its rows at least. A
// sliding window may need one that began two differences ago.
func (w *Windowing) leastRetentionMs() int64 {
	switch {
	case w.Sliding != nil:
		return 2*w.Sliding.DifferenceMs() + w.Sliding.GraceMs()
	case w.Session != nil:
		return w.Session.GapMs() + w.Session.GraceMs()
	default:
		return w.Time.SizeMs() + w.Time.GraceMs()
	}
}

// RetentionMs is how long the store keeps its rows: as long as was asked for,
// else as long as it must. Too short a retention is an error with Java's text.
func RetentionMs[K, A any](w *Windowing, m *dsl.Materialized[K, A]) (int64, error) {
	if m.Retention == nil {
		return w.leastRetentionMs(), nil
	}
	retention := m.Retention.Milliseconds()
	if retention >= w.leastRetentionMs() {
		return retention, nil
	}
	switch {
	case w.Sliding != nil:
		return 0, dsl.Errorf(dsl.KindArgument, "The retention period of the window store %s must be no smaller than 2 * time difference plus the grace period. "+
			"Got time difference=[%d], grace=[%d], retention=[%d]", m.Name, w.Sliding.DifferenceMs(), w.Sliding.GraceMs(), retention)
	case w.Session != nil:
		return 0, dsl.Errorf(dsl.KindArgument, "The retention period of the session store %s must be no smaller than the session inactivity gap plus the grace period. "+
			"Got gap=[%d], grace=[%d], retention=[%d]", m.Name, w.Session.GapMs(), w.Session.GraceMs(), retention)
	default:
		return 0, dsl.Errorf(dsl.KindArgument, "The retention period of the window store %s must be no smaller than its window size plus the grace period. "+
			"Got size=[%d], grace=[%d], retention=[%d]", m.Name, w.Time.SizeMs(), w.Time.GraceMs(), retention)
	}
}

// WindowedSerde is the serde of keys in such windows.
func WindowedSerde[K any](w *Windowing, key serde.Serde[K]) serde.Serde[window.Windowed[K]] {
	if w.Session != nil {
		return window.SessionSerde(key)
	}
	return window.SerdeMillis(key, w.sizeMs())
}

// WindowStoreBuilder makes the builder of the store of an aggregation in
// windows when its node is written (Java: WindowStoreMaterializer,
// SlidingWindowStoreMaterializer and SessionStoreMaterializer). It returns the
// resolved serde of the keys too.
func WindowStoreBuilder[K, A any](n *dsl.Node, m *dsl.Materialized[K, A], w *Windowing) (statestore.Builder, serde.Serde[K], error) {
	key, err := dsl.Resolve(n, dsl.KeySide, m.Key)
	if err != nil {
		return nil, nil, err
	}
	value, err := dsl.Resolve(n, dsl.ValueSide, m.Value)
	if err != nil {
		return nil, nil, err
	}
	retention, err := RetentionMs(w, m)
	if err != nil {
		return nil, nil, err
	}
	var b statestore.Builder
	if w.Session != nil {
		b, err = sessionBuilder(n, m, w, key, value, retention)
	} else {
		b, err = windowBuilder(n, m, w, key, value, retention)
	}
	if err != nil {
		return nil, nil, err
	}
	if b.RetentionMs() != retention {
		b = &retained{b, retention}
	}
	return dsl.ReadyStore(b, key, value), key, nil
}

// storeLayout is where the rows of a windowed store lie, and as what.
type storeLayout struct {
	backend statestore.Backend
	kind    statestore.Kind
}

// below is the layout below a store of the given kind; rows of the same kind
// need no mention.
func (l storeLayout) below(kind statestore.Kind) storeLayout {
	if l.kind == kind {
		l.kind = ""
	}
	return l
}

// options are the settings of a store's builder that all kinds share.
func (l storeLayout) options(cached, logged bool, config map[string]string) []statestore.Option {
	opts := []statestore.Option{statestore.Changelog(config)}
	if cached {
		opts = append(opts, statestore.Cached())
	}
	if !logged {
		opts = append(opts, statestore.Unlogged())
	}
	if l.backend != nil {
		opts = append(opts, statestore.On(l.backend))
	}
	if l.kind != "" {
		opts = append(opts, statestore.Supplied(l.kind))
	}
	return opts
}

// headerStores tells whether stores on disk have headers (dsl.store.format).
func headerStores(n *dsl.Node) bool {
	return n.Graph().Config.HeaderStores || n.Graph().Building().HeaderStores
}

// windowBuilder leaves the cache on for time windows that are emitted on close,
// as in Java.
func windowBuilder[K, A any](n *dsl.Node, m *dsl.Materialized[K, A], w *Windowing, key serde.Serde[K], value serde.Serde[A], retention int64) (statestore.Builder, error) {
	config := statestore.WindowConfig{RetentionMs: retention, SizeMs: w.sizeMs()}
	layout := storeLayout{}
	headers := false
	switch s := m.Supplier.(type) {
	case nil:
		if m.Memory(n) {
			layout.backend = memstore.Backend
			break
		}
		headers = headerStores(n)
		switch {
		case w.OnClose && w.Sliding != nil:
			config.Order = statestore.TimeFirstIndexed
		case w.OnClose:
			config.Order = statestore.TimeFirst
		}
	case WindowSupplier:
		layout.backend, layout.kind, config = s.WindowBackend()
		headers = layout.kind == statestore.KindHeadersWindow
	default:
		return nil, dsl.Errorf(dsl.KindArgument, "the supplier of store %s is a %T, which makes no window stores", m.Name, s)
	}
	if err := config.Check(m.Name); err != nil {
		return nil, dsl.Errorf(dsl.KindArgument, "%w", err)
	}
	cached := m.Cached && (w.Sliding == nil || !w.OnClose)
	if headers {
		opts := layout.below(statestore.KindHeadersWindow).options(cached, m.Logged, m.ChangelogConfig)
		return statestore.NewHeadersWindow(m.Name, key, value, config, opts...), nil
	}
	opts := layout.below(statestore.KindTimestampedWindow).options(cached, m.Logged, m.ChangelogConfig)
	return statestore.NewTimestampedWindow(m.Name, key, value, config, opts...), nil
}

func sessionBuilder[K, A any](n *dsl.Node, m *dsl.Materialized[K, A], w *Windowing, key serde.Serde[K], value serde.Serde[A], retention int64) (statestore.Builder, error) {
	config := statestore.SessionConfig{RetentionMs: retention}
	layout := storeLayout{}
	headers := false
	switch s := m.Supplier.(type) {
	case nil:
		if m.Memory(n) {
			layout.backend = memstore.Backend
			break
		}
		headers = headerStores(n)
		if w.OnClose {
			config.Order = statestore.TimeFirstIndexed
		}
	case SessionSupplier:
		layout.backend, layout.kind, config = s.SessionBackend()
		headers = layout.kind == statestore.KindHeadersSession
	default:
		return nil, dsl.Errorf(dsl.KindArgument, "the supplier of store %s is a %T, which makes no session stores", m.Name, s)
	}
	if err := config.Check(m.Name); err != nil {
		return nil, dsl.Errorf(dsl.KindArgument, "%w", err)
	}
	cached := m.Cached && !w.OnClose
	if headers {
		opts := layout.below(statestore.KindHeadersSession).options(cached, m.Logged, m.ChangelogConfig)
		return statestore.NewHeadersSession(m.Name, key, value, config, opts...), nil
	}
	opts := layout.below(statestore.KindSession).options(cached, m.Logged, m.ChangelogConfig)
	return statestore.NewSession(m.Name, key, value, config, opts...), nil
}

// retained is a builder whose changelog keeps rows for another time than the
// store itself: as in Java the retention of a supplier does not reach the
// topic.
type retained struct {
	statestore.Builder
	retention int64
}

// RetentionMs implements statestore.Builder.
func (b *retained) RetentionMs() int64 { return b.retention }

// WithoutLog implements statestore.Builder.
func (b *retained) WithoutLog() statestore.Builder {
	return &retained{b.Builder.WithoutLog(), b.retention}
}
