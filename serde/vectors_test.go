package serde_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/millrace/millrace/serde"
)

// vector is what the JVM's serde wrote for one value. Hex is nil for null.
type vector struct {
	Name   string
	Inputs struct {
		Value   json.RawMessage
		Backing string
		Limit   int
	}
	Hex *string
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// check appends v behind a prefix, compares with the vector, reads the bytes
// back and appends again: what was read must have the same bytes.
func check[T any](t *testing.T, s serde.Serde[T], vec vector, v T) {
	t.Helper()
	got, err := s.Append([]byte("x"), "topic", v)
	if vec.Hex == nil {
		if !errors.Is(err, serde.ErrNull) {
			t.Fatalf("append: %x, %v, want ErrNull", got, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if h := hex.EncodeToString(got); h != "78"+*vec.Hex {
		t.Fatalf("append: %s behind 78, want %s", h, *vec.Hex)
	}
	data := bytes.Clone(got[1:])
	back, err := s.Decode("topic", data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data) // what was decoded must not lie in it
	again, err := s.Append(nil, "topic", back)
	if err != nil || hex.EncodeToString(again) != *vec.Hex {
		t.Fatalf("append of what was decoded (%v): %x, %v, want %s", back, again, err, *vec.Hex)
	}
}

// value checks the JSON of a vector as a T, null as a nil pointer.
func value[T any](s serde.Serde[T]) func(*testing.T, vector) {
	return parsed(s, func(raw []byte) (v T, err error) { return v, json.Unmarshal(raw, &v) })
}

func parsed[T any](s serde.Serde[T], parse func([]byte) (T, error)) func(*testing.T, vector) {
	return func(t *testing.T, vec vector) {
		if string(vec.Inputs.Value) == "null" {
			check(t, serde.Nullable(s), vec, nil)
			return
		}
		v, err := parse(vec.Inputs.Value)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s, vec, v)
		check(t, serde.Nullable(s), vec, &v)
	}
}

func quoted[T any](parse func(string) (T, error)) func([]byte) (T, error) {
	return func(raw []byte) (T, error) {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			var zero T
			return zero, err
		}
		return parse(s)
	}
}

func parseFloat64(s string) (float64, error) {
	if rest, ok := strings.CutPrefix(s, "NaN with bits 0x"); ok {
		bits, err := strconv.ParseUint(rest, 16, 64)
		return math.Float64frombits(bits), err
	}
	return strconv.ParseFloat(s, 64)
}

func parseFloat32(s string) (float32, error) {
	if rest, ok := strings.CutPrefix(s, "NaN with bits 0x"); ok {
		bits, err := strconv.ParseUint(rest, 16, 32)
		return math.Float32frombits(uint32(bits)), err
	}
	f, err := strconv.ParseFloat(s, 32)
	return float32(f), err
}

func TestVectors(t *testing.T) {
	unhex := quoted(hex.DecodeString)
	byFamily := map[string]func(*testing.T, vector){
		"short":     value(serde.Int16()),
		"integer":   value(serde.Int32()),
		"long":      value(serde.Int64()),
		"float":     parsed(serde.Float32(), quoted(parseFloat32)),
		"double":    parsed(serde.Float64(), quoted(parseFloat64)),
		"string":    value(serde.String()),
		"uuid":      parsed(serde.UUID(), quoted(serde.ParseUUID)),
		"bytes":     parsed(serde.Bytes(), unhex),
		"bytearray": parsed(serde.Bytes(), unhex),
		"boolean":   value(serde.Bool()),
		"void":      value(serde.Void()),
	}
	byName := map[string]func(*testing.T, vector){
		// The three-byte form is how a Go string carries a lone surrogate.
		"serde/string/unpaired_surrogate": parsed(serde.String(), func([]byte) (string, error) { return "a\xed\xa0\x80b", nil }),
		// Only the bytes from 0 to the limit count; in Go that is a slice.
		"serde/bytebuffer/full": parsed(serde.Bytes(), func([]byte) ([]byte, error) { return []byte{1, 2, 3}, nil }),
		"serde/bytebuffer/position_ignored_limit_kept": func(t *testing.T, vec vector) {
			backing, err := hex.DecodeString(vec.Inputs.Backing)
			if err != nil {
				t.Fatal(err)
			}
			check(t, serde.Bytes(), vec, backing[:vec.Inputs.Limit])
		},
		"serde/list/integer_with_null":   value(serde.List(serde.Nullable(serde.Int32()))),
		"serde/list/integer_all_null":    value(serde.List(serde.Nullable(serde.Int32()))),
		"serde/list/integer_empty":       value(serde.List(serde.Int32())),
		"serde/list/long":                value(serde.List(serde.Int64())),
		"serde/list/short":               value(serde.List(serde.Int16())),
		"serde/list/float":               value(serde.List(serde.Float32())),
		"serde/list/double":              value(serde.List(serde.Float64())),
		"serde/list/uuid":                parsed(serde.List(serde.Nullable(serde.UUID())), parseUUIDs),
		"serde/list/string_variable":     value(serde.List(serde.Nullable(serde.String()))),
		"serde/list/string_empty":        value(serde.List(serde.String())),
		"serde/list/boolean_is_variable": value(serde.List(serde.Bool())),
		"serde/list/null":                value(serde.List(serde.Int32())),
		"serde/list/nested":              value(serde.List(serde.List(serde.Int32()))),
	}
	vectors := readVectors(t)
	if len(vectors) != 75 {
		t.Fatalf("%d vectors, want 75", len(vectors))
	}
	for _, vec := range vectors {
		run := byName[vec.Name]
		if run == nil {
			run = byFamily[strings.Split(vec.Name, "/")[1]]
		}
		t.Run(vec.Name, func(t *testing.T) {
			if run == nil {
				t.Fatal("nothing checks this vector")
			}
			run(t, vec)
		})
	}
}

func parseUUIDs(raw []byte) ([]*[16]byte, error) {
	var texts []*string
	if err := json.Unmarshal(raw, &texts); err != nil {
		return nil, err
	}
	out := make([]*[16]byte, len(texts))
	for i, text := range texts {
		if text == nil {
			continue
		}
		id, err := serde.ParseUUID(*text)
		if err != nil {
			return nil, err
		}
		out[i] = &id
	}
	return out, nil
}

// TestMalformedText compares with what the JVM makes of malformed bytes.
func TestMalformedText(t *testing.T) {
	f, err := os.Open("testdata/utf8-decoded.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := serde.String()
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		n++
		in, want, _ := strings.Cut(sc.Text(), " ")
		data, err := hex.DecodeString(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Decode("topic", data)
		if err != nil || hex.EncodeToString([]byte(got)) != want {
			t.Errorf("decode %s: %x, %v, want %s", in, got, err, want)
		}
		// Writing malformed text gives what reading it would have given, but
		// for surrogates.
		written, err := s.Append(nil, "topic", string(data))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(in, "ed") && hex.EncodeToString(written) != want {
			t.Errorf("append %s: %x, want %s", in, written, want)
		}
	}
	if n < 1000 {
		t.Fatalf("only %d samples", n)
	}
}
