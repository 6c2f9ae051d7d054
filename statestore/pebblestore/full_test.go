package pebblestore

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/millrace/millrace/statestore/storetest"
)

// TestFullDisk: a commit that cannot be made durable fails instead of waiting
// for ever, and the store stays at the commit before.
func TestFullDisk(t *testing.T) {
	var full atomic.Bool
	mem := vfs.NewMem()
	h := storetest.NewHost(t)
	h.Folder = "task"
	options := Options{CommitAfter: 1}
	options.fs = errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && strings.HasSuffix(op.Path, ".sst") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.ENOSPC
		}
		return nil
	}))
	s := open(t, h, options)
	must(t, s.Put([]byte("a"), []byte("1")), s.Commit(1))
	full.Store(true)
	must(t, s.Put([]byte("a"), []byte("2")))
	if err := s.Commit(2); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "task/pebble/s") {
		t.Errorf("commit on a full disk: %v", err)
	}
	_ = s.Close() // it may repeat the error
	options.fs = mem
	s = open(t, h, options)
	v, _, err := s.Get(nil, []byte("a"))
	must(t, err)
	if o, _ := s.CommittedOffset(); o != 1 || string(v) != "1" {
		t.Errorf("offset %d with %q, want 1 with 1", o, v)
	}
}
