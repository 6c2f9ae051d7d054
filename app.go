// Package millrace runs stream processing applications on Apache Kafka. It
// owns the application as a user sees it: its configuration, its life from New
// to the end of Run, its state, and the errors it ends with. Topologies are
// built with package kstream (or processor, by hand).
//
//	app, err := millrace.New(topology, millrace.Config{ApplicationID: "wordcount", Brokers: []string{"localhost:9092"}})
//	if err != nil {
//		return err
//	}
//	os.Exit(millrace.RunMain(context.Background(), app))
//
// It refuses to know what operators do.
package millrace

import (
	"context"
	"errors"
	"fmt"

	"github.com/millrace/millrace/internal/runtime"
	"github.com/millrace/millrace/processor"
	_ "github.com/millrace/millrace/statestore/pebblestore" // where stores lie unless told otherwise
)

// App is an application in this process: one instance of the group named by
// its ApplicationID (Java: KafkaStreams). It runs once.
type App struct {
	process *runtime.Process
}

// New checks the configuration and makes an application; nothing is connected
// yet. All that is wrong with the configuration is in the one error.
func New(topology *processor.Topology, cfg Config) (*App, error) {
	if topology == nil {
		return nil, errors.New("new application: the topology is nil")
	}
	if len(topology.Subtopologies()) == 0 {
		return nil, fmt.Errorf("new application %s: the topology is empty: add a source before it is built", cfg.ApplicationID)
	}
	settings, err := cfg.resolve(topology)
	if err != nil {
		return nil, err
	}
	return &App{process: runtime.New(settings)}, nil
}

// Run runs the application until ctx ends or it fails for good, and returns
// when everything is closed. When ctx ends it drains: no more records are
// processed, what was processed is committed, and the group is told; the
// result is then nil. An error of a task is a [TaskError].
func (a *App) Run(ctx context.Context) error { return publicError(a.process.Run(ctx)) }

// Abort ends Run at once, without a commit: what was not committed is
// processed again later. It is meant for the second signal of an impatient
// operator. Before Run it does nothing.
func (a *App) Abort() { a.process.Abort() }

// State is what the application is doing.
func (a *App) State() State { return State(a.process.State()) }
