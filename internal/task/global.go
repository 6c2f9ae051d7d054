package task

import (
	"errors"
	"fmt"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
)

// GlobalID is the task id under which global stores report.
const GlobalID = "-1_-1"

// Global applies the records of global topics to the global stores, one by
// one in offset order (Java: GlobalStateUpdateTask). There is one for each
// process; only one goroutine may call it.
type Global struct {
	core
	heads map[string]*globalHead // by topic
	lists record.Lists
}

type globalHead struct {
	source string
	head   processor.Head
}

// NewGlobal makes the global task, nil if the topology has no global stores.
// dir is the folder of the persistent global stores.
func NewGlobal(t *processor.Topology, cfg *processor.Config, env Env, dir string, now int64) (*Global, error) {
	if len(t.GlobalStores()) == 0 {
		return nil, nil
	}
	g := &Global{core: newCore(GlobalID, t, cfg, env, now), heads: make(map[string]*globalHead)}
	g.dir, g.global = dir, true
	graph, err := t.InstantiateGlobal(&g.core)
	if err != nil {
		return nil, fmt.Errorf("global task: %w", err)
	}
	g.graph = graph
	g.addStores()
	for _, s := range graph.Sources {
		for _, topic := range s.Topics {
			g.heads[topic] = &globalHead{source: s.Node.Name(), head: s.Unit.NewHead()}
		}
	}
	return g, nil
}

// Open opens the stores and initialises the nodes.
func (g *Global) Open() error {
	if err := g.openStores(); err != nil {
		return err
	}
	return g.initNodes()
}

// Topics are the topics the task reads, in the order of the topology.
func (g *Global) Topics() []string {
	var topics []string
	for _, s := range g.graph.Sources {
		topics = append(topics, s.Topics...)
	}
	return topics
}

// Update applies one record. Its own timestamp is used: a timestamp extractor
// of a global source is ignored, as in Java.
func (g *Global) Update(tp TopicPartition, raw *record.Raw, now int64) error {
	g.now = now
	h, ok := g.heads[tp.Topic]
	if !ok {
		return fmt.Errorf("no global store reads %s", tp)
	}
	headers := g.lists.Of(raw.Headers)
	defer g.lists.Done(headers)
	if err := h.head.Load(tp.Topic, raw, headers); err != nil {
		return g.cannotRead(h.source, tp.Topic, tp.Partition, raw, headers, err)
	}
	g.scratch = record.Context{Topic: tp.Topic, Partition: tp.Partition, Offset: raw.Offset,
		Timestamp: raw.Timestamp, Headers: headers, RawKey: raw.Key, RawValue: raw.Value}
	g.current = &g.scratch
	h.head.Take()
	err := g.emit(h, raw.Timestamp)
	if err == nil {
		err = g.failed
	}
	var failed *processor.FailedError
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("global task: record %s@%d: %w", tp, raw.Offset, err)
	}
	return err
}

func (g *Global) emit(h *globalHead, timestamp int64) (err error) {
	defer g.catch(&err)
	return h.head.Emit(timestamp)
}

// Flush flushes the stores' caches.
func (g *Global) Flush() error { return g.flushStores() }

// Commit makes the stores durable with the next offsets to read.
func (g *Global) Commit(offset func(store string) int64) error {
	for _, s := range g.stores {
		if err := s.Commit(offset(s.Name())); err != nil {
			return fmt.Errorf("global task: commit store %s: %w", s.Name(), err)
		}
	}
	return nil
}

// Close closes nodes and stores.
func (g *Global) Close() error { return g.close() }
