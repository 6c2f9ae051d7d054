package pebblestore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/millrace/millrace/statestore"
)

const (
	rowPrefix  = 'd'
	rowEnd     = rowPrefix + 1
	formatSize = 4
)

// formatVersion is the layout written by this release.
const formatVersion = 1

var (
	formatKey = []byte("mformat")
	offsetKey = []byte("moffset")
	aheadKey  = []byte("mahead")
)

// engine is an open database with the facts it holds about itself.
type engine struct {
	options Options
	name    string
	dir     string
	db      *pebble.DB
	lock    *pebble.Lock
	shared  *shared
	// offset and ahead are what the database holds; fresh says that it was
	// created just now and has no rows.
	offset int64
	ahead  bool
	fresh  bool
	// background carries the first error of Pebble's own goroutines.
	background chan error
}

// FormatError says that a directory was written in a way this release cannot
// read.
type FormatError struct {
	Store, Dir, Problem string
}

// Error names the store, the folder and the cure.
func (e *FormatError) Error() string {
	return fmt.Sprintf("store %s: %s %s; use the release that wrote it, or delete the directory to restore the store from its changelog", e.Store, e.Dir, e.Problem)
}

// LockedError says that another store, of this process or another, has the
// directory open.
type LockedError struct {
	Store, Dir string
	Err        error
}

// Error names the store and the folder.
func (e *LockedError) Error() string {
	return fmt.Sprintf("store %s: %s is in use by another instance; give each instance on this machine its own state directory: %v", e.Store, e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *LockedError) Unwrap() error { return e.Err }

func openEngine(o Options, memory *statestore.Memory, taskDir, name string, kind statestore.Kind) (*engine, error) {
	e := &engine{options: o, name: name, dir: filepath.Join(taskDir, "pebble", name), offset: -1, background: make(chan error, 1)}
	if err := makeDir(o.fs, e.dir); err != nil {
		return nil, e.unwritable(err)
	}
	lock, err := pebble.LockDirectory(e.dir, o.fs)
	if err != nil {
		if isPathError(err) {
			return nil, e.unwritable(err)
		}
		return nil, &LockedError{Store: name, Dir: e.dir, Err: err}
	}
	e.lock = lock
	e.shared = sharedOf(memory)
	cache, files := e.shared.acquire(o.MemTable)
	if e.db, err = pebble.Open(e.dir, e.pebbleOptions(cache, files)); err != nil {
		err = e.failedOpen(err)
	} else if err = e.readFacts(kind); err != nil {
		err = errors.Join(err, e.db.Close())
	}
	if err != nil {
		e.shared.release(o.MemTable)
		return nil, errors.Join(err, lock.Close())
	}
	return e, nil
}

// makeDir makes a folder with its parents and syncs each folder that got a new
// entry: else a crash of the machine could take the whole store away.
func makeDir(f vfs.FS, dir string) error {
	_, err := f.Stat(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := f.PathDir(dir)
	if parent != dir {
		if err := makeDir(f, parent); err != nil {
			return err
		}
	}
	if err := f.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	d, err := f.OpenDir(parent)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// isPathError tells an error of opening the lock file from one of locking it.
func isPathError(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p)
}

func (e *engine) unwritable(err error) error {
	return fmt.Errorf("store %s: cannot write to %s; let the process write there or choose another state directory: %w", e.name, e.dir, err)
}

func (e *engine) failedOpen(err error) error {
	if pebble.IsCorruptionError(err) || errors.Is(err, fs.ErrNotExist) {
		return &statestore.CorruptError{Store: e.name, Dir: e.dir, Err: err}
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return e.unwritable(err)
	}
	return fmt.Errorf("store %s: open %s: %w", e.name, e.dir, err)
}

// failed classifies an error of the database.
func (e *engine) failed(doing string, err error) error {
	if pebble.IsCorruptionError(err) {
		return &statestore.CorruptError{Store: e.name, Dir: e.dir, Err: err}
	}
	return fmt.Errorf("%s %s: %w", doing, e.dir, err)
}

// pebbleOptions: reads come from the block cache, which filters and index
// blocks must fit in; writes come sorted and in large batches, so that a small
// memtable is enough. Compression costs more than it saves on small values.
func (e *engine) pebbleOptions(cache *pebble.Cache, files *pebble.FileCache) *pebble.Options {
	o := &pebble.Options{
		FS: e.options.fs, Lock: e.lock, Cache: cache, FileCache: files,
		DisableWAL:            true,
		MemTableSize:          uint64(e.options.MemTable),
		L0CompactionThreshold: 4,
		L0StopWritesThreshold: 1000,
		FormatMajorVersion:    pebble.FormatNewest,
		Logger:                quietLogger{},
		EventListener: &pebble.EventListener{
			BackgroundError: e.report,
			// Without this Pebble ends the process. The read that met the damage
			// fails by itself.
			DataCorruption: func(i pebble.DataCorruptionInfo) { e.report(i.Details) },
		},
	}
	for i := range o.Levels {
		l := &o.Levels[i]
		l.BlockSize = 32 << 10
		l.IndexBlockSize = 256 << 10
		l.FilterPolicy = bloom.FilterPolicy(10)
		l.FilterType = pebble.TableFilter
		l.Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
	}
	return o
}

// report keeps the first error of Pebble's own goroutines for the next sync.
func (e *engine) report(err error) {
	select {
	case e.background <- err:
	default:
	}
}

// readFacts reads the facts of an existing database or writes those of a new one.
func (e *engine) readFacts(kind statestore.Kind) error {
	format, ok, err := e.fact(formatKey)
	if err != nil {
		return err
	}
	if !ok {
		e.fresh = true
		v := append(binary.BigEndian.AppendUint32(nil, formatVersion), kind...)
		if err := e.db.Set(formatKey, v, pebble.NoSync); err != nil {
			return e.failed("write to", err)
		}
		return nil
	}
	if err := e.checkFormat(format, kind); err != nil {
		return err
	}
	offset, ok, err := e.fact(offsetKey)
	if err != nil {
		return err
	}
	if ok {
		if len(offset) != 8 {
			return &statestore.CorruptError{Store: e.name, Dir: e.dir, Err: fmt.Errorf("changelog offset of %d bytes", len(offset))}
		}
		e.offset = int64(binary.BigEndian.Uint64(offset))
	}
	_, e.ahead, err = e.fact(aheadKey)
	return err
}

func (e *engine) checkFormat(format []byte, kind statestore.Kind) error {
	if len(format) < formatSize {
		return &statestore.CorruptError{Store: e.name, Dir: e.dir, Err: fmt.Errorf("format of %d bytes", len(format))}
	}
	if v := binary.BigEndian.Uint32(format); v != formatVersion {
		return &FormatError{e.name, e.dir, fmt.Sprintf("has format %d, this release knows %d", v, formatVersion)}
	}
	if have := statestore.Kind(format[formatSize:]); have != kind {
		return &FormatError{e.name, e.dir, fmt.Sprintf("holds a %s store, the program asks for a %s store", have, kind)}
	}
	return nil
}

func (e *engine) fact(key []byte) ([]byte, bool, error) {
	v, closer, err := e.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, e.failed("read", err)
	}
	out := append([]byte{}, v...)
	return out, true, closer.Close()
}

// sync makes what was written durable. Pebble retries a flush that fails, for
// instance on a full disk, for ever; the first failure ends the wait here.
func (e *engine) sync() error {
	done, err := e.db.AsyncFlush()
	if err != nil {
		return e.failed("flush", err)
	}
	select {
	case <-done:
		return nil
	case err := <-e.background:
		return e.failed("flush", err)
	}
}

func (e *engine) close() error {
	err := e.db.Close()
	e.shared.release(e.options.MemTable)
	return errors.Join(err, e.lock.Close())
}

// quietLogger passes on errors only.
type quietLogger struct{}

func (quietLogger) Infof(string, ...any) {}

func (quietLogger) Errorf(format string, args ...any) {
	slog.Error("pebble: " + fmt.Sprintf(format, args...))
}

// Fatalf must not return: Pebble calls it where it cannot go on, such as when
// its list of files cannot be written.
func (quietLogger) Fatalf(format string, args ...any) {
	panic("pebble: " + fmt.Sprintf(format, args...))
}
