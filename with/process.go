package with

import (
	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/statestore"
)

// ProcessOption is an option of Process and its kin only.
type ProcessOption struct{ set func(*dsl.Options) }

// ForProcess implements [Process].
func (o ProcessOption) ForProcess(to *dsl.Options) { o.set(to) }

// StoreNames connects a processor to stores that were added to the builder.
func StoreNames(names ...string) ProcessOption {
	return ProcessOption{func(to *dsl.Options) { to.StoreNames = append(to.StoreNames, names...) }}
}

// Stores gives a processor stores of its own and connects it to them. Two
// processors may be given the same builder to share a store.
func Stores(builders ...statestore.Builder) ProcessOption {
	return ProcessOption{func(to *dsl.Options) { to.Stores = append(to.Stores, builders...) }}
}

// PrintOption is an option of Print only.
type PrintOption struct{ set func(*dsl.Options) }

// ForPrint implements [Print].
func (o PrintOption) ForPrint(to *dsl.Options) { o.set(to) }

// Label is what stands in front of printed records, by default the name of the
// node above (Java: Printed.withLabel).
func Label(label string) PrintOption {
	return PrintOption{func(to *dsl.Options) {
		if label == "" {
			to.Refuse(dsl.Errorf(dsl.KindArgument, "the label is empty"))
		}
		to.Label = label
	}}
}

// Format sets how a record is printed: a func(K, V) string of the stream's
// types (Java: withKeyValueMapper).
func Format(f any) PrintOption { return PrintOption{func(to *dsl.Options) { to.Format = f }} }
