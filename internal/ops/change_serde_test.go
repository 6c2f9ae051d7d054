package ops

import (
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

func TestChangeSerde(t *testing.T) {
	s := ChangeSerde(serde.String())
	for _, c := range []struct {
		change processor.Change[string]
		hex    string
	}{
		{processor.Change[string]{New: "new", HasNew: true, Old: "old", HasOld: true}, "066e65776f6c6402"},
		{processor.Change[string]{New: "new", HasNew: true}, "6e657701"},
		{processor.Change[string]{Old: "old", HasOld: true}, "6f6c6400"},
		{processor.Change[string]{HasNew: true}, "01"},
		{processor.Change[string]{HasNew: true, HasOld: true}, "0002"},
	} {
		got, err := s.Append([]byte("x"), "t", c.change)
		if err != nil || hex.EncodeToString(got) != "78"+c.hex {
			t.Errorf("%+v: %x, %v, want %s", c.change, got, err, c.hex)
			continue
		}
		back, err := s.Decode("t", got[1:])
		if d := cmp.Diff(c.change, back); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
	}
	if _, err := s.Append(nil, "t", processor.Change[string]{}); err == nil {
		t.Error("a change without values was written")
	}
	if c, err := s.Decode("t", []byte("new\x00\x04")); err != nil || c.New != "new" || !c.Stale {
		t.Errorf("stale form: %+v, %v", c, err)
	}
	if _, err := s.Decode("t", nil); err == nil {
		t.Error("no bytes were read as a change")
	}
}

func TestChangeSerdeNulls(t *testing.T) {
	s := ChangeSerde(serde.Nullable(serde.String()))
	if _, err := s.Append(nil, "t", processor.Change[*string]{HasNew: true}); err == nil || errors.Is(err, serde.ErrNull) {
		t.Errorf("a half that its serde writes as null: %v", err)
	}
	c, err := s.Decode("t", []byte("a\x01"))
	if err != nil || !c.HasNew || *c.New != "a" || c.HasOld {
		t.Errorf("%+v, %v", c, err)
	}
}

// tagged writes a header for each value.
type tagged struct{ serde.Serde[string] }

func (s tagged) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v string) ([]byte, error) {
	h.Add("value", []byte(v))
	return s.Append(dst, topic, v)
}

func (s tagged) DecodeWithHeaders(topic string, h *record.Headers, data []byte) (string, error) {
	tag, _ := h.Last("value")
	v, err := s.Decode(topic, data)
	return v + string(tag), err
}

func TestChangeSerdePassesHeaders(t *testing.T) {
	s, h := ChangeSerde[string](tagged{serde.String()}), &record.Headers{}
	data, err := s.AppendWithHeaders(nil, "t", h, processor.Change[string]{New: "n", HasNew: true, Old: "o", HasOld: true})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]record.Header{{Key: "value", Value: []byte("n")}, {Key: "value", Value: []byte("o")}}, h.All()); d != "" {
		t.Error(d)
	}
	c, err := s.DecodeWithHeaders("t", h, data)
	if err != nil || c.New != "no" || c.Old != "oo" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestChangeSerdeAllocatesNothing(t *testing.T) {
	s, buf := ChangeSerde(serde.String()), make([]byte, 0, 64)
	c := processor.Change[string]{New: "new", HasNew: true, Old: "old", HasOld: true}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := s.Append(buf, "t", c); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
