package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseIsStrict(t *testing.T) {
	for _, bad := range []string{`{"a":1,"a":2}`, `{} {}`, `{`, `[1,]`, ``, `{"a":{"b":1,"b":1}}`} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("Parse(%s) gave no error", bad)
		}
	}
}

func TestCompactForm(t *testing.T) {
	for in, want := range map[string]string{
		`{ "b" : [1, -2, 3.50], "a" : null }`:         `{"b":[1,-2,3.50],"a":null}`,
		`"q\" b\\ n\n r\r t\t \u0001 \u001F /\/ é 😀"`: `"q\" b\\ n\n r\r t\t \u0001 \u001f // é 😀"`,
		`[]`: `[]`, `{}`: `{}`, `[true,false]`: `[true,false]`,
		`12345678901234567890`: `12345678901234567890`,
	} {
		n, err := Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := Compact(n); got != want {
			t.Errorf("Compact(%s) = %s, want %s", in, got, want)
		}
	}
}

// Every committed golden must come back from parse and write byte for byte.
func TestFileFormIsThatOfTheGoldens(t *testing.T) {
	files, err := filepath.Glob("../../corpus/*/golden/*.json")
	if err != nil || len(files) < 400 {
		t.Fatalf("found %d goldens, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n, err := Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if File(n) != string(data) {
			t.Errorf("%s: written form differs", f)
		}
	}
}

func TestDiffNamesTheFirstDifference(t *testing.T) {
	for _, c := range []struct{ want, got, path string }{
		{`{"a":1}`, `{"a":1}`, ""},
		{`{"a":[1,{"b":2}]}`, `{"a":[1,{"b":3}]}`, "a[1].b"},
		{`{"a":[1]}`, `{"a":[1,2]}`, "a[1]"},
		{`{"a":1,"b":2}`, `{"a":1}`, "b"},
		{`{"a":1}`, `{"a":1,"b":2}`, "b"},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, "(order of members)"},
		{`{"a":null}`, `{}`, "a"},
		{`{"a":"1"}`, `{"a":1}`, "a"},
	} {
		w, _ := Parse([]byte(c.want))
		g, _ := Parse([]byte(c.got))
		d := Diff(w, g)
		got := ""
		if d != nil {
			got = d.Path
		}
		if got != c.path {
			t.Errorf("Diff(%s, %s) at %q, want %q", c.want, c.got, got, c.path)
		}
	}
}

func TestDifferenceIsReadable(t *testing.T) {
	d := Diff([]any{"x"}, []any{})
	if s := d.String(); !strings.Contains(s, `want "x"`) || !strings.Contains(s, "got  (nothing)") {
		t.Errorf("shown as %s", s)
	}
}

func TestOrderOfNames(t *testing.T) {
	names := []string{"\uffee", "b", "\U0001F600", "a", "ab", ""}
	SortNames(names)
	if got, want := strings.Join(names, "|"), "|a|ab|b|\U0001F600|\uffee"; got != want {
		t.Errorf("sorted %q, want %q", got, want)
	}
}
