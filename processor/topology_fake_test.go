package processor

import (
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// testBuilder is a store builder for topologies that are never opened.
type testBuilder struct {
	name     string
	unlogged bool
}

func (b *testBuilder) Name() string                       { return b.name }
func (b *testBuilder) Kind() statestore.Kind              { return statestore.KindKeyValue }
func (b *testBuilder) Build() statestore.Store            { return nil }
func (b *testBuilder) Logged() bool                       { return !b.unlogged }
func (b *testBuilder) ChangelogConfig() map[string]string { return nil }
func (b *testBuilder) Cached() bool                       { return false }
func (b *testBuilder) Persistent() bool                   { return false }
func (b *testBuilder) RetentionMs() int64                 { return 0 }
func (b *testBuilder) WithoutLog() statestore.Builder {
	return &testBuilder{name: b.name, unlogged: true}
}

// testHost is a task with a record context and an application id; it collects
// what is sent.
type testHost struct {
	Host
	topology *Topology
	context  record.Context
	sent     []Outgoing
}

func (h *testHost) RecordContext() *record.Context { return &h.context }
func (h *testHost) TaskID() string                 { return "0_0" }
func (h *testHost) TopicName(topic string) string  { return h.topology.TopicName("app", topic) }
func (h *testHost) Send(o Outgoing) error {
	o.Key, o.Value = append([]byte{}, o.Key...), append([]byte{}, o.Value...)
	h.sent = append(h.sent, o)
	return nil
}
