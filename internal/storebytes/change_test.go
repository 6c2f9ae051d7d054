package storebytes

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func checkChange(t *testing.T, v vector, data []byte) {
	want := Change{Latest: v.Inputs.IsLatest == nil || *v.Inputs.IsLatest}
	if v.Inputs.Old != nil {
		want.Old = []byte(*v.Inputs.Old)
	}
	if v.Inputs.New != nil {
		want.New = []byte(*v.Inputs.New)
	}
	got, err := ParseChange(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(v.Name, "read_only") {
		return
	}
	out, err := AppendChange([]byte("x"), want.Old, want.New, want.Old != nil, want.New != nil)
	if err != nil || hex.EncodeToString(out[1:]) != *v.Hex {
		t.Errorf("got %x, %v, want 78%s", out, err, *v.Hex)
	}
}

func TestChangeErrors(t *testing.T) {
	if _, err := AppendChange(nil, nil, nil, false, false); err == nil {
		t.Error("a change without sides was written")
	}
	for _, bad := range []string{"", "\x06", "x\xff", "\x03", "old\x02\x03", "\x08abc\x02", "\x01abc\x02", "\x02"} {
		if c, err := ParseChange([]byte(bad)); err == nil {
			t.Errorf("%q: got %+v", bad, c)
		}
	}
	// An empty value is present, an absent one is not.
	c, err := ParseChange([]byte{changeNew})
	if err != nil || c.New == nil || c.Old != nil {
		t.Errorf("got %#v, %v", c, err)
	}
}

func TestSplitsChanges(t *testing.T) {
	for release, want := range map[string]bool{"": false, "2.4": true, "3.4": true, "3.5": false, "4.2": false} {
		if SplitsChanges(release) != want {
			t.Errorf("%q: got %t", release, !want)
		}
	}
}

func TestAppendChangeAllocatesNothing(t *testing.T) {
	buf, a, b := make([]byte, 0, 64), []byte("old"), []byte("new")
	if n := testing.AllocsPerRun(100, func() {
		out, err := AppendChange(buf, a, b, true, true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseChange(out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
