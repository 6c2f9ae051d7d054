package stage

import (
	"context"
	"errors"
	"sync"
)

// ErrDone is returned by a part of [Together] that has reached the end of all.
var ErrDone = errors.New("done")

// Together runs all parts at the same time until one returns an error, which
// ends the others, or the context ends. A part that returns nil lets the others
// go on. The result is what went wrong, if anything did; [ErrDone] is nothing
// wrong.
func Together(ctx context.Context, parts ...func(context.Context) error) error {
	all, end := context.WithCancel(ctx)
	defer end()
	var wg sync.WaitGroup
	errs := make([]error, len(parts))
	for i, part := range parts {
		wg.Go(func() {
			err := part(all)
			if err == nil {
				return
			}
			if !errors.Is(err, ErrDone) && !errors.Is(err, context.Canceled) {
				errs[i] = err
			}
			end()
		})
	}
	wg.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}
