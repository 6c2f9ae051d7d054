package statestore_test

import (
	"errors"
	"testing"

	"github.com/millrace/millrace/serde"
	"github.com/millrace/millrace/statestore"
	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/storetest"
	"github.com/millrace/millrace/window"
)

func view[S any](t *testing.T, b statestore.Builder, fill func(s S) error) S {
	t.Helper()
	s := b.Build()
	if err := s.Open(&storetest.Host{Folder: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := fill(s.(S)); err != nil {
		t.Fatal(err)
	}
	ro, ok := s.(statestore.ReadOnlyView)
	if !ok {
		t.Fatalf("%T has no view", s)
	}
	v, ok := ro.ReadOnly().(S)
	if !ok {
		t.Fatalf("the view of %T is a %T", s, ro.ReadOnly())
	}
	return v
}

// TestReadOnlyViews: a view has the store's interface, reads what is in it and
// refuses every change.
func TestReadOnlyViews(t *testing.T) {
	in := statestore.On(memstore.Backend)
	text := serde.String()
	kv := view(t, statestore.NewKeyValue("s", text, text, in), func(s statestore.KeyValue[string, string]) error { return s.Put("k", "v") })
	windows := view(t, statestore.NewWindow("s", text, text, statestore.WindowConfig{RetentionMs: 100, SizeMs: 10}, in),
		func(s statestore.Window[string, string]) error { return s.Put("k", "v", 5) })
	session := window.Windowed[string]{Key: "k", Start: 1, End: 2}
	sessions := view(t, statestore.NewSession("s", text, text, statestore.SessionConfig{RetentionMs: 100}, in),
		func(s statestore.Session[string, string]) error { return s.Put(session, "v") })
	versions := view(t, statestore.NewVersioned("s", text, text, statestore.VersionedConfig{HistoryMs: 100}, in),
		func(s statestore.Versioned[string, string]) error { _, err := s.Put("k", "v", 5); return err })

	if v, ok, err := kv.Get("k"); v != "v" || !ok || err != nil {
		t.Errorf("key-value: %q %v %v", v, ok, err)
	}
	if v, ok, err := windows.Fetch("k", 5); v != "v" || !ok || err != nil {
		t.Errorf("window: %q %v %v", v, ok, err)
	}
	if v, ok, err := sessions.FetchSession("k", 1, 2); v != "v" || !ok || err != nil {
		t.Errorf("session: %q %v %v", v, ok, err)
	}
	if v, ok, err := versions.Get("k"); v.Value != "v" || !ok || err != nil {
		t.Errorf("versioned: %v %v %v", v, ok, err)
	}

	_, _, absent := kv.PutIfAbsent("x", "y")
	_, _, deleted := kv.Delete("k")
	_, put := versions.Put("k", "w", 6)
	_, removed := versions.Remove("k", 6)
	_, _, versionDeleted := versions.Delete("k", 6)
	for name, err := range map[string]error{
		"put": kv.Put("k", "w"), "remove": kv.Remove("k"), "put if absent": absent, "delete": deleted,
		"open": kv.Open(nil), "flush": kv.Flush(), "commit": kv.Commit(1), "restore": kv.Restore(nil), "close": kv.Close(),
		"window put": windows.Put("k", "w", 5), "window remove": windows.Remove("k", 5),
		"session put": sessions.Put(session, "w"), "session remove": sessions.Remove(session),
		"version put": put, "version remove": removed, "version delete": versionDeleted,
	} {
		if !errors.Is(err, statestore.ErrReadOnly) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if v, _, err := kv.Get("k"); v != "v" || err != nil || kv.Name() != "s" || kv.Persistent() {
		t.Errorf("after refused changes: %q %v", v, err)
	}
}
