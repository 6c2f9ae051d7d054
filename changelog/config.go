package changelog

import (
	"maps"
	"math"
	"strconv"
	"time"
)

// Keys of topic configs that are computed or read here.
const (
	CleanupPolicy        = "cleanup.policy"
	RetentionMs          = "retention.ms"
	MinCompactionLagMs   = "min.compaction.lag.ms"
	SegmentBytes         = "segment.bytes"
	MessageTimestampType = "message.timestamp.type"
)

// DefaultAdditionalRetention is Java's default of
// windowstore.changelog.additional.retention.ms.
const DefaultAdditionalRetention = 24 * time.Hour

// versionedLag is what a versioned store's changelog keeps uncompacted beyond
// the history retention. Java has no setting for it.
const versionedLag = int64(24 * time.Hour / time.Millisecond)

// TopicKind chooses the configs of an internal topic.
type TopicKind int

// The kinds of internal topics.
const (
	// Repartition is a repartition topic or a topic of a foreign-key join.
	Repartition TopicKind = iota
	// Compacted is the changelog of a key-value store, a suppression or grace
	// buffer, the outer-join store and the foreign-key subscription store.
	Compacted
	// Windowed is the changelog of a window or session store.
	Windowed
	// StreamJoin is the changelog of a stream-stream join's window store.
	StreamJoin
	// Versioned is the changelog of a versioned store.
	Versioned
)

// TopicConfig describes the configs of one internal topic (Java:
// InternalTopicConfig and its subclasses).
type TopicConfig struct {
	Kind TopicKind
	// Retention of the store in milliseconds (Windowed, StreamJoin) or its
	// history retention (Versioned); unused otherwise.
	Retention int64
	// Overrides are the log config of the store, which beat everything but the
	// cleanup policy of StreamJoin.
	Overrides map[string]string
}

// Properties returns the configs a topic is created with. defaults are the
// application's `topic.*` settings without that prefix; they beat the
// library's own settings and lose to the store's log config. additional is
// added to a window store's retention, in milliseconds, saturating. A computed
// retention.ms or min.compaction.lag.ms is left out only if the store's own log
// config has the key: one in defaults loses to the computed value, as in Java.
func (c TopicConfig) Properties(defaults map[string]string, additional int64) map[string]string {
	props := map[string]string{MessageTimestampType: "CreateTime"}
	switch c.Kind {
	case Repartition:
		props[CleanupPolicy] = "delete"
		props[SegmentBytes] = "52428800"
		props[RetentionMs] = "-1"
	case Windowed, StreamJoin:
		props[CleanupPolicy] = "compact,delete"
	default:
		props[CleanupPolicy] = "compact"
	}
	maps.Copy(props, defaults)
	maps.Copy(props, c.Overrides)
	switch c.Kind {
	case StreamJoin:
		// Java's store factory writes the policy into the log config last.
		props[CleanupPolicy] = "delete"
		c.compute(props, RetentionMs, additional)
	case Windowed:
		c.compute(props, RetentionMs, additional)
	case Versioned:
		c.compute(props, MinCompactionLagMs, versionedLag)
	}
	return props
}

func (c TopicConfig) compute(props map[string]string, key string, additional int64) {
	if _, ok := c.Overrides[key]; ok {
		return
	}
	props[key] = strconv.FormatInt(addSaturating(c.Retention, additional), 10)
}

// addSaturating adds as Java's Math.addExact with Long.MAX_VALUE on overflow.
func addSaturating(a, b int64) int64 {
	sum := a + b
	if (a^sum)&(b^sum) < 0 {
		return math.MaxInt64
	}
	return sum
}
