package storebytes

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/millrace/millrace/record"
)

const sharedContext = "0000018bcfe56800 000000000000002a 00000002 696e 00000003 00000000"

func contextOfVectors() record.Context {
	return record.Context{Timestamp: 1700000000000, Offset: 42, Topic: "in", Partition: 3, Headers: record.NewHeaders()}
}

func plain(t *testing.T, parts ...string) []byte {
	return unhex(t, strings.ReplaceAll(strings.Join(parts, ""), " ", ""))
}

func blob(s string) []byte { return []byte(s) }

// TestBuffered holds what Kafka Streams 4.3.1 wrote.
func TestBuffered(t *testing.T) {
	for name, c := range map[string]struct {
		prior, old, new []byte
		want            string
	}{
		"first insert":      {nil, nil, blob("n"), "ffffffff ffffffff 00000001 6e"},
		"prior equals old":  {blob("o"), blob("o"), blob("n"), "00000001 6f fffffffe 00000001 6e"},
		"prior differs":     {blob("p"), blob("o"), blob("n"), "00000001 70 00000001 6f 00000001 6e"},
		"delete":            {blob("p"), blob("o"), nil, "00000001 70 00000001 6f ffffffff"},
		"prior null":        {nil, blob("o"), blob("n"), "ffffffff 00000001 6f 00000001 6e"},
		"empty is not null": {[]byte{}, []byte{}, []byte{}, "00000000 fffffffe 00000000"},
	} {
		t.Run(name, func(t *testing.T) {
			b := Buffered{Context: contextOfVectors(), Prior: c.prior, Old: c.old, New: c.new, Time: 1234}
			want := plain(t, sharedContext, c.want, "00000000000004d2")
			got := AppendBuffered(nil, &b)
			if d := cmp.Diff(hex.EncodeToString(want), hex.EncodeToString(got)); d != "" {
				t.Errorf("(-Java +ours)\n%s", d)
			}
			back, err := ParseBuffered([]byte{BufferedVersion}, want, record.Context{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(b, back, cmp.AllowUnexported(record.Headers{}), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("read back (-want +got)\n%s", d)
			}
			if (back.Old == nil) != (c.old == nil) || (back.New == nil) != (c.new == nil) || (back.Prior == nil) != (c.prior == nil) {
				t.Errorf("nulls: %v", back)
			}
		})
	}
}

// TestBufferedOfOldReleases reads the forms that 4.3.1 reads and no longer
// writes.
func TestBufferedOfOldReleases(t *testing.T) {
	own := record.Context{Topic: "changelog", Offset: 7, Timestamp: 5, Headers: record.NewHeaders()}
	three := plain(t, sharedContext, "00000001 70 00000001 6f 00000001 6e 00000000000004d2")
	for name, c := range map[string]struct {
		version, data []byte
		held          []byte
		prior         string
		context       record.Context
	}{
		"0":          {nil, plain(t, "00000000000004d2 00000001 6f 00000001 6e"), nil, "o", own},
		"0 held":     {nil, plain(t, "00000000000004d2 00000001 6f 00000001 6e"), blob("h"), "h", own},
		"1":          {[]byte{1}, plain(t, "00000000000004d2", sharedContext, "0000000a 00000001 6f 00000001 6e"), nil, "o", contextOfVectors()},
		"2":          {[]byte{2}, plain(t, sharedContext, "0000000a 00000001 6f 00000001 6e 00000001 70 00000000000004d2"), nil, "p", contextOfVectors()},
		"3 called 2": {[]byte{2}, three, nil, "p", contextOfVectors()},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseBuffered(c.version, c.data, own, c.held)
			if err != nil {
				t.Fatal(err)
			}
			want := Buffered{Context: c.context, Prior: blob(c.prior), Old: blob("o"), New: blob("n"), Time: 1234}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(record.Headers{}), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
	if _, err := ParseBuffered([]byte{9}, three, own, nil); err == nil {
		t.Error("an unknown version was read")
	}
	for n := range three {
		if _, err := ParseBuffered([]byte{3}, three[:n], own, nil); err == nil {
			t.Errorf("%d of %d bytes were read", n, len(three))
		}
	}
}
