// Package testdriver runs a topology in memory, record by record, without a
// broker, as Java's TopologyTestDriver does: one task holds all sub-topologies,
// every topic has one partition, the wall clock moves only when told to, and
// each record is processed to its end (with a commit after every step) before
// a call returns. It owns the piping between topics; it refuses to know the
// network.
package testdriver

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
	_ "github.com/millrace/millrace/statestore/pebblestore" // where stores lie unless told otherwise
)

// Config says how the topology is run. The zero value is good for most tests.
type Config struct {
	processor.Config
	// Start is the wall clock at the beginning; the zero time means now.
	Start time.Time
	// StateDir holds persistent stores. If it is empty a temporary folder is
	// made, and removed by Close.
	StateDir string
	// EmitInterval is the shortest wall-clock time between two scans for windows
	// that have closed, of joins and of aggregations that are emitted then. At 0
	// each record that can close a window makes one, as in Java's driver; an
	// application has one second.
	EmitInterval time.Duration
	// Logger gets what the application would log; nil discards it.
	Logger *slog.Logger
}

// Driver runs one topology. It is not safe for use by several goroutines.
type Driver struct {
	cfg       Config
	topology  *processor.Topology
	task      *task.Active
	global    *task.Global
	cache     *statestore.Cache
	memory    *statestore.Memory
	clock     int64
	tempDir   string
	inputs    map[string]task.TopicPartition
	patterns  []pattern
	offsets   map[task.TopicPartition]int64
	globals   map[string]bool
	sent      []Record
	output    map[string][]Record
	waiting   map[string]int // per topic, how many of output were read by an Output
	committed map[task.TopicPartition]task.OffsetAndMeta
	err       error
}

type pattern struct {
	expr *regexp.Regexp
	tp   task.TopicPartition
}

// Record is a record as it was written to a topic.
type Record struct {
	Topic string
	// Partition the sender chose, -1 if it left the choice to the producer.
	Partition int32
	// Key and Value are nil for null.
	Key, Value []byte
	// Timestamp in milliseconds; processor.NoTimestamp if the sender gave none.
	Timestamp int64
	Headers   []record.Header
}

// New starts a topology: its stores are open and its processors initialised
// when it returns. Close must be called in any case.
func New(t *processor.Topology, cfg Config) (*Driver, error) {
	if cfg.ApplicationID == "" {
		cfg.ApplicationID = "test" // the prefix of internal topics
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if cfg.Start.IsZero() {
		cfg.Start = time.Now()
	}
	d := &Driver{cfg: cfg, topology: t, clock: cfg.Start.UnixMilli(), inputs: map[string]task.TopicPartition{},
		offsets: map[task.TopicPartition]int64{}, globals: map[string]bool{}, output: map[string][]Record{},
		waiting: map[string]int{}, committed: map[task.TopicPartition]task.OffsetAndMeta{}}
	if err := d.open(); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Driver) open() error {
	if d.cfg.StateDir == "" {
		dir, err := os.MkdirTemp("", "millrace-test-")
		if err != nil {
			return fmt.Errorf("make a state directory: %w", err)
		}
		d.tempDir, d.cfg.StateDir = dir, dir
	}
	if d.cfg.CacheBytes > 0 {
		d.cache = statestore.NewCache(d.cfg.CacheBytes)
		d.cache.KeepRaw(true) // handlers see the source record, as in Java
	}
	d.memory = statestore.NewMemory(statestore.MemoryConfig{})
	if err := d.openGlobal(); err != nil {
		return err
	}
	return d.openTask()
}

func (d *Driver) openGlobal() error {
	dir, err := d.makeDir("global")
	if err != nil {
		return err
	}
	d.global, err = task.NewGlobal(d.topology, &d.cfg.Config, env{d}, dir, d.clock)
	if err != nil || d.global == nil {
		return err
	}
	for _, topic := range d.global.Topics() {
		d.globals[topic] = true
	}
	return d.global.Open()
}

func (d *Driver) openTask() error {
	spec := task.Spec{Topology: d.topology, Config: &d.cfg.Config, Now: d.clock}
	for _, sub := range d.topology.Subtopologies() {
		if sub.Global {
			continue
		}
		spec.Subtopologies = append(spec.Subtopologies, sub.ID)
		for _, topic := range sub.SourceTopics {
			name := d.topology.TopicName(d.cfg.ApplicationID, topic)
			tp := task.TopicPartition{Topic: name}
			d.inputs[name] = tp
			spec.Inputs = append(spec.Inputs, tp)
		}
		for _, text := range sub.Patterns {
			expr, err := regexp.Compile("^(?:" + text + ")$")
			if err != nil {
				return fmt.Errorf("pattern of topics %s: %w", text, err)
			}
			tp := task.TopicPartition{Topic: text}
			d.patterns = append(d.patterns, pattern{expr: expr, tp: tp})
			spec.Inputs = append(spec.Inputs, tp)
		}
	}
	if len(spec.Inputs) == 0 {
		return nil
	}
	var err error
	if d.task, err = task.New(spec, env{d}); err != nil {
		return err
	}
	if err := d.task.Open(); err != nil {
		return err
	}
	for _, in := range spec.Inputs {
		d.task.SetLag(in, 0, true)
	}
	return d.task.Start(d.metadata())
}

func (d *Driver) metadata() map[task.TopicPartition]string {
	texts := make(map[task.TopicPartition]string, len(d.committed))
	for tp, at := range d.committed {
		texts[tp] = at.Metadata
	}
	return texts
}

func (d *Driver) makeDir(name string) (string, error) {
	dir := d.cfg.StateDir + string(os.PathSeparator) + name
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return dir, nil
}

// Close commits, closes the stores and removes a temporary state folder.
func (d *Driver) Close() error {
	var errs []error
	if d.task != nil {
		if d.err == nil {
			errs = append(errs, d.commit(), d.capture())
		}
		errs = append(errs, d.task.Close(d.err == nil))
		d.task = nil
	}
	if d.global != nil {
		errs = append(errs, d.global.Close())
		d.global = nil
	}
	if d.tempDir != "" {
		errs = append(errs, os.RemoveAll(d.tempDir))
	}
	return errors.Join(errs...)
}
