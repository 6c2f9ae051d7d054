package topics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// derive gives each repartition topic without a count the largest count among
// the sources of the sub-topologies that write it. Chains are followed: a topic
// waits until those upstream of it are known. Where they wait for each other
// in a circle, what is known decides.
//
// Java takes the first count it meets in the order of a hash set; waiting gives
// the count that it means to find.
func (t Topology) derive(reps map[string]*repartition, existing map[string]int) error {
	var waiting []string
	for _, name := range slices.Sorted(maps.Keys(reps)) {
		if reps[name].Partitions == 0 {
			waiting = append(waiting, name)
		}
	}
	for partial := false; len(waiting) > 0; {
		var left []string
		for _, name := range waiting {
			n, all := t.upstream(name, reps, existing)
			if n > 0 && (all || partial) {
				reps[name].Partitions = n
				partial = false
			} else {
				left = append(left, name)
			}
		}
		switch {
		case len(left) < len(waiting):
			partial = false
		case partial:
			return fmt.Errorf("Failed to compute number of partitions for all repartition topics %v, "+
				"make sure all user input topics are created and all Pattern subscriptions match at least one topic in the cluster", left)
		default:
			partial = true
		}
		waiting = left
	}
	return nil
}

// upstream returns the largest known count among the sources of the writers of
// a topic, and whether all are known.
func (t Topology) upstream(topic string, reps map[string]*repartition, existing map[string]int) (n int, all bool) {
	all = true
	for _, s := range t.Subtopologies {
		if !slices.Contains(s.Sinks, topic) {
			continue
		}
		for _, source := range s.Sources {
			count := existing[source]
			if r := reps[source]; r != nil {
				count = r.Partitions
			}
			all = all && count > 0
			n = max(n, count)
		}
	}
	return n, all
}

// enforce makes the topics of a group agree. Topics of the user's cannot be
// changed and decide; among repartition topics alone a count that the
// application gave decides, else the largest.
func enforce(group []string, reps map[string]*repartition, existing map[string]int) error {
	external := make(map[string]int)
	internal := make(map[string]int)
	given := make(map[string]int)
	for _, topic := range group {
		r := reps[topic]
		if r == nil {
			external[topic] = existing[topic]
			continue
		}
		internal[topic] = r.Partitions
		if r.enforced {
			given[topic] = r.Partitions
		}
	}
	n, err := decide(external, internal, given)
	if err != nil {
		return err
	}
	for _, topic := range slices.Sorted(maps.Keys(internal)) {
		r := reps[topic]
		if r.enforced && r.Partitions != n {
			return invalid("Number of partitions [%d] of repartition topic [%s] doesn't match number of partitions [%d] of the source topic.",
				"give the repartition topic that number, or none", r.Partitions, topic, n)
		}
		r.Partitions = n
	}
	return nil
}

func decide(external, internal, given map[string]int) (int, error) {
	switch {
	case len(external) > 0:
		if n, same := equal(external); same {
			return n, nil
		}
		return 0, invalid("Topics not co-partitioned: [%s]",
			"give the topics the same number of partitions, or repartition one of the streams", javaMap(external))
	case len(given) > 0:
		if n, same := equal(given); same {
			return n, nil
		}
		return 0, invalid("Following topics do not have the same number of partitions: [%s]",
			"give joined repartition topics the same number", javaMap(internal))
	}
	n := 0
	for _, count := range internal {
		n = max(n, count)
	}
	return n, nil
}

func equal(counts map[string]int) (n int, same bool) {
	for _, n = range counts {
		break
	}
	for _, m := range counts {
		if m != n {
			return 0, false
		}
	}
	return n, true
}

// javaMap writes a map as Java's TreeMap does.
func javaMap(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s=%d", k, m[k]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// invalid begins as Java's TopologyException does and ends with the cure.
func invalid(format, cure string, args ...any) error {
	return fmt.Errorf("Invalid topology: "+format+" (%s)", append(args, cure)...)
}
