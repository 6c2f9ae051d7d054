package memstore_test

import (
	"testing"

	"github.com/millrace/millrace/statestore/memstore"
	"github.com/millrace/millrace/statestore/storetest"
)

func TestWindows(t *testing.T) { storetest.Windows(t, memstore.Backend) }

func TestVersioned(t *testing.T) { storetest.Versioned(t, memstore.Backend) }

func TestSegments(t *testing.T) { storetest.Segments(t, memstore.Backend) }
