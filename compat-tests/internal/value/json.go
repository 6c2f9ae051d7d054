package value

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/serde"
)

// Encode turns the JSON of an input record's key or value into bytes by the
// serde its topic declares; nil means null. The name is empty for a topic that
// declares none, into which only null and hex may be piped.
func Encode(node any, serdeName, topic string) ([]byte, error) {
	if node == nil {
		return nil, nil
	}
	if o, ok := node.(*tree.Object); ok {
		if h, ok := o.Get("hex"); ok && o.Len() == 1 {
			if s, ok := h.(string); ok {
				return Unhex(s)
			}
		}
		return nil, &Fault{"cannot encode " + tree.Compact(node)}
	}
	if serdeName == "" {
		return nil, &Fault{"topic " + topic + " has no declared serde; only {\"hex\":..} or null may be piped into it"}
	}
	s, err := wire(serdeName)
	if err != nil {
		return nil, err
	}
	v, err := typed(node, s.Name)
	if err != nil {
		return nil, err
	}
	return s.Append([]byte{}, topic, v)
}

// wire is the serde that inputs are encoded and outputs decoded with: it must
// be able to write what the poison serde cannot read.
func wire(name string) (Serde, error) {
	if name == "poison" {
		name = "string"
	}
	return NewSerde(name)
}

// Decode gives the text of an output record's key or value; false means that
// the serde cannot read the bytes.
func Decode(data []byte, serdeName, topic string) (text any, ok bool) {
	if data == nil {
		return nil, true
	}
	s, err := wire(serdeName)
	if err != nil {
		return nil, false
	}
	v, err := s.Decode(topic, data)
	if err != nil && !errors.Is(err, serde.ErrNull) {
		return nil, false
	}
	return Str(v), true
}

// typed reads JSON as a value of a serde's type.
func typed(node any, name string) (any, error) {
	if node == nil {
		return nil, nil
	}
	kind, rest, _ := strings.Cut(name, ":")
	switch x := node.(type) {
	case string:
		switch kind {
		case "string":
			return x, nil
		case "uuid":
			return serde.ParseUUID(x)
		}
	case bool:
		if kind == "boolean" {
			return x, nil
		}
	case int64:
		return number(x, float64(x), kind)
	case tree.Number:
		d, err := strconv.ParseFloat(string(x), 64)
		if err == nil && (kind == "double" || kind == "float") {
			return number(0, d, kind)
		}
	case []any:
		if kind == "list" {
			return typedList(x, rest)
		}
		if len(x) == 3 {
			return typedWindow(x, kind, rest)
		}
	}
	return nil, cannot(node, name)
}

func cannot(node any, name string) error {
	return &Fault{fmt.Sprintf("cannot encode %s as %s", tree.Compact(node), name)}
}

func number(i int64, d float64, kind string) (any, error) {
	switch kind {
	case "long":
		return i, nil
	case "int":
		return int32(i), nil
	case "short":
		return int16(i), nil
	case "double":
		return d, nil
	case "float":
		return float32(d), nil
	}
	return nil, cannot(i, kind)
}

func typedList(nodes []any, inner string) (any, error) {
	l := make([]any, len(nodes))
	for i, n := range nodes {
		v, err := typed(n, inner)
		if err != nil {
			return nil, err
		}
		l[i] = v
	}
	return l, nil
}

func typedWindow(nodes []any, kind, rest string) (any, error) {
	inner := rest
	if kind == "timeWindowed" {
		inner = rest[:max(0, strings.LastIndexByte(rest, ':'))]
	}
	key, err := typed(nodes[0], inner)
	if err != nil {
		return nil, err
	}
	start, ok1 := nodes[1].(int64)
	end, ok2 := nodes[2].(int64)
	if !ok1 || !ok2 || kind != "timeWindowed" && kind != "sessionWindowed" {
		return nil, cannot(nodes, kind)
	}
	return Windowed{Key: key, Start: start, End: end}, nil
}
