package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestWhatWasGivenUpIsNoWarning: the client reports as an error what the end
// of the application has cut short.
func TestWhatWasGivenUpIsNoWarning(t *testing.T) {
	var out bytes.Buffer
	log := slogger{slog.New(slog.NewTextHandler(&out, nil))}
	log.Log(kgo.LogLevelError, "given up", "err", fmt.Errorf("describe topics: %w", context.Canceled))
	if out.Len() > 0 {
		t.Errorf("logged: %s", out.String())
	}
	log.Log(kgo.LogLevelError, "broken", "err", errors.New("no route"))
	if !strings.Contains(out.String(), "level=WARN") {
		t.Errorf("a real error is not a warning: %q", out.String())
	}
}
