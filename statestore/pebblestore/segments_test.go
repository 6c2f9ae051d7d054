package pebblestore

import (
	"testing"

	"github.com/millrace/millrace/statestore/storetest"
)

func TestWindows(t *testing.T) { storetest.Windows(t, Backend) }

func TestVersioned(t *testing.T) { storetest.Versioned(t, Backend) }

func TestSegments(t *testing.T) { storetest.Segments(t, Backend) }

func TestSegmentsWithOverflow(t *testing.T) {
	storetest.Segments(t, smallBudget{New(Options{CommitAfter: 1, BatchBytes: 256})})
}

func TestWindowsWithOverflow(t *testing.T) {
	storetest.Windows(t, smallBudget{New(Options{CommitAfter: 1, BatchBytes: 256})})
}

func TestVersionedWithOverflow(t *testing.T) {
	storetest.Versioned(t, smallBudget{New(Options{CommitAfter: 1, BatchBytes: 256})})
}
