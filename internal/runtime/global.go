package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
	"github.com/millrace/millrace/statestore"
)

// global feeds the global stores (Java: GlobalStreamThread). Each start reads
// the topics from their beginning: what a store kept from earlier runs may
// hold keys whose deletion compaction has removed.
type global struct {
	p       *Process
	task    *task.Global
	fetcher *kafka.Fetcher
	stores  map[string]statestore.Store
	// raw are the stores that are restored by copying bytes, by topic.
	raw map[string]statestore.Store
}

// openGlobal makes the global stores and fills them; nil if there are none.
func openGlobal(ctx context.Context, p *Process) (_ *global, err error) {
	specs := p.cfg.Topology.GlobalStores()
	if len(specs) == 0 {
		return nil, nil
	}
	name := changelog.GlobalThread(p.clientID)
	g := &global{p: p, stores: make(map[string]statestore.Store), raw: make(map[string]statestore.Store)}
	if err := p.dir.wipeGlobal(); err != nil {
		return nil, err
	}
	dir, err := p.dir.globalDir()
	if err != nil {
		return nil, err
	}
	e := &env{p: p, ctx: p.hard, log: p.log.With("worker", name)}
	if g.task, err = task.NewGlobal(p.cfg.Topology, &p.cfg.Task, e, dir, time.Now().UnixMilli()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	if err := g.task.Open(); err != nil {
		return nil, err
	}
	for _, s := range g.task.Stores() {
		g.stores[s.Name()] = s
	}
	for _, spec := range specs {
		if spec.RawRestore {
			g.raw[spec.Source.Topics[0]] = g.stores[spec.Store.Name()]
		}
	}
	if g.fetcher, err = kafka.NewFetcher(p.hard, kafka.FetcherConfig{Config: p.client(changelog.GlobalConsumerID(name))}); err != nil {
		return nil, err
	}
	return g, g.bootstrap(ctx)
}

// bootstrap reads all global topics up to where they end now.
func (g *global) bootstrap(ctx context.Context) error {
	topics := g.task.Topics()
	infos, err := g.p.admin.DescribeTopics(ctx, topics...)
	if err != nil {
		return err
	}
	var tps []kafka.TopicPartition
	for _, topic := range topics {
		for n := range infos[topic].Partitions {
			tps = append(tps, kafka.TopicPartition{Topic: topic, Partition: int32(n)})
		}
	}
	starts, err := g.p.admin.ListOffsets(ctx, kafka.Earliest, tps...)
	if err != nil {
		return err
	}
	ends, err := g.p.admin.ListOffsets(ctx, kafka.Latest, tps...)
	if err != nil {
		return err
	}
	began, records := time.Now(), make(map[kafka.TopicPartition]int64)
	for _, tp := range tps {
		g.fetcher.Add(tp, starts[tp])
		g.tell(RestoreStarted, tp, starts[tp], ends[tp], starts[tp], 0)
	}
	var changes []statestore.Change
	err = g.fetcher.ReadTo(ctx, ends, func(b kafka.Batch) error {
		n := int64(len(b.Records))
		records[b.TopicPartition] += n
		if err := g.restore(&b, &changes); err != nil {
			return err
		}
		g.tell(RestoreBatch, b.TopicPartition, starts[b.TopicPartition], ends[b.TopicPartition], b.Next, n)
		return nil
	})
	if err != nil {
		return fmt.Errorf("fill global stores: %w", err)
	}
	for _, tp := range tps {
		g.tell(RestoreEnded, tp, starts[tp], ends[tp], ends[tp], records[tp])
		g.fetcher.Add(tp, ends[tp])
	}
	g.p.log.Info("global stores filled", "topics", len(topics), "partitions", len(tps), "took", time.Since(began).Round(time.Millisecond).String())
	return g.flush()
}

// restore applies a batch of the bootstrap: tables copy the bytes, processors
// of the user see each record.
func (g *global) restore(b *kafka.Batch, changes *[]statestore.Change) error {
	store, raw := g.raw[b.Topic]
	if !raw {
		return g.apply(b)
	}
	*changes = (*changes)[:0]
	for i := range b.Records {
		r := &b.Records[i]
		if r.Key != nil {
			*changes = append(*changes, statestore.Change{Key: r.Key, Value: r.Value, Timestamp: r.Timestamp, Offset: r.Offset, Headers: r.Headers})
		}
	}
	if len(*changes) == 0 {
		return nil
	}
	return store.Restore(*changes)
}

func (g *global) apply(b *kafka.Batch) error {
	now := time.Now().UnixMilli()
	for i := range b.Records {
		if err := g.task.Update(task.TopicPartition(b.TopicPartition), &b.Records[i], now); err != nil {
			return err
		}
	}
	return nil
}

func (g *global) tell(phase RestorePhase, tp kafka.TopicPartition, start, end, offset, records int64) {
	if g.p.cfg.OnRestore == nil {
		return
	}
	for _, spec := range g.p.cfg.Topology.GlobalStores() {
		if slices.Contains(spec.Source.Topics, tp.Topic) {
			g.p.cfg.OnRestore(RestoreEvent{Phase: phase, Task: task.GlobalID, Store: spec.Store.Name(), Topic: tp.Topic,
				Partition: tp.Partition, Start: start, End: end, Offset: offset, Records: records})
		}
	}
}

// run applies what is written to the topics until the context ends.
func (g *global) run(ctx context.Context) error {
	flushed, interval := time.Now(), max(g.p.cfg.CommitInterval, g.p.cfg.PollTimeout)
	for ctx.Err() == nil {
		until, cancel := context.WithDeadline(ctx, flushed.Add(interval))
		batches, err := g.fetcher.Poll(until)
		cancel()
		if err != nil {
			return fmt.Errorf("read global topics: %w", err)
		}
		for i := range batches {
			b := &batches[i]
			if b.Err != nil {
				return fmt.Errorf("read global topic %s: %w: restart the application to fill its global stores anew", b.TopicPartition, b.Err)
			}
			if err := g.apply(b); err != nil {
				return err
			}
		}
		if now := time.Now(); now.Sub(flushed) >= interval {
			if err := g.flush(); err != nil {
				return err
			}
			flushed = now
		}
	}
	return nil
}

// flush writes out what the stores hold. There is no offset to keep with it,
// for the topics are read from their start.
func (g *global) flush() error {
	if err := g.task.Flush(); err != nil {
		return err
	}
	return g.task.Commit(func(string) int64 { return -1 })
}

func (g *global) store(name string) (statestore.Store, bool) {
	s, ok := g.stores[name]
	return s, ok
}

func (g *global) close() {
	if g.task != nil {
		if err := g.task.Close(); err != nil {
			g.p.log.Warn("close global stores", "err", err)
		}
	}
	if g.fetcher != nil {
		g.fetcher.Close()
	}
}
