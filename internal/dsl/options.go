package dsl

import (
	"time"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/statestore"
)

// Options is what the options of one call of an operator leave behind; which
// option fits which operator is the business of package with. Serdes and
// partitioners lost their types on the way and are checked by the operator.
type Options struct {
	// Name of the node, or what the operator derives from it; empty if none.
	Name string
	// Store is the store's name; empty if none.
	Store string
	// Materialized says that some option about the store or its serdes was
	// given, which is Java's overload with a Materialized. It decides how many
	// indices a generated store name burns.
	Materialized bool
	// Given says that any option was given, if only a name: Java's overloads
	// that take a Grouped do not inherit serdes.
	Given bool
	// Key, Value and Other are serdes; nil if none.
	Key, Value, Other any

	// Of sources.
	Extractor processor.TimestampExtractor
	Reset     processor.OffsetReset

	// Partitioner is a processor.Partitioner of the operator's types.
	Partitioner, OtherPartitioner any
	// Partitions of a repartition topic; nil if not given.
	Partitions *int32

	// Of stores.
	Caching, Logging Switch
	ChangelogConfig  map[string]string
	// Retention of window and session stores; nil if not given.
	Retention *time.Duration
	Backend   Backend
	// Supplier makes the store's innermost layer; nil for the backend's own.
	Supplier, OtherSupplier any

	// StoreNames are stores that a processor is connected to; Stores are those
	// it brings along.
	StoreNames []string
	Stores     []statestore.Builder
	// TopicText stands for a computed topic in descriptions.
	TopicText string
	// Label and Format are for printing; Format is a func(K, V) string.
	Label  string
	Format any
	// Grace is a table join's grace period; nil if none.
	Grace *time.Duration

	errs []error
}

// Switch is a setting that may be left alone.
type Switch int

// The positions of a [Switch].
const (
	Unset Switch = iota
	On
	Off
)

// Backend chooses where the DSL's stores keep their data.
type Backend int

// The backends: the configuration's, in memory, on disk.
const (
	BackendDefault Backend = iota
	BackendMemory
	BackendDisk
)

// Refuse notes that an option makes no sense in itself.
func (o *Options) Refuse(err error) { o.errs = append(o.errs, err) }

// Checked reports the options' own errors under the operator's name and
// returns the options.
func (g *Graph) Checked(op string, o *Options) *Options {
	for _, err := range o.errs {
		g.Fail(op, err)
	}
	return o
}

// PartitionerOf checks the partitioner of an option; nil gives nil.
func PartitionerOf[K, V any](g *Graph, op string, option any) processor.Partitioner[K, V] {
	switch p := option.(type) {
	case nil:
		return nil
	case processor.Partitioner[K, V]:
		return p
	case func(string, processor.Record[K, V], int32) ([]int32, bool):
		return p
	default:
		g.Fail(op, Errorf(KindArgument, "the partitioner is a %T, want a processor.Partitioner of %s", option, pairOf[K, V]()))
		return nil
	}
}

// Collect applies the options of a call, each by the method for its operator,
// and reports what is wrong with them.
func Collect[O any](g *Graph, op string, opts []O, apply func(O, *Options)) *Options {
	o := &Options{Given: len(opts) > 0}
	for _, opt := range opts {
		apply(opt, o)
	}
	return g.Checked(op, o)
}
