package assign

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// Assignment is what the leader tells one member besides its partitions.
type Assignment struct {
	// Version of the encoding; Common is the latest version all members speak
	// (-1 in versions 1 and 2).
	Version, Common int32
	// Active has one entry for each assigned partition, in the order of the
	// partitions sorted by topic and number.
	Active []task.ID
	// Standby tasks with the source partitions of each.
	Standby map[task.ID][]kafka.TopicPartition
	// Hosts says which source partitions the active tasks of each endpoint
	// (host:port) read, StandbyHosts the same of its standby tasks.
	Hosts, StandbyHosts map[string][]kafka.TopicPartition
	// Error is one of the error codes.
	Error int32
	// NextRebalance is when to join again, in milliseconds since the epoch: 0
	// is at once, NoRebalance never.
	NextRebalance int64
}

// Encode returns the bytes in the assignment's version, 1 to 11. Entries are
// sorted, where Java has the order of its hash maps.
func (a Assignment) Encode() []byte {
	var w writer
	w.i32(a.Version)
	if a.Version >= 3 {
		w.i32(a.Common)
	}
	w.i32(int32(len(a.Active)))
	for _, id := range a.Active {
		w.task(id, a.Version)
	}
	w.i32(int32(len(a.Standby)))
	for _, id := range slices.SortedFunc(maps.Keys(a.Standby), compareTasks) {
		w.task(id, a.Version)
		w.partitions(a.Standby[id])
	}
	switch {
	case a.Version >= 5:
		a.encodeIndexed(&w)
	case a.Version >= 2:
		w.i32(int32(len(a.Hosts)))
		for _, endpoint := range slices.Sorted(maps.Keys(a.Hosts)) {
			w.endpoint(endpoint)
			w.partitions(a.Hosts[endpoint])
		}
	}
	if a.Version >= 4 {
		w.i32(a.Error)
	}
	if a.Version >= 7 {
		w.i64(a.NextRebalance)
	}
	return w.b
}

// encodeIndexed writes the host maps with topic names replaced by indexes.
func (a Assignment) encodeIndexed(w *writer) {
	both := []map[string][]kafka.TopicPartition{a.Hosts, a.StandbyHosts}
	if a.Version == 5 {
		both = both[:1]
	}
	index := make(map[string]int32)
	var topics []string
	for _, hosts := range both {
		for _, endpoint := range slices.Sorted(maps.Keys(hosts)) {
			for _, tp := range hosts[endpoint] {
				if _, ok := index[tp.Topic]; !ok {
					index[tp.Topic] = int32(len(topics))
					topics = append(topics, tp.Topic)
				}
			}
		}
	}
	w.i32(int32(len(topics)))
	for i, topic := range topics {
		w.i32(int32(i))
		w.utf(topic)
	}
	for _, hosts := range both {
		w.i32(int32(len(hosts)))
		for _, endpoint := range slices.Sorted(maps.Keys(hosts)) {
			w.endpoint(endpoint)
			w.i32(int32(len(hosts[endpoint])))
			for _, tp := range hosts[endpoint] {
				w.i32(index[tp.Topic])
				w.i32(tp.Partition)
			}
		}
	}
}

// endpoint writes host and port. One that has none is the caller's mistake,
// which CheckEndpoint finds before.
func (w *writer) endpoint(s string) {
	host, port, _ := net.SplitHostPort(s)
	n, _ := strconv.Atoi(port)
	w.utf(host)
	w.i32(int32(n))
}

// CheckEndpoint reports whether an application.server setting is host:port.
func CheckEndpoint(s string) error {
	host, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil || host == "" {
		return fmt.Errorf("application.server %q is not host:port", s)
	}
	return nil
}

// DecodeAssignment reads versions 1 to 11.
func DecodeAssignment(b []byte) (Assignment, error) {
	r := &reader{b: b}
	a := Assignment{Version: r.i32(), Common: -1, NextRebalance: NoRebalance}
	if r.err == nil && (a.Version < 1 || a.Version > Version) {
		r.err = fmt.Errorf("version %d is not one of 1 to %d", a.Version, Version)
	}
	if a.Version >= 3 {
		a.Common = r.i32()
	}
	for range r.count(8) {
		a.Active = append(a.Active, r.task(a.Version))
	}
	a.Standby = make(map[task.ID][]kafka.TopicPartition)
	for range r.count(12) {
		id := r.task(a.Version)
		a.Standby[id] = r.partitions()
	}
	switch {
	case a.Version >= 5:
		a.decodeIndexed(r)
	case a.Version >= 2:
		a.Hosts = make(map[string][]kafka.TopicPartition)
		for range r.count(10) {
			endpoint := r.endpoint()
			a.Hosts[endpoint] = r.partitions()
		}
	}
	if a.Version >= 4 {
		a.Error = r.i32()
	}
	if a.Version >= 7 {
		a.NextRebalance = r.i64()
	}
	if r.err != nil {
		return Assignment{}, fmt.Errorf("read assignment info: %w", r.err)
	}
	return a, nil
}

func (a *Assignment) decodeIndexed(r *reader) {
	topics := make(map[int32]string)
	for range r.count(6) {
		i := r.i32()
		topics[i] = r.utf()
	}
	both := []*map[string][]kafka.TopicPartition{&a.Hosts, &a.StandbyHosts}
	if a.Version == 5 {
		both = both[:1]
	}
	for _, hosts := range both {
		*hosts = make(map[string][]kafka.TopicPartition)
		for range r.count(10) {
			endpoint := r.endpoint()
			var tps []kafka.TopicPartition
			for range r.count(8) {
				topic, ok := topics[r.i32()]
				if !ok && r.err == nil {
					r.err = fmt.Errorf("a topic index is not in the dictionary")
				}
				tps = append(tps, kafka.TopicPartition{Topic: topic, Partition: r.i32()})
			}
			(*hosts)[endpoint] = tps
		}
	}
}

func (r *reader) endpoint() string {
	host := r.utf()
	return net.JoinHostPort(host, strconv.Itoa(int(r.i32())))
}

// ActiveTasks pairs the sorted partitions of a member with its active tasks.
// It fails if their numbers differ, as Java does.
func (a Assignment) ActiveTasks(sorted []kafka.TopicPartition) (map[task.ID][]kafka.TopicPartition, error) {
	if len(sorted) != len(a.Active) {
		return nil, fmt.Errorf("assignment has %d partitions, but %d entries of active tasks", len(sorted), len(a.Active))
	}
	tasks := make(map[task.ID][]kafka.TopicPartition)
	for i, tp := range sorted {
		tasks[a.Active[i]] = append(tasks[a.Active[i]], tp)
	}
	return tasks, nil
}

// align returns the partitions of tasks, sorted, and the entry of each in
// Assignment.Active.
func align(tasks []task.ID, inputs map[task.ID][]kafka.TopicPartition) ([]kafka.TopicPartition, []task.ID) {
	type entry struct {
		tp kafka.TopicPartition
		id task.ID
	}
	var all []entry
	for _, id := range tasks {
		for _, tp := range inputs[id] {
			all = append(all, entry{tp, id})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(a.tp.Compare(b.tp), compareTasks(a.id, b.id))
	})
	tps, ids := make([]kafka.TopicPartition, len(all)), make([]task.ID, len(all))
	for i, e := range all {
		tps[i], ids[i] = e.tp, e.id
	}
	return tps, ids
}
