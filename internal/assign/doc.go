// Package assign decides which member of an application's group runs which
// task, in the classic group protocol of Kafka Streams: it owns the bytes that
// members and leader exchange (Java's SubscriptionInfo and AssignmentInfo,
// versions 1 to 11) and the leader's algorithm. Java members understand what a
// leader here says, and the other way round.
//
// It refuses to know clocks, networks and running tasks: all functions are
// pure and deterministic. How many partitions there are and how far stores lag
// is for the caller to find out.
package assign

import (
	"cmp"
	"fmt"

	"github.com/millrace/millrace/internal/task"
)

// Version of the subscription and assignment encodings spoken here.
const Version = 11

// Sums that stand for something else than an offset.
const (
	// SumRunning: the member runs the task as active, so it is up to date.
	SumRunning = -2
	// SumUnknown: the member has state of the task, but how much is unknown.
	SumUnknown = -3
)

// Error codes of an assignment.
const (
	// NoError: the assignment counts.
	NoError = 0
	// MissingSourceTopics: the application cannot run as topics are missing.
	MissingSourceTopics = 1
	// AssignmentFailed: the leader could not make an assignment.
	AssignmentFailed = 3
	// ShutdownRequested: all members are to stop; also the code by which a
	// member asks for it in its subscription.
	ShutdownRequested = 4
)

// NoRebalance is the time of the next rebalance when none is planned.
const NoRebalance = int64(1<<63 - 1)

// ProcessID identifies a process, whose members share its state directory.
type ProcessID [16]byte

// String is the usual text of a UUID.
func (p ProcessID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", p[:4], p[4:6], p[6:8], p[8:10], p[10:])
}

// Compare orders by the bytes.
func (p ProcessID) Compare(q ProcessID) int { return cmp.Compare(string(p[:]), string(q[:])) }

func compareTasks(a, b task.ID) int {
	if c := cmp.Compare(a.Subtopology, b.Subtopology); c != 0 {
		return c
	}
	return cmp.Compare(a.Partition, b.Partition)
}
