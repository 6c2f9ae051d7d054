package assign

import (
	"slices"

	"github.com/millrace/millrace/internal/task"
)

// filter returns the tasks placed at the process, in order.
func filter(tasks []task.ID, at map[task.ID]*process, p *process) []task.ID {
	var out []task.ID
	for _, id := range tasks {
		if at[id] == p {
			out = append(out, id)
		}
	}
	return out
}

// keysAt returns the tasks whose value is i, in order.
func keysAt(at map[task.ID]int, i int) []task.ID {
	var out []task.ID
	for id, j := range at {
		if i == j {
			out = append(out, id)
		}
	}
	slices.SortFunc(out, compareTasks)
	return out
}
