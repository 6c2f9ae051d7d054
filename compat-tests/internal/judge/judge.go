// Package judge runs the Java oracle: it starts the process, sends it scenarios
// and reads goldens. It refuses to know what is in them.
package judge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// Folder finds the oracle's folder from the working directory upwards, so that
// tests and commands work from anywhere inside the checkout.
func Folder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the oracle: %w", err)
	}
	for {
		oracle := filepath.Join(dir, "compat-tests", "oracle")
		if _, err := os.Stat(filepath.Join(oracle, "run.sh")); err == nil {
			return oracle, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("find the oracle: no compat-tests/oracle above the working directory")
		}
		dir = parent
	}
}

// Available tells why the oracle cannot run here, nil if it can: it needs Java
// and Maven on the path.
func Available() error {
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("the Java oracle needs %s: %w", tool, err)
		}
	}
	_, err := Folder()
	return err
}

// command prepares a run of the oracle. On cancellation its input or the
// process is closed; the script hands its process to Java.
func command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	dir, err := Folder()
	if err != nil {
		return nil, err
	}
	return exec.CommandContext(ctx, filepath.Join(dir, "run.sh"), args...), nil
}

func run(ctx context.Context, args ...string) error {
	cmd, err := command(ctx, args...)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("oracle %s: %w: %s", args[0], err, strings.TrimSpace(out.String()))
	}
	return nil
}

// Build builds the oracle if need be.
func Build(ctx context.Context) error { return run(ctx, "build") }

// Live prepares an application of the oracle's folder live, which runs on a
// real broker, by its class and arguments. The caller starts and ends it.
func Live(ctx context.Context, class string, args ...string) (*exec.Cmd, error) {
	return command(ctx, append([]string{"live", class}, args...)...)
}

// Goldens has Java write the goldens of every scenario of a folder.
func Goldens(ctx context.Context, in, out string) error {
	return run(ctx, "golden", in, out)
}

// Generate has Java write count random scenarios gen-SEED-N.json. Words and
// config keys limit what is drawn; nil allows everything.
func Generate(ctx context.Context, seed int64, count int, dir string, words, configKeys []string) error {
	args := []string{"gen", strconv.FormatInt(seed, 10), strconv.Itoa(count), dir}
	if words != nil {
		args = append(args, "--ops", strings.Join(words, ","))
	}
	if configKeys != nil {
		args = append(args, "--config-only", strings.Join(configKeys, ","))
	}
	return run(ctx, args...)
}

// Judge is a running oracle that answers one scenario after the other. It is
// for one goroutine.
type Judge struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// Start starts an oracle, which is built first when needed. The process ends
// with Close, or when ctx does.
func Start(ctx context.Context) (*Judge, error) {
	cmd, err := command(ctx, "serve")
	if err != nil {
		return nil, err
	}
	j := &Judge{cmd: cmd}
	cmd.Stderr = &j.stderr
	if j.in, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the oracle: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the oracle: %w", err)
	}
	j.out = bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the oracle: %w", err)
	}
	return j, nil
}

// Golden returns Java's golden of a scenario, which is any JSON text.
func (j *Judge) Golden(scenario []byte) (*tree.Object, error) {
	line := bytes.ReplaceAll(scenario, []byte{'\n'}, []byte{' '})
	if _, err := j.in.Write(append(line, '\n')); err != nil {
		return nil, j.died(err)
	}
	answer, err := j.out.ReadBytes('\n')
	if err != nil {
		return nil, j.died(err)
	}
	node, err := tree.Parse(answer)
	if err != nil {
		return nil, fmt.Errorf("answer of the oracle: %w", err)
	}
	golden, ok := node.(*tree.Object)
	if !ok {
		return nil, fmt.Errorf("answer of the oracle is no object: %s", answer)
	}
	return golden, nil
}

// died explains a broken pipe by what the process said last.
func (j *Judge) died(err error) error {
	j.in.Close()
	waitErr := j.cmd.Wait()
	return fmt.Errorf("the oracle ended: %w (%v): %s", err, waitErr, strings.TrimSpace(j.stderr.String()))
}

// Close ends the process and waits for it.
func (j *Judge) Close() error {
	j.in.Close()
	if err := j.cmd.Wait(); err != nil {
		return fmt.Errorf("end the oracle: %w", err)
	}
	return nil
}
