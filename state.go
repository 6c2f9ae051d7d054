package millrace

import "github.com/millrace/millrace/internal/runtime"

// State is what an application is doing, with Java's numbers and names
// (KafkaStreams.State).
type State int

// The states of an application.
const (
	// Created: Run has not been called.
	Created = State(runtime.Created)
	// Rebalancing: the workers wait for tasks or restore their stores.
	Rebalancing = State(runtime.Rebalancing)
	// Running: all tasks are restored and process records.
	Running = State(runtime.Running)
	// PendingShutdown: the end was asked for, the workers drain.
	PendingShutdown = State(runtime.PendingShutdown)
	// NotRunning: Run has ended, or is about to return.
	NotRunning = State(runtime.NotRunning)
	// PendingError: something failed for good, the rest is being closed.
	PendingError = State(runtime.PendingError)
	// Failed: Run returns an error (Java: ERROR).
	Failed = State(runtime.Failed)
)

// String is Java's name of the state.
func (s State) String() string { return runtime.State(s).String() }

// IsRunningOrRebalancing reports whether the application is alive.
func (s State) IsRunningOrRebalancing() bool { return s == Running || s == Rebalancing }
