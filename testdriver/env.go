package testdriver

import (
	"bytes"
	"log/slog"
	"slices"

	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// env is the driver as its task sees it.
type env struct{ d *Driver }

// Send implements task.Env.
func (e env) Send(out processor.Outgoing) error {
	r := Record{Topic: out.Topic, Partition: out.Partition, Key: bytes.Clone(out.Key), Value: bytes.Clone(out.Value),
		Timestamp: out.Timestamp}
	if out.Headers.Len() > 0 {
		r.Headers = slices.Clone(out.Headers.All())
	}
	e.d.sent = append(e.d.sent, r)
	return nil
}

// Partitions implements task.Env: every topic has one.
func (e env) Partitions(string) (int32, error) { return 1, nil }

// GlobalStore implements task.Env.
func (e env) GlobalStore(name string) (statestore.Store, bool) {
	if e.d.global == nil {
		return nil, false
	}
	for _, s := range e.d.global.Stores() {
		if s.Name() == name {
			return s, true
		}
	}
	return nil, false
}

// Cache implements task.Env.
func (e env) Cache() *statestore.Cache { return e.d.cache }

// Memory implements task.Env.
func (e env) Memory() *statestore.Memory { return e.d.memory }

// Dir implements task.Env.
func (e env) Dir(id task.ID) (string, error) { return e.d.makeDir(id.String()) }

// EmitInterval implements task.Env.
func (e env) EmitInterval() int64 { return e.d.cfg.EmitInterval.Milliseconds() }

// Logger implements task.Env.
func (e env) Logger() *slog.Logger { return e.d.cfg.Logger }
