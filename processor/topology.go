package processor

import "github.com/millrace/millrace/statestore"

// OffsetReset says where a source starts when its group has no committed
// offset (Java: AutoOffsetReset). The zero value is the application's default.
type OffsetReset struct {
	// Policy is "", "earliest", "latest", "none" or "by_duration".
	Policy string
	// Back is how far before now to start, in milliseconds, for by_duration.
	Back int64
	// Text is Java's text of Back (ISO 8601), for descriptions.
	Text string
}

// SourceSpec describes a source node: either topics or a pattern.
type SourceSpec struct {
	Name string
	// Topics in the order given; internal topics without the application id.
	Topics []string
	// Pattern is a regular expression that matches whole topic names.
	Pattern   string
	Reset     OffsetReset
	Extractor TimestampExtractor
	New       func() SourceUnit
}

// ProcessorSpec describes a processor node.
type ProcessorSpec struct {
	Name    string
	Parents []string
	Stores  []string
	New     func() (Unit, error)
}

// SinkSpec describes a sink node. Dynamic is the text that stands for a
// computed topic in descriptions; it is empty for a fixed one.
type SinkSpec struct {
	Name    string
	Parents []string
	Topic   string
	Dynamic string
	New     func() Unit
}

// GlobalSpec describes a global store with its source and its updater.
type GlobalSpec struct {
	Store     statestore.Builder
	Source    SourceSpec
	Processor ProcessorSpec
	// RawRestore restores by copying bytes instead of running the processor
	// (tables do, user-written processors do not).
	RawRestore bool
}

// InternalTopic is what the topology demands of a repartition topic.
type InternalTopic struct {
	// Name without the application id.
	Name string
	// Partitions is 0 when the count follows from the sources.
	Partitions int32
	// Enforced says that the user gave the count.
	Enforced bool
}
