package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/millrace/millrace/changelog"
	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/statestore"
)

// Process is an application in this process (Java: KafkaStreams): its workers,
// its global stores and what they share.
type Process struct {
	cfg     *Config
	log     *slog.Logger
	machine machine
	memory  *statestore.Memory

	// hard ends when nothing may be waited for any more.
	hard  context.Context
	abort context.CancelFunc

	dir      *stateDir
	clientID string
	admin    *kafka.Admin
	counts   *partitionCounts
	global   *global
	sinks    map[string]string // node by topic
	// stuck says that a worker was left behind.
	stuck bool

	mu      sync.Mutex
	workers []*worker
}

// New makes an application; nothing is opened or connected yet.
func New(cfg Config) *Process {
	p := &Process{cfg: &cfg, log: cfg.Logger.With("app", cfg.Task.ApplicationID), sinks: make(map[string]string)}
	p.machine = machine{log: p.log, listener: cfg.OnState}
	for _, n := range cfg.Topology.Nodes() {
		if len(n.Children) == 0 && len(n.Parents) > 0 {
			for _, topic := range n.Topics {
				p.sinks[cfg.Topology.TopicName(cfg.Task.ApplicationID, topic)] = n.Name
			}
		}
	}
	return p
}

// State is what the application is doing.
func (p *Process) State() State { return p.machine.get() }

// ErrAborted: the application was told not to wait for a clean end.
var ErrAborted = errors.New("ended without a clean stop; uncommitted records are processed again")

// Abort ends Run without waiting for anything any more. It may be called at
// any time after Run has begun.
func (p *Process) Abort() {
	p.mu.Lock()
	abort := p.abort
	p.mu.Unlock()
	if abort != nil {
		abort()
	}
}

// Run runs the application until the context ends or it fails for good.
func (p *Process) Run(ctx context.Context) error {
	if !p.machine.to(Rebalancing) {
		return fmt.Errorf("run application %s: it is %s; an application runs once", p.cfg.Task.ApplicationID, p.State())
	}
	hard, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	p.mu.Lock()
	p.hard, p.abort = hard, abort
	p.mu.Unlock()
	// What is done before the workers run may be given up at once.
	opening, stopOpening := context.WithCancel(ctx)
	defer stopOpening()
	defer context.AfterFunc(hard, stopOpening)()
	err := p.open(opening)
	if err == nil {
		err = p.runWorkers(ctx)
	} else if ctx.Err() != nil {
		err = nil
	}
	p.close()
	if hard.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		err = ErrAborted
	}
	if err != nil {
		p.log.Error("application failed", "err", err)
		p.machine.to(PendingError)
		if !p.machine.to(Failed) {
			p.machine.to(NotRunning)
		}
		return err
	}
	p.machine.to(PendingShutdown)
	p.machine.to(NotRunning)
	return nil
}

// open readies everything the workers need: the state directory, a broker that
// answers, the topics, and the global stores up to the end of their topics.
func (p *Process) open(ctx context.Context) error {
	var err error
	if p.dir, err = openStateDir(p.cfg.StateDir, p.cfg.Task.ApplicationID, p.cfg.persistent()); err != nil {
		return err
	}
	if p.clientID = p.cfg.Kafka.ClientID; p.clientID == "" {
		p.clientID = changelog.ClientID(p.cfg.Task.ApplicationID, processText(p.dir.process))
	}
	p.memory = statestore.NewMemory(p.cfg.Memory)
	if p.admin, err = kafka.NewAdmin(p.client(changelog.AdminID(p.clientID))); err != nil {
		return err
	}
	p.counts = &partitionCounts{admin: p.admin, known: make(map[string]partitionCount)}
	if err := p.admin.Ping(ctx); err != nil {
		return err
	}
	if err := p.checkTopics(ctx); err != nil {
		return err
	}
	if err := p.prepareAtStart(ctx); err != nil {
		return err
	}
	p.global, err = openGlobal(ctx, p)
	return err
}

// close releases what open has made, in the opposite order.
func (p *Process) close() {
	if !p.stuck {
		p.release()
	}
}

func (p *Process) release() {
	if p.global != nil {
		p.global.close()
	}
	if p.admin != nil {
		p.admin.Close()
	}
	if p.dir != nil {
		p.dir.close()
	}
}

// checkTopics names source topics that do not exist while that is easy to see.
func (p *Process) checkTopics(ctx context.Context) error {
	var want []string
	t, app := p.cfg.Topology, p.cfg.Task.ApplicationID
	for _, topic := range t.SourceTopics(app) {
		if _, internal := p.cfg.internalName(topic); !internal {
			want = append(want, topic)
		}
	}
	want = append(want, t.GlobalTopics()...)
	if len(want) == 0 {
		return nil
	}
	have, err := p.admin.DescribeTopics(ctx, want...)
	if err != nil {
		return err
	}
	var missing []string
	for _, topic := range want {
		if _, ok := have[topic]; !ok && !slices.Contains(missing, topic) {
			missing = append(missing, topic)
		}
	}
	if len(missing) > 0 {
		return &MissingTopicsError{Topics: missing}
	}
	return nil
}

// MissingTopicsError names source topics that do not exist (Java:
// MissingSourceTopicException).
type MissingTopicsError struct{ Topics []string }

// Error implements error.
func (e *MissingTopicsError) Error() string {
	return fmt.Sprintf("source topics do not exist: %s: create them (with the number of partitions the application shall have tasks for) or correct their names", strings.Join(e.Topics, ", "))
}

// Is makes the error an unknown topic.
func (e *MissingTopicsError) Is(target error) bool { return target == kafka.ErrUnknownTopic }

// client is the connection of one client.
func (p *Process) client(id string) kafka.Config {
	c := p.cfg.Kafka
	c.ClientID = id
	return c
}

// subscription is what workers subscribe to: topics, or with patterns also
// one expression for all of them.
func (p *Process) subscription() (topics []string, pattern string) {
	topics = slices.Compact(p.cfg.Topology.SourceTopics(p.cfg.Task.ApplicationID))
	patterns := p.cfg.Topology.Patterns()
	for i, text := range patterns {
		patterns[i] = "(?:" + text + ")"
	}
	return topics, strings.Join(patterns, "|")
}

// cacheShare is one worker's part of the record cache, as Java divides it.
func (p *Process) cacheShare() int64 {
	parts := int64(p.cfg.Workers)
	if len(p.cfg.Topology.GlobalStores()) > 0 {
		parts++
	}
	return p.cfg.Task.CacheBytes / parts
}

func (p *Process) sinkOf(topic string) string { return p.sinks[topic] }

// GlobalStore finds a global store by name.
func (p *Process) GlobalStore(name string) (statestore.Store, bool) {
	if p.global == nil {
		return nil, false
	}
	return p.global.store(name)
}

// Stats are the workers' latest numbers; those not started yet are left out.
func (p *Process) Stats() []WorkerStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []WorkerStats
	for _, w := range p.workers {
		if w == nil {
			continue
		}
		if s := w.stats.Load(); s != nil {
			all = append(all, *s)
		}
	}
	return all
}
