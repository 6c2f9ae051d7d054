package changelog

import "github.com/millrace/millrace/statestore"

// ConfigOf describes the changelog topic of a builder's stores (Java:
// InternalTopologyBuilder.createChangelogTopicConfig). What the builder says
// about its topic wins; that is how the window stores of stream joins say that
// nothing can be compacted.
func ConfigOf(b statestore.Builder) TopicConfig {
	c := TopicConfig{Kind: Compacted, Overrides: b.ChangelogConfig(), Retention: b.RetentionMs()}
	switch b.Kind() {
	case statestore.KindWindow, statestore.KindTimestampedWindow, statestore.KindHeadersWindow,
		statestore.KindSession, statestore.KindHeadersSession:
		c.Kind = Windowed
	case statestore.KindVersioned:
		c.Kind = Versioned
	}
	return c
}
