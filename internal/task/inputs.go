package task

import "slices"

// SetInputs changes the partitions the task reads, as topics of a pattern came
// or went (Java: updateInputPartitions). What waits in the queues of those that
// are gone is dropped; the other queues are kept.
func (a *Active) SetInputs(inputs []TopicPartition) error {
	for _, q := range slices.Clone(a.group.queues) {
		if !slices.Contains(inputs, q.tp) {
			a.group.remove(q)
			delete(a.consumed, q.tp)
		}
	}
	for _, tp := range inputs {
		if _, ok := a.group.index[tp]; !ok {
			if err := a.addQueue(tp); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove takes a partition out of the group.
func (g *group) remove(q *queue) {
	g.buffered -= q.len()
	g.nonEmpty.Remove(func(o *queue) bool { return o == q })
	g.queues = slices.DeleteFunc(g.queues, func(o *queue) bool { return o == q })
	delete(g.index, q.tp)
	delete(g.lags, q.tp)
	delete(g.deadlines, q.tp)
}
