package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// maxLine is the longest line in bytes; a broker takes records of 1 MB.
const maxLine = 900 << 10

// text is what is to be counted: files that are read one after the other.
type text struct {
	name string
	open []func() (io.ReadCloser, error)
}

// openText finds the text: a file, the standard input for "-", or for "" a
// book that comes with Go. What cannot be opened is an error at once.
func openText(ctx context.Context, name string, stdin io.Reader) (text, error) {
	switch name {
	case "-":
		return text{name: "standard input", open: []func() (io.ReadCloser, error){
			func() (io.ReadCloser, error) { return interruptible(ctx, stdin), nil }}}, nil
	case "":
		root, err := goRoot(ctx)
		if err != nil {
			return text{}, fmt.Errorf("find a text in Go's installation: %w; give a file, or - for the standard input", err)
		}
		return bookIn(root)
	}
	info, err := os.Stat(name)
	if err != nil {
		return text{}, fmt.Errorf("the text: %w", err)
	}
	if info.IsDir() {
		return text{}, fmt.Errorf("the text: %s is a folder, give a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return text{}, fmt.Errorf("the text: %w", err)
	}
	return text{name: name, open: []func() (io.ReadCloser, error){func() (io.ReadCloser, error) { return f, nil }}}, nil
}

// interruptible reads from r until the context ends, even if a read waits for
// someone to type.
func interruptible(ctx context.Context, r io.Reader) io.ReadCloser {
	from, to := io.Pipe()
	context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(to, r)
		to.CloseWithError(err)
	}()
	return from
}

// goRoot asks the go command where Go is installed.
func goRoot(ctx context.Context) (string, error) {
	if root := os.Getenv("GOROOT"); root != "" {
		return root, nil
	}
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// bookIn is Newton's Opticks, which Go brings along to test compression. Where
// a packaged Go lacks it, Go's own source is the text.
func bookIn(root string) (text, error) {
	book := filepath.Join(root, "src", "testdata", "Isaac.Newton-Opticks.txt")
	if _, err := os.Stat(book); err == nil {
		return text{name: book, open: []func() (io.ReadCloser, error){func() (io.ReadCloser, error) { return os.Open(book) }}}, nil
	}
	var t text
	for _, dir := range []string{"bufio", "bytes", "fmt", "io", "net/http", "os", "sort", "strings", "time"} {
		files, err := filepath.Glob(filepath.Join(root, "src", filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return text{}, fmt.Errorf("find Go's source: %w", err)
		}
		slices.Sort(files)
		for _, f := range files {
			t.open = append(t.open, func() (io.ReadCloser, error) { return os.Open(f) })
		}
	}
	t.name = fmt.Sprintf("%d of Go's source files in %s", len(t.open), filepath.Join(root, "src"))
	if len(t.open) == 0 {
		return text{}, fmt.Errorf("neither %s nor Go's source is there: give a file, or - for the standard input: %w", book, fs.ErrNotExist)
	}
	return t, nil
}

// lines hands the lines to each until it returns an error.
func (t text) lines(each func(line []byte) error) error {
	n := 0
	for _, open := range t.open {
		r, err := open()
		if err != nil {
			return fmt.Errorf("the text: %w", err)
		}
		s := bufio.NewScanner(r)
		s.Buffer(nil, maxLine)
		for s.Scan() {
			n++
			if err := each(s.Bytes()); err != nil {
				return errors.Join(err, r.Close())
			}
		}
		if err := errors.Join(s.Err(), r.Close()); err != nil {
			return fmt.Errorf("read %s after line %d: %w", t.name, n, err)
		}
	}
	return nil
}
