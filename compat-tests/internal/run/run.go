// Package run is the interpreter of the scenario language over the public API:
// it builds the program of a scenario, runs it in the test driver and writes
// down what happens as a golden. It owns the table of what is implemented; it
// refuses to know Java's goldens.
package run

import (
	"errors"
	"fmt"
	"time"

	"github.com/millrace/millrace/compat-tests/internal/golden"
	"github.com/millrace/millrace/compat-tests/internal/scenario"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	_ "github.com/millrace/millrace/statestore/pebblestore" // persistent stores
	"github.com/millrace/millrace/testdriver"
)

// Interpreter runs scenarios; it implements suite.Runner.
type Interpreter struct{}

// Run gives the golden of a scenario whose words are all implemented.
func (Interpreter) Run(s *scenario.Scenario) *tree.Object {
	r := &run{scenario: s, doc: &golden.Document{Scenario: s.Name}}
	if err := r.execute(); err != nil {
		r.note(err)
	}
	if r.fault != nil {
		r.doc.Fault = r.fault.Message
	}
	return r.doc.Tree()
}

// run is one run of a scenario.
type run struct {
	scenario *scenario.Scenario
	doc      *golden.Document
	settings settings
	effects  []any
	fault    *value.Fault
	printed  []printedStep
	driver   *testdriver.Driver
}

// note keeps the first fault among errors, so that no exception handler of the
// program can hide it.
func (r *run) note(err error) {
	var f *value.Fault
	if errors.As(err, &f) && r.fault == nil {
		r.fault = f
	}
}

// effect adds something the golden shows for the current step.
func (r *run) effect(namesAndValues ...any) {
	r.effects = append(r.effects, tree.NewObject(namesAndValues...))
}

func (r *run) takeEffects() []any {
	e := r.effects
	r.effects = nil
	return e
}

func (r *run) execute() error {
	if err := r.configure(); err != nil {
		return r.failed("build", err)
	}
	t, err := r.build()
	if err != nil {
		return r.failed("build", err)
	}
	describe := t.Describe()
	r.doc.Describe = &describe
	r.driver, err = testdriver.New(t, testdriver.Config{Config: r.settings.config, Start: time.UnixMilli(r.scenario.WallClock),
		EmitInterval: time.Duration(r.settings.emitMs) * time.Millisecond})
	if err != nil {
		return r.failed("init", err)
	}
	r.doc.Driver = &golden.Driver{Subtopologies: r.subtopologies(t), InitEffects: r.takeEffects()}
	failed := r.inputs()
	if !failed && r.fault == nil {
		if err := r.finalState(t); err != nil {
			return errors.Join(err, r.driver.Close())
		}
	}
	r.close(failed)
	r.show()
	return nil
}

// failed writes down that building or starting failed.
func (r *run) failed(at string, err error) error {
	r.note(err)
	r.doc.Advisory = append(r.doc.Advisory, err.Error())
	r.doc.Exception = &golden.Exception{At: at, Class: buildClass(at, err)}
	r.takeEffects()
	r.show()
	return nil
}

// inputs runs the input steps until one fails.
func (r *run) inputs() (failed bool) {
	for i, in := range r.scenario.Inputs {
		step := &golden.Step{}
		r.doc.Driver.Steps = append(r.doc.Driver.Steps, step)
		err := r.input(in, step)
		if err != nil {
			r.note(err)
			r.doc.Advisory = append(r.doc.Advisory, err.Error())
			step.Exception = &golden.Exception{At: fmt.Sprintf("step %d", i), Class: stepClass(err)}
		}
		r.collect(step)
		if err != nil || r.fault != nil {
			return true
		}
	}
	return false
}

func (r *run) input(in scenario.Input, step *golden.Step) error {
	switch {
	case in.Record != nil:
		rec := testdriver.Record{Topic: in.Record.Topic, Partition: 0, Key: in.Record.Key, Value: in.Record.Value, Timestamp: in.Record.Timestamp}
		for _, h := range in.Record.Headers {
			rec.Headers = append(rec.Headers, record.Header{Key: h.Name, Value: h.Value})
		}
		return r.driver.Pipe(rec)
	case in.Advance != nil:
		return r.driver.Advance(time.Duration(*in.Advance) * time.Millisecond)
	default:
		var err error
		step.Query, err = r.query(in.Query)
		step.Queried = err == nil
		return err
	}
}

// collect takes the outputs and effects since the last call into a step.
func (r *run) collect(step *golden.Step) {
	for topic, records := range r.driver.TakeWritten() {
		if step.Out == nil {
			step.Out = map[string][]any{}
		}
		for i := range records {
			step.Out[topic] = append(step.Out[topic], r.record(topic, &records[i]))
		}
	}
	step.Effects = r.takeEffects()
}

func (r *run) record(topic string, rec *testdriver.Record) any {
	declared := r.scenario.Topics[topic]
	out := golden.Record{Topic: topic, Key: rec.Key, Value: rec.Value, Partition: rec.Partition, Headers: rec.Headers,
		KeySerde: declared.Key, ValueSerde: declared.Value}
	if rec.Timestamp != processor.NoTimestamp {
		out.Timestamp = &rec.Timestamp
	}
	return out.Tree()
}

func (r *run) finalState(t *processor.Topology) error {
	stores, err := r.stores(t)
	if err != nil {
		return err
	}
	r.doc.Driver.Stores = stores
	r.collect(&golden.Step{})
	dropped := r.driver.Dropped()
	r.doc.Driver.Dropped = &dropped
	return nil
}

// close closes the driver; after a failed step what closing does is not shown.
func (r *run) close(failed bool) {
	err := r.driver.Close()
	if failed {
		return
	}
	step := &golden.Step{}
	if err != nil {
		r.note(err)
		r.doc.Advisory = append(r.doc.Advisory, err.Error())
		step.Exception = &golden.Exception{At: "close", Class: stepClass(err)}
	}
	r.collect(step)
	r.doc.Driver.Close = step
}

// show adds what was printed to the document.
func (r *run) show() {
	for _, p := range r.printed {
		if r.doc.Printed == nil {
			r.doc.Printed = map[string]string{}
		}
		r.doc.Printed[p.id] = p.text.String()
	}
}
