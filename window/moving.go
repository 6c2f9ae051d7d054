package window

import "time"

// Sliding is a definition of windows that follow the records (Java's
// SlidingWindows): two records share a window if their timestamps differ by at
// most the difference. Both ends belong to a window. The zero value has a
// difference of 0, which is valid.
type Sliding struct {
	difference, grace int64
	err               error
}

// Slide returns sliding windows without grace. The difference must not be
// negative.
func Slide(difference time.Duration) Sliding {
	w := Sliding{difference: difference.Milliseconds()}
	w.err = invalid(w.err, w.difference < 0, "the time difference must not be negative: %v", difference)
	return w
}

// Grace returns the same windows that take late records until the stream time
// is grace after their end.
func (w Sliding) Grace(grace time.Duration) Sliding {
	w.grace = grace.Milliseconds()
	w.err = invalid(w.err, w.grace < 0, "the grace must not be negative: %v", grace)
	return w
}

// Err returns what is wrong with the definition; it matches [ErrInvalid].
func (w Sliding) Err() error { return w.err }

// DifferenceMs returns the time difference, which is end minus start of a
// window, in milliseconds.
func (w Sliding) DifferenceMs() int64 { return w.difference }

// GraceMs returns the grace in milliseconds.
func (w Sliding) GraceMs() int64 { return w.grace }

// Session is a definition of windows that end when no record came for a while
// (Java's SessionWindows). Both ends belong to a window: they are the
// timestamps of its first and last record. The zero value has a gap of 0,
// which is valid.
type Session struct {
	gap, grace int64
	err        error
}

// Sessions returns session windows without grace; records at most gap apart are
// in one session. The gap must not be negative.
func Sessions(gap time.Duration) Session {
	w := Session{gap: gap.Milliseconds()}
	w.err = invalid(w.err, w.gap < 0, "the gap must not be negative: %v", gap)
	return w
}

// Grace returns the same windows that take late records until the stream time
// is gap plus grace after their end.
func (w Session) Grace(grace time.Duration) Session {
	w.grace = grace.Milliseconds()
	w.err = invalid(w.err, w.grace < 0, "the grace must not be negative: %v", grace)
	return w
}

// Err returns what is wrong with the definition; it matches [ErrInvalid].
func (w Session) Err() error { return w.err }

// GapMs returns the inactivity gap in milliseconds.
func (w Session) GapMs() int64 { return w.gap }

// GraceMs returns the grace in milliseconds.
func (w Session) GraceMs() int64 { return w.grace }

// Join says which records of two streams meet (Java's JoinWindows): those of
// the other side with a timestamp from before ms earlier to after ms later than
// that of this side, both included. The zero value joins equal timestamps.
type Join struct {
	before, after, grace int64
	err                  error
}

// Within returns a join window of the given difference to both sides, without
// grace. The difference must not be negative.
func Within(difference time.Duration) Join {
	ms := difference.Milliseconds()
	return Join{before: ms, after: ms}.checked()
}

// Before returns the same window with another reach into the past. It may be
// negative, as long as before plus after is not.
func (w Join) Before(difference time.Duration) Join {
	w.before = difference.Milliseconds()
	return w.checked()
}

// After returns the same window with another reach into the future. It may be
// negative, as long as before plus after is not.
func (w Join) After(difference time.Duration) Join {
	w.after = difference.Milliseconds()
	return w.checked()
}

// Grace returns the same window that takes late records until the stream time
// is grace after its end.
func (w Join) Grace(grace time.Duration) Join {
	w.grace = grace.Milliseconds()
	w.err = invalid(w.err, w.grace < 0, "the grace must not be negative: %v", grace)
	return w
}

// checked is called at every step: as in Java, an interval that is negative for
// the moment is an error even if a later step would mend it.
func (w Join) checked() Join {
	w.err = invalid(w.err, w.before+w.after < 0,
		"before plus after must not be negative: %d ms and %d ms", w.before, w.after)
	return w
}

// Err returns what is wrong with the definition; it matches [ErrInvalid].
func (w Join) Err() error { return w.err }

// BeforeMs returns the reach into the past in milliseconds.
func (w Join) BeforeMs() int64 { return w.before }

// AfterMs returns the reach into the future in milliseconds.
func (w Join) AfterMs() int64 { return w.after }

// SizeMs returns before plus after in milliseconds, the window size of the
// stores of the join.
func (w Join) SizeMs() int64 { return w.before + w.after }

// GraceMs returns the grace in milliseconds.
func (w Join) GraceMs() int64 { return w.grace }
