// Package window owns the definitions of windows (tumbling, hopping,
// unlimited, sliding, session and join windows), the windowed key [Windowed]
// with its serdes, the bytes of window and session store keys, and the answer
// to which windows a timestamp hits. It refuses to know stores, streams and
// what is computed in a window.
//
// Definitions are small immutable values. A wrong one, such as a negative
// size, is kept and reported by its Err method when the topology is built.
// Durations count in whole milliseconds; what is left over is cut off, as
// Java's Duration.toMillis does.
package window

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrInvalid is what every error of an Err method matches. Java throws an
// IllegalArgumentException where the window is defined.
var ErrInvalid = errors.New("invalid window")

// ErrBounds is what the error matches when a window begins before 0 or ends
// before it begins. Java throws an IllegalArgumentException.
var ErrBounds = errors.New("impossible window bounds")

// invalid keeps an earlier error, else makes one if the definition is bad.
func invalid(earlier error, bad bool, format string, args ...any) error {
	if earlier != nil || !bad {
		return earlier
	}
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Span is one window in time: milliseconds since the epoch. Whether End
// belongs to it depends on the kind: it does in session and sliding windows,
// it does not in tumbling and hopping ones.
type Span struct {
	Start, End int64
}

// Windows is a definition of windows that lie in time without regard to the
// records: [Time] and [Endless].
type Windows interface {
	// Err returns what is wrong with the definition, nil if nothing is.
	Err() error
	// SizeMs returns the length of a window in milliseconds.
	SizeMs() int64
	// GraceMs returns how long after its end a window still takes records, in
	// milliseconds of stream time.
	GraceMs() int64
	// AppendWindows appends the windows that the timestamp hits, ascending by
	// start. The definition must be valid.
	AppendWindows(dst []Span, timestamp int64) ([]Span, error)
}

// Time is a definition of tumbling or hopping windows (Java's TimeWindows):
// aligned to the epoch, start inclusive, end exclusive. The zero value is
// invalid.
type Time struct {
	size, advance, grace int64
	err                  error
}

// Tumbling returns windows of the given size, one after the other, without
// grace. The size must be at least a millisecond.
func Tumbling(size time.Duration) Time {
	return Hopping(size, size)
}

// Hopping returns windows of the given size that begin every advance, without
// grace. The advance must be at least a millisecond and at most the size.
func Hopping(size, advance time.Duration) Time {
	w := Time{size: size.Milliseconds(), advance: advance.Milliseconds()}
	w.err = invalid(w.err, w.size <= 0, "the size must be positive, not %v", size)
	w.err = invalid(w.err, w.advance <= 0 || w.advance > w.size,
		"the advance must be positive and at most the size %v, not %v", size, advance)
	return w
}

// Grace returns the same windows that take late records until the stream time
// is grace after their end.
func (w Time) Grace(grace time.Duration) Time {
	w.grace = grace.Milliseconds()
	w.err = invalid(w.err, w.grace < 0, "the grace must not be negative: %v", grace)
	return w
}

// Err returns what is wrong with the definition; it matches [ErrInvalid].
func (w Time) Err() error {
	return invalid(w.err, w.size <= 0, "the size must be positive")
}

// SizeMs returns the length of a window in milliseconds.
func (w Time) SizeMs() int64 { return w.size }

// AdvanceMs returns the distance of the starts of two neighbours in milliseconds.
func (w Time) AdvanceMs() int64 { return w.advance }

// GraceMs returns the grace in milliseconds.
func (w Time) GraceMs() int64 { return w.grace }

// AppendWindows appends the windows that the timestamp hits, ascending by
// start; none for a negative timestamp, as no window begins before 0. It fails
// with [ErrBounds] if a window would end after the last moment an int64 can
// hold, where Java throws.
func (w Time) AppendWindows(dst []Span, timestamp int64) ([]Span, error) {
	if timestamp < 0 {
		return dst, nil
	}
	// The sum cannot overflow: the advance is at most the size.
	start := max(0, timestamp-w.size+w.advance) / w.advance * w.advance
	for start <= timestamp {
		if start > math.MaxInt64-w.size {
			return dst, fmt.Errorf("%w: start %d, size %d ms", ErrBounds, start, w.size)
		}
		dst = append(dst, Span{start, start + w.size})
		start += w.advance
	}
	return dst, nil
}

// Endless is a definition of one window without an end (Java's
// UnlimitedWindows). The zero value begins at the epoch.
type Endless struct {
	start int64
	err   error
}

// Unlimited returns the window from the epoch to the end of time. It cannot be
// combined with emitting when a window closes.
func Unlimited() Endless { return Endless{} }

// From returns the window from the given moment on, which must not lie before
// the epoch. Records from before it are in no window and are passed over.
func (w Endless) From(start time.Time) Endless {
	w.start = start.UnixMilli()
	w.err = invalid(w.err, w.start < 0, "the start must not lie before 1970: %v", start)
	return w
}

// Err returns what is wrong with the definition; it matches [ErrInvalid].
func (w Endless) Err() error { return w.err }

// StartMs returns the start in milliseconds since the epoch.
func (w Endless) StartMs() int64 { return w.start }

// SizeMs returns the largest int64, as Java does.
func (w Endless) SizeMs() int64 { return math.MaxInt64 }

// GraceMs returns 0: the window never closes.
func (w Endless) GraceMs() int64 { return 0 }

// AppendWindows appends the window if the timestamp does not lie before it.
// Its end is the largest int64. It never fails.
func (w Endless) AppendWindows(dst []Span, timestamp int64) ([]Span, error) {
	if timestamp < w.start {
		return dst, nil
	}
	return append(dst, Span{w.start, math.MaxInt64}), nil
}
