package runtime

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/millrace/millrace/internal/task"
)

const (
	lockFile     = ".lock"
	processFile  = "kafka-streams-process-metadata"
	globalFolder = "global"
)

// ErrStateDirLocked: another application instance uses the state directory.
var ErrStateDirLocked = errors.New("the state directory is in use by another process")

// stateDir is the application's folder for persistent stores, locked for this
// process: <state.dir>/<application.id>. Without persistent stores there is
// none (Java: StateDirectory).
type stateDir struct {
	path    string // empty without persistent stores
	lock    *os.File
	process [16]byte
}

// openStateDir locks the folder and reads the process id from it, or makes a
// new one. Without persistent stores nothing is touched and the process id is
// new at each start.
func openStateDir(root, application string, persistent bool) (*stateDir, error) {
	d := &stateDir{process: newProcessID()}
	if !persistent {
		return d, nil
	}
	d.path = filepath.Join(root, application)
	if err := os.MkdirAll(d.path, 0o750); err != nil {
		return nil, fmt.Errorf("make state directory %s: %w; set StateDir (state.dir) to a directory this process may write to", d.path, err)
	}
	var err error
	if d.lock, err = lock(filepath.Join(d.path, lockFile)); err != nil {
		if errors.Is(err, ErrStateDirLocked) {
			return nil, fmt.Errorf("state directory %s: %w: give each instance on this machine its own StateDir (state.dir), or raise Workers instead of starting a second instance", d.path, err)
		}
		return nil, fmt.Errorf("lock state directory %s: %w; set StateDir (state.dir) to a directory this process may write to", d.path, err)
	}
	if err := d.readProcessID(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// readProcessID keeps an instance's identity over restarts, so that the group
// knows that it has the state of its tasks.
func (d *stateDir) readProcessID() error {
	file := filepath.Join(d.path, processFile)
	data, err := os.ReadFile(file)
	if err == nil {
		var meta struct{ ProcessID string }
		if json.Unmarshal(data, &meta) == nil {
			if id, ok := parseProcessID(meta.ProcessID); ok {
				d.process = id
				return nil
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read process id: %w", err)
	}
	data, err = json.Marshal(map[string]string{"processId": processText(d.process)})
	if err != nil {
		return fmt.Errorf("write process id: %w", err)
	}
	if err := os.WriteFile(file, data, 0o640); err != nil {
		return fmt.Errorf("write process id: %w", err)
	}
	return nil
}

// close releases the lock.
func (d *stateDir) close() {
	if d.lock != nil {
		_ = d.lock.Close()
		d.lock = nil
	}
}

// taskDir makes the folder of a task; "" without persistent stores.
func (d *stateDir) taskDir(id task.ID) (string, error) { return d.folder(id.String()) }

// globalDir makes the folder of the global stores.
func (d *stateDir) globalDir() (string, error) { return d.folder(globalFolder) }

func (d *stateDir) folder(name string) (string, error) {
	if d.path == "" {
		return "", nil
	}
	dir := filepath.Join(d.path, name)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("make directory of task %s: %w", name, err)
	}
	return dir, nil
}

// wipe removes the state of a task, whose stores must be closed.
func (d *stateDir) wipe(id task.ID) error { return d.remove(id.String()) }

func (d *stateDir) wipeGlobal() error { return d.remove(globalFolder) }

func (d *stateDir) remove(name string) error {
	if d.path == "" {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(d.path, name)); err != nil {
		return fmt.Errorf("wipe state of task %s: %w", name, err)
	}
	return nil
}

// newProcessID makes a random UUID (version 4).
func newProcessID() [16]byte {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return id
}

func processText(id [16]byte) string {
	h := hex.EncodeToString(id[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func parseProcessID(text string) (id [16]byte, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	n, err := hex.Decode(id[:], []byte(text[:8]+text[9:13]+text[14:18]+text[19:23]+text[24:]))
	return id, err == nil && n == len(id)
}
