package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// runWorkers runs all workers until the context ends or one fails for good.
func (p *Process) runWorkers(ctx context.Context) error {
	stop, stopAll := context.WithCancel(ctx)
	defer stopAll()
	defer context.AfterFunc(stop, p.limitDrain)()
	defer context.AfterFunc(p.hard, stopAll)()
	var failure firstError
	failed := func(err error) {
		if failure.set(err) {
			p.machine.to(PendingError)
		}
		stopAll()
	}
	var wg sync.WaitGroup
	if p.global != nil {
		wg.Go(func() {
			if err := p.global.run(stop); err != nil {
				failed(err)
			}
		})
	}
	p.mu.Lock()
	n := 0
	if p.cfg.hasTasks() {
		n = p.cfg.Workers
	}
	p.workers = make([]*worker, n)
	p.mu.Unlock()
	for i := range n {
		wg.Go(func() {
			if err := p.keepWorker(stop, i); err != nil {
				failed(err)
			}
		})
	}
	if n == 0 {
		p.machine.to(Running)
	}
	context.AfterFunc(ctx, func() { p.machine.to(PendingShutdown) })
	<-stop.Done()
	ended := make(chan struct{})
	go func() {
		wg.Wait()
		close(ended)
	}()
	if !p.awaitEnd(ended) {
		return fmt.Errorf("%w: a worker does not return from the application's own code", ErrAborted)
	}
	return failure.err
}

// awaitEnd waits for the workers, but not for ever after an abort: nothing ends
// a goroutine that is stuck in user code. False leaves it behind; what it uses,
// the lock of the state directory among it, is released when it ends after all.
func (p *Process) awaitEnd(ended chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-p.hard.Done():
	}
	timer := time.NewTimer(abortGrace)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		p.stuck = true
		go func() {
			<-ended
			p.release()
		}()
		return false
	}
}

// abortGrace is how long workers get to close their stores after an abort.
const abortGrace = 5 * time.Second

// limitDrain aborts what has not ended in time after the end was asked for.
func (p *Process) limitDrain() {
	if p.cfg.DrainTimeout > 0 && sleep(p.hard, p.cfg.DrainTimeout) {
		p.log.Warn("the clean end takes too long, giving it up", "after", p.cfg.DrainTimeout.String())
		p.Abort()
	}
}

// keepWorker runs one worker, and another in its place as long as that is
// decided.
func (p *Process) keepWorker(stop context.Context, i int) error {
	for {
		action, err := p.runWorker(stop, i)
		if err == nil || action != ReplaceWorker || stop.Err() != nil {
			return err
		}
		p.log.Warn("worker is replaced", "worker", i+1, "err", err)
		if !sleep(stop, replacePause) {
			return nil
		}
	}
}

// replacePause keeps a worker that fails at once from failing in a busy loop.
const replacePause = 200 * time.Millisecond

// decide asks what follows from an error. Lost results are no matter for the
// user: the worker goes on from the last commit, as in Java.
func (p *Process) decide(err error) Action {
	var corrupted *CorruptedError
	if errors.As(err, &corrupted) {
		return ReplaceWorker
	}
	if p.cfg.OnUncaught == nil {
		return ShutdownClient
	}
	return p.cfg.OnUncaught(err)
}

func (p *Process) runWorker(stop context.Context, i int) (Action, error) {
	w, err := newWorker(p, p.hard, i+1)
	if err != nil {
		return ShutdownClient, err
	}
	p.mu.Lock()
	p.workers[i] = w
	p.mu.Unlock()
	return w.run(stop)
}

// workerChanged follows the workers' states: RUNNING means that all are,
// besides those that have ended.
func (p *Process) workerChanged() {
	p.mu.Lock()
	running, waiting := 0, 0
	for _, w := range p.workers {
		if w == nil {
			waiting++
			continue
		}
		switch s := workerState(w.state.Load()); {
		case s == workerRunning:
			running++
		case s < workerRunning:
			waiting++
		}
	}
	p.mu.Unlock()
	switch {
	case waiting > 0:
		p.machine.to(Rebalancing)
	case running > 0:
		p.machine.to(Running)
	}
}

// firstError keeps the first of several errors.
type firstError struct {
	mu  sync.Mutex
	err error
}

func (f *firstError) set(err error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return false
	}
	f.err = err
	return true
}
