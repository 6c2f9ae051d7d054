package window_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/window"
)

const ms = time.Millisecond

// TestValidation follows the checks of Java's factories.
func TestValidation(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		bad  bool
	}{
		{"tumbling", window.Tumbling(ms).Err(), false},
		{"tumbling with grace", window.Tumbling(ms).Grace(0).Err(), false},
		{"tumbling of size 0", window.Tumbling(0).Err(), true},
		{"tumbling below a millisecond", window.Tumbling(ms - 1).Err(), true},
		{"tumbling of negative size", window.Tumbling(-ms).Err(), true},
		{"tumbling of negative grace", window.Tumbling(ms).Grace(-ms).Err(), true},
		{"grace below a millisecond is none", window.Tumbling(ms).Grace(-1).Err(), false},
		{"a mended grace stays wrong", window.Tumbling(ms).Grace(-ms).Grace(ms).Err(), true},
		{"zero time windows", window.Time{}.Err(), true},
		{"zero time windows with grace", window.Time{}.Grace(ms).Err(), true},
		{"hopping", window.Hopping(10*ms, 3*ms).Err(), false},
		{"hopping by its size", window.Hopping(10*ms, 10*ms).Err(), false},
		{"hopping by more than its size", window.Hopping(10*ms, 11*ms).Err(), true},
		{"hopping by nothing", window.Hopping(10*ms, 0).Err(), true},
		{"hopping backwards", window.Hopping(10*ms, -ms).Err(), true},
		{"unlimited", window.Unlimited().Err(), false},
		{"unlimited from the epoch", window.Unlimited().From(time.UnixMilli(0)).Err(), false},
		{"unlimited from before the epoch", window.Unlimited().From(time.UnixMilli(-1)).Err(), true},
		{"sliding", window.Slide(0).Grace(0).Err(), false},
		{"sliding of negative difference", window.Slide(-ms).Err(), true},
		{"sliding of negative grace", window.Slide(ms).Grace(-ms).Err(), true},
		{"sessions", window.Sessions(0).Grace(0).Err(), false},
		{"sessions of negative gap", window.Sessions(-ms).Err(), true},
		{"sessions of negative grace", window.Sessions(ms).Grace(-ms).Err(), true},
		{"join", window.Within(0).Grace(0).Err(), false},
		{"join of negative difference", window.Within(-ms).Err(), true},
		{"join with negative before", window.Within(5 * ms).Before(-5 * ms).Err(), false},
		{"join with negative after", window.Within(5 * ms).After(-5 * ms).Err(), false},
		{"join ending before it begins", window.Within(5 * ms).Before(-6 * ms).Err(), true},
		{"join mended too late", window.Within(5 * ms).Before(-6 * ms).After(6 * ms).Err(), true},
		{"join of negative grace", window.Within(ms).Grace(-ms).Err(), true},
	} {
		if (c.err != nil) != c.bad || c.bad && !errors.Is(c.err, window.ErrInvalid) {
			t.Errorf("%s: %v, want an error: %v", c.name, c.err, c.bad)
		}
	}
	if got, want := window.Hopping(10*ms, 11*ms).Err().Error(),
		"invalid window: the advance must be positive and at most the size 10ms, not 11ms"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAccessors(t *testing.T) {
	h := window.Hopping(10*ms, 3*ms).Grace(4 * ms)
	sl := window.Slide(5 * ms).Grace(6 * ms)
	se := window.Sessions(7 * ms).Grace(8 * ms)
	j := window.Within(time.Hour).Before(-2 * ms).After(9 * ms).Grace(ms)
	u := window.Unlimited().From(time.UnixMilli(12))
	got := []int64{
		h.SizeMs(), h.AdvanceMs(), h.GraceMs(), sl.DifferenceMs(), sl.GraceMs(), se.GapMs(), se.GraceMs(),
		j.BeforeMs(), j.AfterMs(), j.SizeMs(), j.GraceMs(), u.StartMs(), u.SizeMs(), u.GraceMs(),
	}
	want := []int64{10, 3, 4, 5, 6, 7, 8, -2, 9, 7, 1, 12, math.MaxInt64, 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if window.Tumbling(ms) != window.Hopping(ms, ms) {
		t.Error("equal definitions differ")
	}
}

func TestAppendWindows(t *testing.T) {
	for _, c := range []struct {
		name    string
		windows window.Windows
		ts      int64
		want    []window.Span
	}{
		{"tumbling at 0", window.Tumbling(10 * ms), 0, []window.Span{{0, 10}}},
		{"tumbling before an end", window.Tumbling(10 * ms), 19, []window.Span{{10, 20}}},
		{"tumbling at an end", window.Tumbling(10 * ms), 20, []window.Span{{20, 30}}},
		{"negative timestamp", window.Tumbling(10 * ms), -1, nil},
		{"hopping at 0", window.Hopping(10*ms, 3*ms), 0, []window.Span{{0, 10}}},
		{"hopping near 0", window.Hopping(10*ms, 3*ms), 7, []window.Span{{0, 10}, {3, 13}, {6, 16}}},
		{"hopping", window.Hopping(10*ms, 3*ms), 21, []window.Span{{12, 22}, {15, 25}, {18, 28}, {21, 31}}},
		{"hopping between", window.Hopping(10*ms, 3*ms), 22, []window.Span{{15, 25}, {18, 28}, {21, 31}}},
		{"unlimited", window.Unlimited(), 5, []window.Span{{0, math.MaxInt64}}},
		{"unlimited at its start", window.Unlimited().From(time.UnixMilli(5)), 5, []window.Span{{5, math.MaxInt64}}},
		{"unlimited before its start", window.Unlimited().From(time.UnixMilli(5)), 4, nil},
		{"the last window that fits", window.Tumbling(ms), math.MaxInt64 - 1, []window.Span{{math.MaxInt64 - 1, math.MaxInt64}}},
	} {
		got, err := c.windows.AppendWindows(nil, c.ts)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
	if got, err := window.Hopping(10*ms, 3*ms).AppendWindows(nil, math.MaxInt64-5); !errors.Is(err, window.ErrBounds) {
		t.Errorf("window behind the last moment: %v, %v", got, err)
	}
}

// TestAppendWindowsIsComplete compares with trying every start.
func TestAppendWindowsIsComplete(t *testing.T) {
	for size := int64(1); size <= 12; size++ {
		for advance := int64(1); advance <= size; advance++ {
			w := window.Hopping(time.Duration(size)*ms, time.Duration(advance)*ms)
			for ts := int64(0); ts <= 40; ts++ {
				var want []window.Span
				for start := int64(0); start <= ts; start += advance {
					if ts < start+size {
						want = append(want, window.Span{Start: start, End: start + size})
					}
				}
				got, err := w.AppendWindows(nil, ts)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Fatalf("size %d, advance %d, at %d: %v %s", size, advance, ts, err, diff)
				}
			}
		}
	}
}
