package run

import (
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/value"
)

// Call implements expr.Hooks: the operators that only programs have.
func (m *machine) Call(op string, args []any) (any, error) {
	switch op {
	case "ctx":
		what, err := text(args[0])
		if err != nil {
			return nil, err
		}
		return m.context(what)
	case "header":
		return m.lastHeader(args[0])
	case "headers":
		return m.allHeaders(), nil
	}
	name, err := text(args[0])
	if err != nil {
		return nil, err
	}
	s, err := m.store(name)
	if err != nil {
		return nil, err
	}
	read := op
	if op == "getTs" {
		read = "get"
	}
	e, ok, err := s.read(read, args[1:])
	if err != nil || !ok {
		return nil, err
	}
	if op != "getTs" {
		return e.value, nil
	}
	if e.ts == nil {
		return nil, nil
	}
	return *e.ts, nil
}

// text is Java's cast to String.
func text(v any) (string, error) {
	if s, ok := v.(string); ok || v == nil {
		return s, nil
	}
	return "", &value.Exception{Class: value.ClassCast, Message: value.Str(v) + " is no string"}
}

// context answers the operator ctx.
func (m *machine) context(what string) (any, error) {
	switch what {
	case "streamTime":
		return m.host.StreamTime(), nil
	case "systemTime":
		return m.host.SystemTime(), nil
	case "taskId":
		return m.host.TaskID(), nil
	case "applicationId":
		return m.host.ApplicationID(), nil
	}
	c, known := m.host.Metadata()
	switch what {
	case "topic":
		if c.Topic == "" {
			return nil, nil
		}
		return c.Topic, nil
	case "partition":
		if known {
			return int64(c.Partition), nil
		}
		return nil, nil
	case "offset":
		if known {
			return c.Offset, nil
		}
		return nil, nil
	}
	return nil, &value.Fault{Message: m.id + ": unknown context member " + what}
}

func (m *machine) lastHeader(name any) (any, error) {
	n, err := text(name)
	if err != nil {
		return nil, err
	}
	if v, ok := m.headers.Last(n); ok && v != nil {
		return string(v), nil
	}
	return nil, nil
}

func (m *machine) allHeaders() string {
	var parts []string
	for _, h := range m.headers.All() {
		text := "null"
		if h.Value != nil {
			text = string(h.Value)
		}
		parts = append(parts, h.Key+"="+text)
	}
	return strings.Join(parts, ",")
}
