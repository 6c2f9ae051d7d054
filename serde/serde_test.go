package serde_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/millrace/millrace/record"
	"github.com/millrace/millrace/serde"
)

// failure decodes the bytes and returns the text of the error, "" for none.
func failure[T any](s serde.Serde[T]) func(data string) string {
	return func(data string) string {
		b, err := hex.DecodeString(data)
		if err != nil {
			panic(err)
		}
		if _, err = s.Decode("topic", b); err != nil {
			return err.Error()
		}
		return ""
	}
}

func TestDecodeFailures(t *testing.T) {
	long := failure(serde.List(serde.Int64()))
	text := failure(serde.List(serde.String()))
	for _, c := range []struct {
		name   string
		decode func(string) string
		data   string
		want   string
	}{
		{"short", failure(serde.Int16()), "00", "decode int16: wanted 2 bytes, got 1"},
		{"integer", failure(serde.Int32()), "0000000000", "decode int32: wanted 4 bytes, got 5"},
		{"long", failure(serde.Int64()), "00000001", "decode int64: wanted 8 bytes, got 4"},
		{"int", failure(serde.Int()), "", "decode int: wanted 8 bytes, got 0"},
		{"float", failure(serde.Float32()), "00", "decode float32: wanted 4 bytes, got 1"},
		{"double", failure(serde.Float64()), "00", "decode float64: wanted 8 bytes, got 1"},
		{"boolean length", failure(serde.Bool()), "0101", "decode bool: wanted 1 bytes, got 2"},
		{"boolean byte", failure(serde.Bool()), "02", "decode bool: wanted 0 or 1, got byte 0x02"},
		{"void", failure(serde.Void()), "", "decode void: wanted null, got bytes"},
		{"uuid", failure(serde.UUID()), "78", `decode uuid: "x" is not a uuid`},
		{"json", failure(serde.JSON[int]()), "78", "decode json(int): invalid character 'x' looking for beginning of value"},
		{"list without bytes", long, "", "decode list(int64): the bytes end too early"},
		{"list layout", long, "02", "decode list(int64): unknown layout 2"},
		{"list of variable entries", text, "00000000000000000000", "decode list(string): the entries have a constant size, those of the inner serde do not"},
		{"list with too many nulls", long, "000000000300000000", "decode list(int64): 3 null entries in 9 bytes"},
		{"list with negative nulls", long, "00ffffffff00000000", "decode list(int64): -1 null entries in 9 bytes"},
		{"list with too many entries", long, "00000000000000000a", "decode list(int64): 10 entries in 9 bytes"},
		{"list with negative size", text, "01ffffffff", "decode list(string): -1 entries in 5 bytes"},
		{"list cut in an entry", long, "00000000000000000100", "decode list(int64): entry 0: the bytes end too early"},
		{"list cut in a variable entry", text, "01000000010000000361", "decode list(string): entry 0: the bytes end too early"},
		{"list entry too long", text, "010000000100ffffff61", "decode list(string): entry 0: length 16777215 in 10 bytes"},
		{"list entry of negative size", text, "0100000001fffffffe", "decode list(string): entry 0: length -2 in 9 bytes"},
		{"list with a null it cannot hold", text, "0100000001ffffffff", "decode list(string): entry 0: is null, which the entry type cannot hold; make the entries Nullable"},
		{"list with a bad entry", failure(serde.List(serde.Bool())), "01000000010000000107", "decode list(bool): entry 0: decode bool: wanted 0 or 1, got byte 0x07"},
	} {
		if got := c.decode(c.data); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	_, err := serde.Int64().Decode("topic", []byte{1})
	var length *serde.LengthError
	if !errors.As(err, &length) || *length != (serde.LengthError{Type: "int64", Want: 8, Got: 1}) {
		t.Errorf("got %v, want a LengthError", err)
	}
}

// TestParseUUID has the answers of Java's UUID.fromString.
func TestParseUUID(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"123e4567-E89B-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"},
		{"1-2-3-4-5", "00000001-0002-0003-0004-000000000005"},
		{"+1-2-3-4-5", "00000001-0002-0003-0004-000000000005"},
		{"123456789-12345-3-4-5", "23456789-2345-0003-0004-000000000005"},
		{"7fffffffffffffff-1-1-1-1", "ffffffff-0001-0001-0001-000000000001"},
		{"0000000000000000000000001-1-1-1-1", "00000001-0001-0001-0001-000000000001"},
		{"ffffffffffffffff-1-1-1-1", ""},
		{"1-2-3-4", ""},
		{"1-2-3-4-5-", ""},
		{"-1-2-3-4-5", ""},
		{"1--3-4-5", ""},
		{"", ""},
		{"+-1-1-1-1", ""},
		{" 1-2-3-4-5", ""},
		{"0x1-2-3-4-5", ""},
		{"1_0-2-3-4-5", ""},
		{"01234567-89AB-cdef-0123-456789abcdeg", ""},
		{"01234567-89AB-cdef-0123-456789abcdef0", ""},
	} {
		id, err := serde.ParseUUID(c.in)
		got := serde.FormatUUID(id)
		if err != nil {
			got = ""
		}
		if got != c.want {
			t.Errorf("%q: got %q (%v), want %q", c.in, got, err, c.want)
		}
		if id2, err2 := serde.UUID().Decode("topic", []byte(c.in)); id2 != id || (err == nil) != (err2 == nil) {
			t.Errorf("%q: the serde reads %x, %v", c.in, id2, err2)
		}
	}
	type ID [16]byte
	id, err := serde.UUIDOf[ID]().Decode("topic", []byte("1-2-3-4-5"))
	if err != nil || id[15] != 5 {
		t.Errorf("named type: %x, %v", id, err)
	}
}

func TestBytesKeepNilAndEmptyApart(t *testing.T) {
	s := serde.Bytes()
	if _, err := s.Append(nil, "topic", nil); !errors.Is(err, serde.ErrNull) {
		t.Errorf("append nil: %v, want ErrNull", err)
	}
	v, err := s.Decode("topic", []byte{})
	if err != nil || v == nil || len(v) != 0 {
		t.Errorf("decode of nothing: %#v, %v, want an empty slice", v, err)
	}
	data := []byte{1, 2}
	v, err = s.Decode("topic", data)
	data[0] = 9
	if err != nil || !bytes.Equal(v, []byte{1, 2}) {
		t.Errorf("decoded value changed with its input: %x, %v", v, err)
	}
}

func TestIntIsALong(t *testing.T) {
	got, err := serde.Int().Append(nil, "topic", -2)
	if err != nil || hex.EncodeToString(got) != "fffffffffffffffe" {
		t.Fatalf("got %x, %v", got, err)
	}
	v, err := serde.Int().Decode("topic", got)
	if err != nil || v != -2 {
		t.Fatalf("got %d, %v", v, err)
	}
	list, err := serde.List(serde.Int()).Append(nil, "topic", []int{1})
	if err != nil || hex.EncodeToString(list) != "0000000000000000010000000000000001" {
		t.Errorf("list: %x, %v, want the layout of a list of longs", list, err)
	}
}

// TestNaN checks that reading keeps the payload of a double that writing drops.
func TestNaN(t *testing.T) {
	data := []byte{0x7f, 0xf8, 0, 0, 0, 0, 1, 0x23}
	v, err := serde.Float64().Decode("topic", data)
	if err != nil || math.Float64bits(v) != 0x7ff8000000000123 {
		t.Errorf("got %x, %v", math.Float64bits(v), err)
	}
}

type trip struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

func TestJSON(t *testing.T) {
	s := serde.JSON[trip]()
	got, err := s.Append([]byte("x"), "topic", trip{Name: "a<b>&c"})
	if want := `x{"name":"a<b>&c","tags":null}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	v, err := s.Decode("topic", []byte(`{"name":"n","tags":["t"]}`))
	if diff := cmp.Diff(trip{Name: "n", Tags: []string{"t"}}, v); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if _, err := s.Decode("topic", []byte(`{} {}`)); err == nil {
		t.Error("two values decoded as one")
	}
	if _, err := serde.JSON[func()]().Append(nil, "topic", nil); err == nil || !strings.HasPrefix(err.Error(), "encode json(func()): ") {
		t.Errorf("function: %v", err)
	}
}

// TestListRoundTrip includes lists that end with an empty entry, which Java
// cannot read.
func TestListRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.Ptr(rapid.String(), true)).Draw(t, "texts")
		roundTrip(t, serde.List(serde.Nullable(serde.String())), texts)
		longs := rapid.SliceOf(rapid.Ptr(rapid.Int64(), true)).Draw(t, "longs")
		roundTrip(t, serde.List(serde.Nullable(serde.Int64())), longs)
		nested := rapid.SliceOf(rapid.Ptr(rapid.SliceOf(rapid.Int32()), true)).Draw(t, "nested")
		roundTrip(t, serde.List(serde.Nullable(serde.List(serde.Int32()))), nested)
	})
}

func roundTrip[T any](t *rapid.T, s serde.Serde[[]T], v []T) {
	data, err := s.Append(nil, "topic", v)
	if err != nil {
		t.Fatal(err)
	}
	back, err := s.Decode("topic", append(data, "ignored"...))
	if err != nil {
		t.Fatalf("decode %x: %v", data, err)
	}
	if diff := cmp.Diff(v, back); diff != "" {
		t.Fatalf("%x: %s", data, diff)
	}
}

func TestListOfNilableEntries(t *testing.T) {
	got, err := serde.List(serde.Bytes()).Append(nil, "topic", [][]byte{nil, {}, {7}})
	if want := "0100000003ffffffff000000000000000107"; err != nil || hex.EncodeToString(got) != want {
		t.Fatalf("got %x, %v, want %s", got, err, want)
	}
	back, err := serde.List(serde.Bytes()).Decode("topic", got)
	if err != nil || back[0] != nil || back[1] == nil || !bytes.Equal(back[2], []byte{7}) {
		t.Errorf("got %#v, %v", back, err)
	}
	got, err = serde.List(serde.JSON[any]()).Append(nil, "topic", []any{nil, 1})
	if want := "0100000002ffffffff0000000131"; err != nil || hex.EncodeToString(got) != want {
		t.Errorf("interfaces: %x, %v, want %s", got, err, want)
	}
	got, err = serde.List(serde.Void()).Append(nil, "topic", []serde.None{nil})
	if want := "0100000001ffffffff"; err != nil || hex.EncodeToString(got) != want {
		t.Errorf("void: %x, %v, want %s", got, err, want)
	}
	// Null indexes in any order, one twice and one out of range.
	foolish, _ := hex.DecodeString("00" + "00000004" + "00000002" + "00000000" + "00000000" + "00000009" + "00000003" + "00000005")
	longs, err := serde.List(serde.Nullable(serde.Int32())).Decode("topic", foolish)
	five := int32(5)
	if diff := cmp.Diff([]*int32{nil, &five, nil}, longs); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	// Entries of a fixed size are also read from the other layout.
	shorts, err := serde.List(serde.Int16()).Decode("topic", []byte{1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2})
	if diff := cmp.Diff([]int16{0x0102}, shorts); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// tagged writes the length of the value into a header and reads it from there.
type tagged struct{ serde.Serde[string] }

func (s tagged) AppendWithHeaders(dst []byte, topic string, h *record.Headers, v string) ([]byte, error) {
	if v == "gone" {
		return dst, serde.ErrNull
	}
	h.Add("tag", []byte(v))
	return dst, nil
}

func (s tagged) DecodeWithHeaders(_ string, h *record.Headers, data []byte) (string, error) {
	v, ok := h.Last("tag")
	if !ok {
		return "", serde.ErrNull
	}
	return string(v), nil
}

func TestHeadersReachInnerSerdes(t *testing.T) {
	s, ok := serde.List(serde.Nullable[string](tagged{serde.String()})).(serde.HeaderSerde[[]*string])
	if !ok {
		t.Fatal("a list passes no headers on")
	}
	h := record.NewHeaders()
	text := "v"
	data, err := s.AppendWithHeaders(nil, "topic", h, []*string{&text})
	if err != nil || hex.EncodeToString(data) != "010000000100000000" {
		t.Fatalf("got %x, %v", data, err)
	}
	back, err := s.DecodeWithHeaders("topic", h, data)
	if err != nil || len(back) != 1 || *back[0] != "v" {
		t.Fatalf("got %v, %v", back, err)
	}
	// An inner null is never the null of the list.
	gone := "gone"
	if _, err := s.AppendWithHeaders(nil, "topic", h, []*string{&gone}); err == nil || errors.Is(err, serde.ErrNull) {
		t.Errorf("append of an inner null: %v", err)
	}
	back, err = s.DecodeWithHeaders("topic", record.NewHeaders(), data)
	if err != nil || len(back) != 1 || back[0] != nil {
		t.Errorf("decode of an inner null: %v, %v", back, err)
	}
	plain := serde.List[string](tagged{serde.String()}).(serde.HeaderSerde[[]string])
	if _, err := plain.DecodeWithHeaders("topic", record.NewHeaders(), data); err == nil || errors.Is(err, serde.ErrNull) {
		t.Errorf("decode of an inner null into a string: %v", err)
	}
}

func TestNameOf(t *testing.T) {
	for _, c := range []struct {
		s    any
		want string
	}{
		{nil, "none"},
		{serde.String(), "string"},
		{serde.Bytes(), "bytes"},
		{serde.Void(), "void"},
		{serde.JSON[trip](), "json(serde_test.trip)"},
		{serde.List(serde.Nullable(serde.UUID())), "list(nullable(uuid))"},
		{tagged{}, "serde_test.tagged"},
	} {
		if got := serde.NameOf(c.s); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
