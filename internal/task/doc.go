// Package task owns the heart of an application: a task, which takes the
// records of one partition of one sub-topology in order, drives them through
// the nodes, keeps stream time and punctuators, and says which offsets may be
// committed. It is a pure state machine: records, clock readings and decisions
// go in, records and store writes come out. It refuses to know goroutines,
// clocks and networks; everything outside is reached through [Env].
package task

import (
	"fmt"
	"strconv"
	"strings"
)

// ID names a task: partition p of sub-topology s is "s_p".
type ID struct {
	Subtopology, Partition int32
}

// String is Java's text of the id, which also names the task's folder.
func (id ID) String() string {
	return strconv.Itoa(int(id.Subtopology)) + "_" + strconv.Itoa(int(id.Partition))
}

// ParseID reads "s_p".
func ParseID(text string) (ID, error) {
	s, p, ok := strings.Cut(text, "_")
	sub, err1 := strconv.ParseInt(s, 10, 32)
	part, err2 := strconv.ParseInt(p, 10, 32)
	if !ok || err1 != nil || err2 != nil {
		return ID{}, fmt.Errorf("%q is not a task id: want <sub-topology>_<partition>", text)
	}
	return ID{Subtopology: int32(sub), Partition: int32(part)}, nil
}

// TopicPartition is a partition of a topic under its real name.
type TopicPartition struct {
	Topic     string
	Partition int32
}

// String is "topic-partition".
func (tp TopicPartition) String() string { return tp.Topic + "-" + strconv.Itoa(int(tp.Partition)) }

// OffsetAndMeta is what is committed for a partition: the next offset to read
// and the metadata text of package changelog.
type OffsetAndMeta struct {
	Offset      int64
	LeaderEpoch int32
	Metadata    string
}
