//go:build !unix

package runtime

import "os"

// lock opens the file without a lock: this system has none that ends with the
// process, and a stale one would keep an application from starting.
func lock(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o640)
}
