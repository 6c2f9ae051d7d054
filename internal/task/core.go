package task

import (
	"log/slog"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/statestore"
)

// core is what active tasks and the global task share: the graph of nodes, the
// stores, and the task as nodes and stores see it (processor.Host).
type core struct {
	id       string
	cfg      *processor.Config
	env      Env
	log      *slog.Logger
	topology *processor.Topology
	graph    *processor.Graph
	dir      string
	nodes    int // how many of graph.Nodes were initialised
	stores   []statestore.Store
	byName   map[string]statestore.Store
	// logs are the changelogs that are written, changelogs the topics stores
	// are restored from, both by store.
	logs       map[string]*storeLog
	changelogs map[string]string
	opened     int
	current    *record.Context
	scratch    record.Context
	now        int64
	time       func() int64

	byStreamTime punctuators
	wallClock    punctuators

	// global is set for the task of the global stores.
	global bool

	commitRequested bool
	metadata        map[string]int64
	metadataChanged bool
	dropped         int64
	failed          error
}

func newCore(id string, t *processor.Topology, cfg *processor.Config, env Env, now int64) core {
	return core{id: id, topology: t, changelogs: make(map[string]string), cfg: cfg, env: env, log: env.Logger().With("task", id), now: now,
		byName: make(map[string]statestore.Store), logs: make(map[string]*storeLog), metadata: make(map[string]int64),
		byStreamTime: newPunctuators(), wallClock: newPunctuators(), time: func() int64 { return -1 }}
}

// ApplicationID implements processor.Host.
func (c *core) ApplicationID() string { return c.cfg.ApplicationID }

// TaskID implements processor.Host.
func (c *core) TaskID() string { return c.id }

// Dir implements processor.Host.
func (c *core) Dir() string { return c.dir }

// Config implements processor.Host.
func (c *core) Config() *processor.Config { return c.cfg }

// RecordContext implements processor.Host; nil while nodes are initialised.
func (c *core) RecordContext() *record.Context { return c.current }

// SetRecordContext implements processor.Host.
func (c *core) SetRecordContext(rc *record.Context) { c.current = rc }

// StreamTime implements processor.Host.
func (c *core) StreamTime() int64 { return c.time() }

// SystemTime implements processor.Host.
func (c *core) SystemTime() int64 { return c.now }

// EmitInterval implements processor.Host.
func (c *core) EmitInterval() int64 { return c.env.EmitInterval() }

// Cache implements processor.Host.
func (c *core) Cache() *statestore.Cache { return c.env.Cache() }

// Memory implements processor.Host.
func (c *core) Memory() *statestore.Memory { return c.env.Memory() }

// Dropped implements processor.Host.
func (c *core) Dropped() { c.dropped++ }

// endStep tells the record cache that nothing adds to the headers of the
// records of this step any more.
func (c *core) endStep() {
	if cache := c.env.Cache(); cache != nil {
		cache.EndStep()
	}
}

// RequestCommit implements processor.Host.
func (c *core) RequestCommit() { c.commitRequested = true }

// Partitions implements processor.Host.
func (c *core) Partitions(topic string) (int32, error) { return c.env.Partitions(topic) }

// Send implements processor.Host.
func (c *core) Send(out processor.Outgoing) error { return c.env.Send(out) }

// TopicName implements processor.Host.
func (c *core) TopicName(topic string) string {
	return c.topology.TopicName(c.cfg.ApplicationID, topic)
}

// NodeState implements processor.Host.
func (c *core) NodeState(name string) (int64, bool) {
	v, ok := c.metadata[name]
	return v, ok
}

// SetNodeState implements processor.Host. A change makes every input partition
// part of the next commit.
func (c *core) SetNodeState(name string, value int64) {
	if old, ok := c.metadata[name]; ok && old == value {
		return
	}
	c.metadata[name] = value
	c.metadataChanged = true
}

// Store implements processor.Host.
func (c *core) Store(name string) (s statestore.Store, global, ok bool) {
	if s, ok := c.byName[name]; ok {
		return s, false, true
	}
	s, ok = c.env.GlobalStore(name)
	return s, true, ok
}

// Log implements statestore.Host; nil for a store without a changelog.
func (c *core) Log(store string) statestore.Log {
	if l, ok := c.logs[store]; ok {
		return l
	}
	return nil
}

// storeLog sends a store's updates to its changelog, always to the task's own
// partition.
type storeLog struct {
	env       Env
	topic     string
	partition int32
}

// Log implements statestore.Log.
func (l *storeLog) Log(key, value []byte, timestamp int64, headers *record.Headers) error {
	return l.env.Send(processor.Outgoing{Topic: l.topic, Partition: l.partition, Key: key, Value: value,
		Timestamp: timestamp, Headers: headers})
}

// addStores builds the stores.
func (c *core) addStores() {
	for _, b := range c.graph.Stores {
		s := b.Build()
		c.stores = append(c.stores, s)
		c.byName[b.Name()] = s
	}
}

// addChangelogs says where stores are logged to and restored from. A source
// topic that serves as changelog is not written to.
func (c *core) addChangelogs(logs []processor.Changelog, partition int32) {
	for _, l := range logs {
		name := l.Store.Name()
		c.changelogs[name] = l.FullTopic(c.cfg.ApplicationID)
		if !l.SourceTopic {
			c.logs[name] = &storeLog{env: c.env, partition: partition, topic: c.changelogs[name]}
		}
	}
}

// fail remembers the first error that a handler decided to fail with, so that
// a processor that swallows it hides nothing.
func (c *core) fail(err error) error {
	if c.failed == nil {
		c.failed = err
	}
	return err
}

// ChangelogTopic implements statestore.ChangelogTopic.
func (c *core) ChangelogTopic(store string) string { return c.changelogs[store] }

// Fail implements statestore.Failer.
func (c *core) Fail(err error) { _ = c.fail(err) }
