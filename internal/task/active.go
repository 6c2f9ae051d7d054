package task

import (
	"errors"
	"fmt"
	"slices"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// Active is a task that processes records (Java: StreamTask). Its life: New,
// Open, restoring its stores from outside, Start, then any number of Enqueue,
// Step, Punctuate and commits (Flush, Offsets, Committed), and Close.
type Active struct {
	core
	ID ID

	group        *group
	consumed     map[TopicPartition]bool
	commitNeeded bool
	started      bool
	steps        int64
}

// Spec says what task to make.
type Spec struct {
	ID ID
	// Subtopologies are usually the one of ID; the test driver runs all in one.
	Subtopologies []int
	// Inputs are the partitions the task reads. In the test driver the text of
	// a source's pattern may stand for a topic.
	Inputs   []TopicPartition
	Topology *processor.Topology
	Config   *processor.Config
	// Now is the wall clock in milliseconds.
	Now int64
}

// New makes a task: its nodes are connected, nothing is open yet.
func New(s Spec, env Env) (*Active, error) {
	a := &Active{core: newCore(s.ID.String(), s.Topology, s.Config, env, s.Now), ID: s.ID,
		group: newGroup(s.Config.MaxTaskIdle), consumed: make(map[TopicPartition]bool)}
	a.time = func() int64 { return a.group.streamTime }
	graph, err := s.Topology.Instantiate(s.Subtopologies, &a.core)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", a.id, err)
	}
	a.graph = graph
	a.addStores()
	for _, sub := range s.Topology.Subtopologies() {
		if slices.Contains(s.Subtopologies, sub.ID) {
			a.addChangelogs(sub.Changelogs, s.ID.Partition)
		}
	}
	for _, in := range s.Inputs {
		if err := a.addQueue(in); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *Active) addQueue(tp TopicPartition) error {
	source, ok := a.source(tp.Topic)
	if !ok {
		return fmt.Errorf("task %s: no source reads %s", a.id, tp)
	}
	q := &queue{tp: tp, source: source.Node.Name(), head: source.Unit.NewHead(), loader: a,
		extractor: source.Extractor, partitionTime: -1, position: Position{Offset: -1, LeaderEpoch: -1}}
	if q.extractor == nil {
		q.extractor = a.cfg.TimestampExtractor
	}
	if q.extractor == nil {
		q.extractor = processor.FailOnInvalidTimestamp
	}
	q.describe = !processor.EmbeddedTimestamp(q.extractor)
	a.group.add(q)
	return nil
}

func (a *Active) source(topic string) (*processor.GraphSource, bool) {
	for _, s := range a.graph.Sources {
		if s.Pattern != "" && s.Pattern == topic {
			return s, true
		}
	}
	return a.graph.Source(topic)
}

// Open opens the stores, so that they can be restored.
func (a *Active) Open() error {
	var err error
	if a.dir, err = a.env.Dir(a.ID); err != nil {
		return fmt.Errorf("task %s: %w", a.id, err)
	}
	return a.openStores()
}

func (c *core) openStores() error {
	for _, s := range c.stores {
		c.opened++
		if err := s.Open(c); err != nil {
			return fmt.Errorf("task %s: open store %s: %w", c.id, s.Name(), err)
		}
	}
	return nil
}

// Stores are the task's stores in the order in which they were added.
func (c *core) Stores() []statestore.Store { return c.stores }

// Changelog is the topic a store is restored from: its own changelog, or the
// source topic that serves as one; "" if there is none.
func (c *core) Changelog(store string) string { return c.changelogs[store] }

// Start takes over what was committed for the inputs and initialises the
// nodes. The stores must have been restored.
func (a *Active) Start(committed map[TopicPartition]string) error {
	for _, q := range a.group.queues {
		text, ok := committed[q.tp]
		if !ok {
			continue
		}
		meta, err := changelog.DecodeOffsetMetadata(text)
		if err != nil {
			a.log.Warn("committed metadata ignored", "partition", q.tp.String(), "err", err)
		}
		a.group.setPartitionTime(q, meta.PartitionTime)
		changelog.MergeProcessorMetadata(a.metadata, meta.Processor)
	}
	if err := a.initNodes(); err != nil {
		return err
	}
	a.started = true
	return nil
}

func (c *core) initNodes() error {
	for _, n := range c.graph.Nodes {
		c.nodes++
		if err := n.Start(); err != nil {
			return &processor.StreamsError{Msg: "failed to initialize processor " + n.Name(), Err: err}
		}
	}
	return nil
}

// Enqueue adds records that were fetched from a partition, which the task
// keeps, and the position the consumer has now. topic is the topic's own name,
// which differs from the partition's only for pattern sources of the test
// driver.
func (a *Active) Enqueue(tp TopicPartition, topic string, raws []record.Raw, next Position) error {
	q, ok := a.group.index[tp]
	if !ok {
		return fmt.Errorf("task %s does not read %s", a.id, tp)
	}
	q.position = next
	return a.group.push(q, topic, raws)
}

// Step processes one record, if one may be processed now.
func (a *Active) Step(now int64) (did bool, err error) {
	a.now = now
	if !a.group.ready(now) {
		return false, nil
	}
	q, rec, err := a.group.next()
	if q == nil || err != nil {
		return false, err
	}
	if !rec.skipped {
		if err := a.process(q, rec); err != nil {
			return true, err
		}
	}
	a.consumed[q.tp] = true
	a.commitNeeded = true
	a.steps++
	return true, nil
}

func (a *Active) process(q *queue, rec *stamped) error {
	a.scratch = record.Context{Topic: rec.topic, Partition: q.tp.Partition, Offset: rec.raw.Offset,
		Timestamp: rec.timestamp, Headers: rec.headers, RawKey: rec.raw.Key, RawValue: rec.raw.Value}
	a.current = &a.scratch
	err := a.emit(q, rec.timestamp)
	a.endStep()
	if err == nil {
		err = a.failed
	}
	if err == nil {
		return nil
	}
	return a.wrap(q.source, err)
}

// emit runs the record through the nodes. A panic outside a guarded node (in a
// serde or partitioner) is caught here.
func (a *Active) emit(q *queue, timestamp int64) (err error) {
	defer a.catch(&err)
	return q.head.Emit(timestamp)
}

func (c *core) catch(err *error) {
	if p := recover(); p != nil {
		*err = processor.Panicked(p)
	}
}

// wrap names the record an error belongs to.
func (c *core) wrap(node string, err error) error {
	var failed *processor.FailedError
	if errors.As(err, &failed) {
		return failed
	}
	return &processor.FailedError{Context: c.errorContext(node), Err: err}
}

// Punctuate fires the punctuators of one clock that are due. Stream-time
// punctuators wait until there is stream time.
func (a *Active) Punctuate(kind processor.PunctuationKind, now int64) (did bool, err error) {
	a.now = now
	if kind == processor.WallClock {
		did, err = a.wallClock.run(now, a.fire)
	} else if a.group.streamTime >= 0 {
		did, err = a.byStreamTime.run(a.group.streamTime, a.fire)
	}
	a.commitNeeded = a.commitNeeded || did
	return did, err
}

// fire calls a punctuator under a context without topic, partition and offset.
func (c *core) fire(s *schedule, now int64) error {
	c.scratch = record.Context{Partition: -1, Offset: -1, Timestamp: now, Headers: &record.Headers{}}
	c.current = &c.scratch
	err := s.run(now)
	c.endStep()
	if err != nil && !processor.IsDecided(err) {
		err = c.ProcessingFailed(c.errorContext(s.node.Name()), processor.Failing{}, err)
	}
	if err == nil {
		err = c.failed
	}
	if err != nil {
		return c.wrap(s.node.Name(), err)
	}
	return nil
}

// run runs the callback and turns a panic into an error.
func (s *schedule) run(now int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = processor.Panicked(p)
		}
	}()
	return s.call(now)
}
