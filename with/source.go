package with

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/millrace/millrace/internal/dsl"
	"github.com/millrace/millrace/processor"
)

// SourceOption is an option of sources only.
type SourceOption struct{ set func(*dsl.Options) }

// ForSource implements [Source].
func (o SourceOption) ForSource(to *dsl.Options) { o.set(to) }

// ForTableSource implements [TableSource].
func (o SourceOption) ForTableSource(to *dsl.Options) { o.set(to) }

// Timestamps sets the extractor that finds the event time of the source's
// records; without it the application's is used.
func Timestamps(x processor.TimestampExtractor) SourceOption {
	return SourceOption{func(to *dsl.Options) { to.Extractor = x }}
}

// StartAt says where a source begins when the application's group has no
// committed offset for the topic; without it the application's policy holds
// (Java: withOffsetResetPolicy).
func StartAt(s Start) SourceOption {
	return SourceOption{func(to *dsl.Options) {
		if s.reset.Back < 0 {
			to.Refuse(dsl.Errorf(dsl.KindArgument, "the source cannot start in the future (%d ms)", -s.reset.Back))
		}
		to.Reset = s.reset
	}}
}

// Start is a place in a topic (Java: AutoOffsetReset).
type Start struct{ reset processor.OffsetReset }

// Earliest is the beginning of the topic.
func Earliest() Start { return Start{processor.OffsetReset{Policy: "earliest"}} }

// Latest is the end of the topic.
func Latest() Start { return Start{processor.OffsetReset{Policy: "latest"}} }

// None makes a missing offset an error.
func None() Start { return Start{processor.OffsetReset{Policy: "none"}} }

// Ago is the first record younger than d at the time the application starts
// (Java: byDuration). d is rounded down to milliseconds.
func Ago(d time.Duration) Start {
	return Start{processor.OffsetReset{Policy: "by_duration", Back: d.Milliseconds(), Text: isoDuration(d)}}
}

// isoDuration writes a duration as Java's Duration.toString does.
func isoDuration(d time.Duration) string {
	if d == 0 {
		return "PT0S"
	}
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	var b strings.Builder
	b.WriteString("PT")
	if h := d / time.Hour; h > 0 {
		fmt.Fprintf(&b, "%s%dH", sign, h)
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		fmt.Fprintf(&b, "%s%dM", sign, m)
	}
	if rest := d % time.Minute; rest > 0 {
		b.WriteString(sign + strconv.FormatInt(int64(rest/time.Second), 10))
		if ns := rest % time.Second; ns > 0 {
			b.WriteString("." + strings.TrimRight(fmt.Sprintf("%09d", ns), "0"))
		}
		b.WriteByte('S')
	}
	return b.String()
}
