//go:build unix

package runtime

import (
	"errors"
	"os"
	"syscall"
)

// lock takes an exclusive lock on a file that ends with the process, whatever
// ends it.
func lock(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrStateDirLocked
	}
	return nil, err
}
