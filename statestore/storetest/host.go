package storetest

import (
	"testing"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// Host stands for a task in tests of stores. Its fields may be set before a
// store is opened and looked at any time.
type Host struct {
	Application, Task, Folder string
	Context                   *record.Context
	RecordCache               *statestore.Cache
	Budget                    *statestore.Memory
	// Logged are the changelog records of all stores.
	Logged []Logged
	// NoLog takes the changelog away.
	NoLog bool
	// Failed is the first error of a scan of the task.
	Failed error
	Drops  int
}

// Logged is a record written to a changelog.
type Logged struct {
	Store     string
	Key       string
	Value     string
	Null      bool
	Timestamp int64
	Headers   int
}

// NewHost returns the host of task 0_0 of application app, with a folder of its
// own and a record context of topic "in".
func NewHost(t testing.TB) *Host {
	return &Host{Application: "app", Task: "0_0", Folder: t.TempDir(),
		Context: &record.Context{Topic: "in", Headers: record.NewHeaders()},
		Budget:  statestore.NewMemory(statestore.MemoryConfig{})}
}

// ApplicationID is the field Application.
func (h *Host) ApplicationID() string { return h.Application }

// TaskID is the field Task.
func (h *Host) TaskID() string { return h.Task }

// Dir is the field Folder.
func (h *Host) Dir() string { return h.Folder }

// RecordContext is the field Context.
func (h *Host) RecordContext() *record.Context { return h.Context }

// SetRecordContext sets the field Context.
func (h *Host) SetRecordContext(c *record.Context) { h.Context = c }

// Cache is the field RecordCache.
func (h *Host) Cache() *statestore.Cache { return h.RecordCache }

// Memory is the field Budget.
func (h *Host) Memory() *statestore.Memory { return h.Budget }

// Dropped counts in the field Drops.
func (h *Host) Dropped() { h.Drops++ }

// Fail keeps the first error.
func (h *Host) Fail(err error) {
	if h.Failed == nil {
		h.Failed = err
	}
}

// Log appends to the field Logged.
func (h *Host) Log(store string) statestore.Log {
	if h.NoLog {
		return nil
	}
	return hostLog{h, store}
}

type hostLog struct {
	h     *Host
	store string
}

func (l hostLog) Log(key, value []byte, timestamp int64, headers *record.Headers) error {
	l.h.Logged = append(l.h.Logged, Logged{l.store, string(key), string(value), value == nil, timestamp, headers.Len()})
	return nil
}
