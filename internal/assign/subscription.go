package assign

import (
	"fmt"
	"maps"
	"slices"

	"github.com/millrace/millrace/internal/task"
)

// Subscription is what a member tells the leader about itself.
type Subscription struct {
	// Version of the encoding and the latest one the member speaks.
	Version, Latest int32
	Process         ProcessID
	// Endpoint is host:port for interactive queries (application.server);
	// empty without.
	Endpoint string
	// Sums says of each task with state how far it is: the sum over its
	// changelogs of the offsets of the next record, or a negative Sum
	// constant. Tasks without state are absent.
	Sums map[task.ID]int64
	// Unique changes with each join, so that the broker sees a change.
	Unique int8
	// Error is ShutdownRequested or NoError.
	Error int32
	// Tags are the client.tag settings.
	Tags map[string]string
}

// Encode returns the bytes in the latest version; Version and Latest are not
// looked at. Entries are sorted.
func (s Subscription) Encode() []byte {
	var w writer
	w.i32(Version)
	w.i32(Version)
	w.b = append(w.b, s.Process[:]...)
	w.text(s.Endpoint)
	w.i32(int32(len(s.Sums)))
	for _, id := range slices.SortedFunc(maps.Keys(s.Sums), compareTasks) {
		w.i32(id.Subtopology)
		w.i32(id.Partition)
		w.i64(s.Sums[id])
		w.b = append(w.b, 0xff, 0xff) // no named topology
	}
	w.i8(s.Unique)
	w.i32(s.Error)
	w.i32(int32(len(s.Tags)))
	for _, k := range slices.Sorted(maps.Keys(s.Tags)) {
		w.text(k)
		w.text(s.Tags[k])
	}
	return w.b
}

// DecodeSubscription reads versions 1 to 11. Of a later version only the two
// version numbers are known; the rest is left zero, as in Java.
func DecodeSubscription(b []byte) (Subscription, error) {
	r := &reader{b: b}
	s := Subscription{Version: r.i32(), Latest: -1}
	if s.Version >= 3 {
		s.Latest = r.i32()
	}
	if s.Version < 1 && r.err == nil {
		r.err = fmt.Errorf("version %d does not exist", s.Version)
	}
	if s.Version <= Version && r.err == nil {
		s.body(r)
	}
	if r.err != nil {
		return Subscription{}, fmt.Errorf("read subscription info: %w", r.err)
	}
	return s, nil
}

func (s *Subscription) body(r *reader) {
	copy(s.Process[:], r.take(16))
	s.Sums = make(map[task.ID]int64)
	if s.Version <= 6 {
		for _, sum := range []int64{SumRunning, SumUnknown} { // active tasks, then standby tasks
			for range r.count(8) {
				s.Sums[task.ID{Subtopology: r.i32(), Partition: r.i32()}] = sum
			}
		}
	}
	if s.Version >= 2 {
		s.Endpoint = r.text()
	}
	switch {
	case s.Version >= 10:
		s.sums(r)
	case s.Version >= 7:
		for range r.count(8) {
			sub := r.i32()
			for range r.count(12) {
				s.Sums[task.ID{Subtopology: sub, Partition: r.i32()}] = r.i64()
			}
		}
	}
	if s.Version >= 8 {
		s.Unique = r.i8()
	}
	if s.Version >= 9 {
		s.Error = r.i32()
	}
	if s.Version >= 11 {
		s.Tags = make(map[string]string)
		for range r.count(8) {
			k := r.text()
			s.Tags[k] = r.text()
		}
	}
}

func (s *Subscription) sums(r *reader) {
	for range r.count(18) {
		id := task.ID{Subtopology: r.i32(), Partition: r.i32()}
		s.Sums[id] = r.i64()
		if n := r.u16(); n != 0xffff && n != 0 && r.err == nil {
			r.err = fmt.Errorf("task %s belongs to a named topology, which is not supported", id)
		}
	}
}
