package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/millrace/millrace/internal/kafka"
	"github.com/millrace/millrace/internal/task"
)

// phase is where a task of a worker stands (Java: Task.State, without the
// states that only live inside one call here).
type phase int

const (
	// restoring: the restorer owns the stores.
	restoring phase = iota
	running
)

func (p phase) String() string {
	if p == restoring {
		return "RESTORING"
	}
	return "RUNNING"
}

// activeTask is a task with what the runtime keeps beside it.
type activeTask struct {
	*task.Active
	id     task.ID
	inputs []kafka.TopicPartition
	phase  phase
	// logs are the partitions the logged stores are restored from, in the
	// order of the stores.
	logs []storeLog
	// paused are inputs that are far ahead of a starving one.
	paused map[kafka.TopicPartition]bool
	// positions are where the consumer is in each input, as far as known.
	positions map[kafka.TopicPartition]int64
}

// storeLog is a store and the partition that is its changelog.
type storeLog struct {
	store string
	log   kafka.TopicPartition
	// source says that it is an input of the task, which is not written to.
	source bool
	// offset of the last changelog record that the store reflects, -1 if none.
	// It belongs to the restorer while the task is restoring.
	offset int64
}

// newTask makes and opens a task; its inputs are its partitions under their
// real names.
func (w *worker) newTask(id task.ID, inputs []kafka.TopicPartition) (*activeTask, error) {
	tps := make([]task.TopicPartition, len(inputs))
	for i, tp := range inputs {
		tps[i] = task.TopicPartition(tp)
	}
	active, err := task.New(task.Spec{
		ID: id, Subtopologies: []int{int(id.Subtopology)}, Inputs: tps,
		Topology: w.cfg.Topology, Config: &w.cfg.Task, Now: time.Now().UnixMilli(),
	}, w.env)
	if err != nil {
		return nil, err
	}
	t := &activeTask{Active: active, id: id, inputs: inputs, paused: make(map[kafka.TopicPartition]bool),
		positions: make(map[kafka.TopicPartition]int64)}
	if err := active.Open(); err != nil {
		_ = active.Close(false)
		return nil, err
	}
	for _, s := range active.Stores() {
		if topic := active.Changelog(s.Name()); topic != "" {
			log := kafka.TopicPartition{Topic: topic, Partition: id.Partition}
			t.logs = append(t.logs, storeLog{store: s.Name(), log: log, source: slices.Contains(inputs, log), offset: -1})
		}
	}
	return t, nil
}

// addTask gives the worker a new task and hands it to the restorer. The inputs
// are not fetched before it runs.
func (w *worker) addTask(id task.ID, inputs []kafka.TopicPartition) error {
	t, err := w.newTask(id, inputs)
	if err != nil {
		return err
	}
	w.tasks = append(w.tasks, t)
	slices.SortFunc(w.tasks, func(a, b *activeTask) int { return compareIDs(a.id, b.id) })
	for _, tp := range inputs {
		w.byInput[tp] = t
	}
	w.consumer.Pause(inputs...)
	w.log.Info("task created", "task", id.String(), "inputs", fmt.Sprint(inputs))
	w.restorer.add(t)
	return nil
}

// start takes a restored task into operation.
func (w *worker) start(r restored) error {
	t := r.task
	texts := make(map[task.TopicPartition]string, len(r.committed))
	for tp, o := range r.committed {
		texts[task.TopicPartition(tp)] = o.Metadata
		t.positions[tp] = o.Offset
	}
	if err := t.Start(texts); err != nil {
		return err
	}
	t.phase = running
	w.consumer.Resume(t.inputs...)
	w.log.Info("task running", "task", t.id.String(), "restored", r.records, "took", r.took.Round(time.Millisecond).String())
	return nil
}

// wipeAndRestart begins a task anew from the start of its changelogs, since
// its state does not fit to them any more (Java: TaskCorruptedException).
func (w *worker) wipeAndRestart(t *activeTask, why error) error {
	w.log.Warn("state wiped, it is restored from the start of the changelog", "task", t.id.String(), "err", why)
	if err := w.remove(t, false); err != nil {
		w.log.Warn("close wiped task", "task", t.id.String(), "err", err)
	}
	if err := w.p.dir.wipe(t.id); err != nil {
		return err
	}
	return w.addTask(t.id, t.inputs)
}

// remove closes a task and forgets it. For a clean end everything must have
// been committed.
func (w *worker) remove(t *activeTask, clean bool) error {
	if t.phase == restoring {
		w.restorer.remove(t)
	}
	w.tasks = slices.DeleteFunc(w.tasks, func(o *activeTask) bool { return o == t })
	for _, tp := range t.inputs {
		delete(w.byInput, tp)
	}
	w.consumer.Resume(t.inputs...) // pauses outlive the ownership otherwise
	w.dropped += t.DroppedTotal()
	w.processed += t.Processed()
	err := t.Close(clean && t.phase == running)
	w.log.Info("task closed", "task", t.id.String(), "clean", clean)
	if err != nil {
		return fmt.Errorf("close task %s: %w", t.id, err)
	}
	return nil
}

// removeAll closes every task and returns the first error.
func (w *worker) removeAll(clean bool) error {
	var first error
	for _, t := range slices.Clone(w.tasks) {
		if err := w.remove(t, clean); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// lose returns the tasks all of whose inputs are among the partitions. Tasks
// that lose only some, as a topic of a pattern is gone, go on without them.
func (w *worker) lose(tps []kafka.TopicPartition) []*activeTask {
	var gone []*activeTask
	for _, t := range slices.Clone(w.tasks) {
		left := slices.DeleteFunc(slices.Clone(t.inputs), func(tp kafka.TopicPartition) bool { return slices.Contains(tps, tp) })
		switch len(left) {
		case len(t.inputs):
		case 0:
			gone = append(gone, t)
		default:
			if err := w.setInputs(t, left); err != nil {
				w.fail(err)
			}
		}
	}
	return gone
}

// setInputs changes what a task reads. A restore under way begins again, since
// it looks at what was committed for the inputs.
func (w *worker) setInputs(t *activeTask, inputs []kafka.TopicPartition) error {
	if slices.Equal(t.inputs, inputs) {
		return nil
	}
	if t.phase == restoring {
		w.restorer.remove(t)
		defer w.restorer.add(t)
	}
	tps := make([]task.TopicPartition, len(inputs))
	for i, tp := range inputs {
		tps[i] = task.TopicPartition(tp)
	}
	for _, tp := range t.inputs {
		if !slices.Contains(inputs, tp) {
			delete(w.byInput, tp)
			delete(t.positions, tp)
			delete(t.paused, tp)
			w.consumer.Resume(tp)
		}
	}
	for _, tp := range inputs {
		w.byInput[tp] = t
		if t.phase == restoring {
			w.consumer.Pause(tp)
		}
	}
	t.inputs = inputs
	w.log.Info("inputs of task changed", "task", t.id.String(), "inputs", fmt.Sprint(inputs))
	return t.SetInputs(tps)
}

func compareIDs(a, b task.ID) int {
	return cmp.Or(cmp.Compare(a.Subtopology, b.Subtopology), cmp.Compare(a.Partition, b.Partition))
}
