package statestore

// Kind says which interface a store has; its text is the oracle's word for it.
type Kind string

// The kinds of stores.
const (
	KindKeyValue            Kind = "keyValue"
	KindTimestampedKeyValue Kind = "timestampedKeyValue"
	KindHeadersKeyValue     Kind = "timestampedKeyValueWithHeaders"
	KindVersioned           Kind = "versioned"
	KindWindow              Kind = "window"
	KindTimestampedWindow   Kind = "timestampedWindow"
	KindHeadersWindow       Kind = "timestampedWindowWithHeaders"
	KindSession             Kind = "session"
	KindHeadersSession      Kind = "sessionWithHeaders"
)

// Builder makes the stores of one name, one for each task (Java:
// StoreBuilder). Builders are made at build time and are immutable afterwards.
type Builder interface {
	// Name is the store's name.
	Name() string
	Kind() Kind
	// Build returns a new store, not yet open.
	Build() Store
	// Logged tells whether updates go to a changelog topic.
	Logged() bool
	// ChangelogConfig are the topic settings given for the changelog.
	ChangelogConfig() map[string]string
	// Cached tells whether the record cache is wanted.
	Cached() bool
	// Persistent tells whether the stores outlive the process.
	Persistent() bool
	// RetentionMs is how long window and session stores keep their rows, or the
	// history retention of versioned stores, in milliseconds; 0 for other kinds.
	// The changelog topic's retention follows from it.
	RetentionMs() int64
	// WithoutLog returns the same builder with the changelog switched off, as
	// tables that use their source topic as changelog and global stores need.
	WithoutLog() Builder
}
