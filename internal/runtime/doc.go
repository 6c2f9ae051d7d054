// Package runtime runs a topology against a Kafka cluster: the process with its
// state directory and global stores, the workers with their poll loops, the
// rebalances that give them tasks, the restoring of state, and commits. It owns
// the goroutines, the clock and the order of these steps.
//
// It refuses to know what a record means: that is the task's (internal/task),
// and how bytes travel: that is internal/kafka's.
//
// One goroutine drives a worker's tasks, so tasks have no locks. Besides it
// only the group's callbacks touch them, and [worker.mu] keeps the two apart.
// Stores that are being restored belong to the worker's restorer alone.
package runtime
