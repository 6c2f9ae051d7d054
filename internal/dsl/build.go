package dsl

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/millrace/millrace/internal/javaorder"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// Build rewrites the graph and writes it into a topology (Java:
// InternalStreamsBuilder.buildAndOptimizeTopology). Of the configuration it
// takes the optimisations and the serdes; the rest is what the graph was
// created with. The first call decides: later ones return the same.
func (g *Graph) Build(config processor.Config) (*processor.Topology, error) {
	if g.topology != nil || g.built != nil {
		return g.topology, g.built
	}
	t, err := g.build(config)
	if err != nil {
		g.built = err
		return nil, err
	}
	g.topology = t
	return t, nil
}

func (g *Graph) build(config processor.Config) (*processor.Topology, error) {
	if len(g.errs) > 0 {
		return nil, errors.Join(g.errs...)
	}
	g.building = config
	g.serdes = config.Serdes
	if g.serdes == nil {
		g.serdes = g.Config.Serdes
	}
	if g.serdes == nil {
		g.serdes = serde.Default()
	}
	if err := g.rewrite(); err != nil {
		return nil, err
	}
	t := processor.NewTopology()
	for _, sources := range g.copartitions {
		t.Copartition(sources...)
	}
	if err := g.write(t); err != nil {
		return nil, err
	}
	if err := t.ValidateCopartition(); err != nil {
		return nil, err
	}
	return t, g.checkNames()
}

// Building is the configuration given to Build.
func (g *Graph) Building() *processor.Config { return &g.building }

// rewrite runs the passes in Java's order.
func (g *Graph) rewrite() error {
	if err := g.mergeSources(); err != nil {
		return err
	}
	optimize, err := optimizations(g.building.Optimize)
	if err != nil {
		return err
	}
	if optimize[reuseSourceTopics] {
		g.reuseSourceTopics()
	}
	if optimize[mergeRepartitions] {
		if err := g.mergeRepartitions(); err != nil {
			return err
		}
	}
	if optimize[selfJoin] {
		if err := g.rewriteSelfJoins(g.root, map[*Node]bool{}); err != nil {
			return err
		}
	}
	g.filterNullKeys()
	return g.propagateVersioned()
}

// write writes every node once all its parents are written, lowest build
// priority first. A node waits in the queue once for each of its parents. After
// an error about a serde it goes on to find more of these; other errors then
// only follow from the node that is missing.
func (g *Graph) write(t *processor.Topology) error {
	queue := javaorder.NewPriorityQueue(func(a, b *Node) bool { return a.priority < b.priority })
	g.root.priority = -1
	queue.Offer(g.root)
	var errs []error
	for {
		n, ok := queue.Poll()
		if !ok {
			return errors.Join(errs...)
		}
		if !n.written && n.parentsWritten() {
			n.written = true
			if n.Write != nil {
				switch err := n.Write(t); {
				case err == nil:
				case isSerde(err):
					errs = append(errs, at(n.Caller, n.Name, err))
				case len(errs) == 0:
					return at(n.Caller, n.Name, err)
				}
			}
		}
		for _, c := range n.children {
			queue.Offer(c)
		}
	}
}

func isSerde(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == KindSerde
}

const (
	reuseSourceTopics = "reuse.ktable.source.topics"
	mergeRepartitions = "merge.repartition.topics"
	selfJoin          = "single.store.self.join"
)

var optimizationSeparator = regexp.MustCompile(`\s*,\s*`)

// optimizations reads topology.optimization.
func optimizations(config string) (map[string]bool, error) {
	on := map[string]bool{}
	if config == "" {
		return on, nil
	}
	list := optimizationSeparator.Split(config, -1)
	for _, rule := range list {
		switch rule {
		case "none", "all":
			if len(list) > 1 {
				return nil, Errorf(KindConfig, "%q is not a valid optimization config", config)
			}
			for _, r := range []string{reuseSourceTopics, mergeRepartitions, selfJoin} {
				on[r] = rule == "all"
			}
		case reuseSourceTopics, mergeRepartitions, selfJoin:
			on[rule] = true
		default:
			return nil, Errorf(KindConfig, "unknown optimization %q: topology.optimization is none, all or a list of %s",
				rule, fmt.Sprintf("%s, %s, %s", reuseSourceTopics, mergeRepartitions, selfJoin))
		}
	}
	return on, nil
}
