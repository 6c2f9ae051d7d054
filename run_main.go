package millrace

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// The exit codes of [RunMain].
const (
	// ExitOK: the end was asked for and everything was committed.
	ExitOK = 0
	// ExitFailed: the application failed; its log says why.
	ExitFailed = 1
	// ExitForced: the application did not end cleanly, as a second signal or
	// the DrainTimeout cut it short; the shells' code for an interrupt.
	ExitForced = 130
)

// RunMain runs an application as the whole of a program and returns the exit
// code. SIGINT, SIGTERM or the end of ctx drain it; a further signal ends it
// at once.
//
//	os.Exit(millrace.RunMain(context.Background(), app))
func RunMain(ctx context.Context, a *App) int {
	ctx, drain := context.WithCancel(ctx)
	defer drain()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-signals:
			}
			if ctx.Err() != nil {
				a.Abort()
			}
			drain()
		}
	})
	err := a.Run(ctx)
	close(ended)
	wg.Wait()
	return exitCode(err)
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrAborted):
		return ExitForced
	}
	return ExitFailed
}
