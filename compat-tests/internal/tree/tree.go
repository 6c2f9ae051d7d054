// Package tree is JSON as the scenario language and the goldens need it: with
// member order, strict about duplicates, and written in one canonical form. It
// owns parsing, the two written forms and the comparison of two documents. It
// refuses to know what the members mean.
package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A node is one of nil, bool, string, int64, [Number], []any (of nodes) and
// *[Object].

// Number is the text of a JSON number that is not an integer of 64 bits.
type Number string

// Object is a JSON object that remembers the order of its members.
type Object struct {
	names  []string
	values map[string]any
}

// NewObject returns an object with the given names and values in turn; it
// panics on a name that is not a string, which is a programmer's error.
func NewObject(namesAndValues ...any) *Object {
	o := &Object{values: make(map[string]any, len(namesAndValues)/2)}
	for i := 0; i < len(namesAndValues); i += 2 {
		o.Set(namesAndValues[i].(string), namesAndValues[i+1])
	}
	return o
}

// Set gives a member a value; a new member goes to the end, a known one keeps
// its place.
func (o *Object) Set(name string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, known := o.values[name]; !known {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// Get returns a member's value and whether there is such a member.
func (o *Object) Get(name string) (any, bool) {
	v, ok := o.values[name]
	return v, ok
}

// Names returns the members' names in order; the slice is not to be changed.
func (o *Object) Names() []string { return o.names }

// Len returns the number of members.
func (o *Object) Len() int { return len(o.names) }

// Without returns a copy that lacks one member.
func (o *Object) Without(name string) *Object {
	c := NewObject()
	for _, n := range o.names {
		if n != name {
			c.Set(n, o.values[n])
		}
	}
	return c
}

// Parse reads one JSON value; a duplicate member or text after the value is an
// error.
func Parse(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := readValue(d)
	if err != nil {
		return nil, fmt.Errorf("parse JSON at byte %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("parse JSON at byte %d: text after the value", d.InputOffset())
	}
	return v, nil
}

func readValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	return readAfter(d, t)
}

// readAfter reads the value whose first token is t.
func readAfter(d *json.Decoder, t json.Token) (any, error) {
	switch x := t.(type) {
	case json.Delim:
		if x == '{' {
			return readObject(d)
		}
		return readArray(d)
	case json.Number:
		if i, err := strconv.ParseInt(x.String(), 10, 64); err == nil {
			return i, nil
		}
		return Number(x.String()), nil
	default:
		return t, nil
	}
}

func readObject(d *json.Decoder) (any, error) {
	o := NewObject()
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := t.(string)
		if _, dup := o.Get(name); dup {
			return nil, fmt.Errorf("duplicate member %q", name)
		}
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		o.Set(name, v)
	}
	_, err := d.Token()
	return o, err
}

func readArray(d *json.Decoder) (any, error) {
	l := []any{}
	for d.More() {
		v, err := readValue(d)
		if err != nil {
			return nil, err
		}
		l = append(l, v)
	}
	_, err := d.Token()
	return l, err
}
