package golden

import (
	"errors"
	"fmt"
	"os"

	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// Compare returns the first difference that binds, nil if there is none. Java's
// messages (advisory) and the positions of interactive queries do not bind.
func Compare(want, got *tree.Object) *tree.Difference {
	return tree.Diff(binding(want), binding(got))
}

func binding(golden *tree.Object) *tree.Object {
	o := golden.Without("advisory")
	steps, ok := o.Get("steps")
	if !ok {
		return o
	}
	l, _ := steps.([]any)
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = withoutPosition(s)
	}
	o.Set("steps", out)
	return o
}

func withoutPosition(step any) any {
	s, ok := step.(*tree.Object)
	if !ok {
		return step
	}
	q, _ := s.Get("query")
	answer, ok := q.(*tree.Object)
	if !ok {
		return step
	}
	c := s.Without("")
	c.Set("query", answer.Without("position"))
	return c
}

// Load reads a golden file.
func Load(file string) (*tree.Object, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("load a golden: %w", err)
	}
	node, err := tree.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("load golden %s: %w", file, err)
	}
	o, ok := node.(*tree.Object)
	if !ok {
		return nil, errors.New("load golden " + file + ": no object")
	}
	return o, nil
}
