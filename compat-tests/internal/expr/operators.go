package expr

import (
	"errors"
	"strconv"

	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/serde"
)

// operator is one word of the language. An operator with lazy chooses itself
// which arguments to evaluate; one with neither lazy nor call belongs to
// programs and is answered by the hooks.
type operator struct {
	arity  int // negative: any number
	strict bool
	lazy   func(args []node, env *Env) (any, error)
	call   func(args []any) (any, error)
}

// anyCount is the arity of operators that take any number of arguments.
const anyCount = -1

func lazy(arity int, f func([]node, *Env) (any, error)) *operator {
	return &operator{arity: arity, lazy: f}
}

func plain(arity int, f func([]any) (any, error)) *operator {
	return &operator{arity: arity, call: f}
}

func strict(arity int, f func([]any) (any, error)) *operator {
	return &operator{arity: arity, strict: true, call: f}
}

func hook(arity int) *operator { return &operator{arity: arity} }

// operators is every operator but the literals.
var operators map[string]*operator

// It is filled here because the lazy operators evaluate nodes, which refer to
// the table.
func init() {
	operators = map[string]*operator{
		"if": lazy(3, evalIf), "and": lazy(anyCount, evalAnd), "or": lazy(anyCount, evalOr),
		"coalesce": lazy(anyCount, evalCoalesce), "throwIf": lazy(3, evalThrowIf),

		"throw": plain(1, throw), "str": plain(1, str), "concat": plain(anyCount, concat), "list": plain(anyCount, list),
		"eq": plain(2, eq), "ne": plain(2, ne), "isNull": plain(1, isNull), "not": plain(1, not),
		"lt": plain(2, ordered(func(c int) bool { return c < 0 })),
		"le": plain(2, ordered(func(c int) bool { return c <= 0 })),
		"gt": plain(2, ordered(func(c int) bool { return c > 0 })),
		"ge": plain(2, ordered(func(c int) bool { return c >= 0 })),
		// On a tie, and only when the comparison holds, the first.
		"min":        strict(2, choose(func(c int) bool { return c <= 0 })),
		"max":        strict(2, choose(func(c int) bool { return c >= 0 })),
		"startsWith": plain(2, startsWith), "endsWith": plain(2, endsWith), "contains": plain(2, contains),
		"setAdd": plain(2, setAdd), "setRemove": plain(2, setRemove), "hash": plain(1, hash), "append": plain(2, appendTo),

		"upper": strict(1, upper), "lower": strict(1, lower), "len": strict(1, length),
		"take": strict(2, take), "takeLast": strict(2, takeLast), "before": strict(2, before), "after": strict(2, after),
		"reverse": strict(1, reverse), "split": strict(2, split), "words": strict(1, words), "join": strict(2, join),

		"add": strict(2, arithmetic(addition)), "sub": strict(2, arithmetic(subtraction)),
		"mul": strict(2, arithmetic(multiplication)), "div": strict(2, arithmetic(division)), "mod": strict(2, arithmetic(remainder)),
		"toLong": strict(1, toLong), "toInt": strict(1, toInt), "toShort": strict(1, toShort),
		"toDouble": strict(1, toDouble), "toFloat": strict(1, toFloat),
		"toBytes": strict(1, toBytes), "toUuid": strict(1, toUUID), "rangeTo": strict(1, rangeTo),
		"wkey": strict(1, windowKey), "wstart": strict(1, windowStart), "wend": strict(1, windowEnd),

		"ctx": hook(1), "header": hook(1), "headers": hook(0), "get": hook(2), "getTs": hook(2), "getAsOf": hook(3),
		"fetch": hook(3), "fetchSession": hook(4),
	}
}

// literals read the JSON literal that is their one argument.
var literals = map[string]func(source any) (any, error){
	"lit":    func(s any) (any, error) { return literalText(s) },
	"int":    func(s any) (any, error) { i, err := literalInteger(s); return int32(i), err },
	"short":  func(s any) (any, error) { i, err := literalInteger(s); return int16(i), err },
	"double": func(s any) (any, error) { return literalDouble(s) },
	"float":  func(s any) (any, error) { d, err := literalDouble(s); return float32(d), err },
	"bytes": func(s any) (any, error) {
		t, err := literalText(s)
		if err != nil {
			return nil, err
		}
		return value.Unhex(t)
	},
	"uuid": func(s any) (any, error) {
		t, err := literalText(s)
		if err != nil {
			return nil, err
		}
		return serde.ParseUUID(t)
	},
}

func literalText(source any) (string, error) {
	if s, ok := source.(string); ok {
		return s, nil
	}
	return "", errors.New("literal needs one JSON string")
}

func literalInteger(source any) (int64, error) {
	if i, ok := source.(int64); ok {
		return i, nil
	}
	return 0, errors.New("literal needs one JSON integer, got " + tree.Compact(source))
}

func literalDouble(source any) (float64, error) {
	t, err := literalText(source)
	if err != nil {
		return 0, err
	}
	d, err := strconv.ParseFloat(t, 64)
	if errors.Is(err, strconv.ErrRange) { // Java rounds to infinity or zero, too
		err = nil
	}
	return d, err
}

func evalIf(args []node, env *Env) (any, error) {
	c, err := args[0].test(env)
	if err != nil {
		return nil, err
	}
	if c {
		return args[1].eval(env)
	}
	return args[2].eval(env)
}

func (n *node) test(env *Env) (bool, error) {
	v, err := n.eval(env)
	if err != nil {
		return false, err
	}
	return truth(v)
}

func evalAnd(args []node, env *Env) (any, error) {
	for i := range args {
		if c, err := args[i].test(env); err != nil || !c {
			return false, err
		}
	}
	return true, nil
}

func evalOr(args []node, env *Env) (any, error) {
	for i := range args {
		if c, err := args[i].test(env); err != nil || c {
			return c, err
		}
	}
	return false, nil
}

func evalCoalesce(args []node, env *Env) (any, error) {
	for i := range args {
		if v, err := args[i].eval(env); err != nil || v != nil {
			return v, err
		}
	}
	return nil, nil
}

func evalThrowIf(args []node, env *Env) (any, error) {
	c, err := args[0].test(env)
	if err != nil {
		return nil, err
	}
	if !c {
		return args[2].eval(env)
	}
	m, err := args[1].eval(env)
	if err != nil {
		return nil, err
	}
	return throw([]any{m})
}

func throw(a []any) (any, error) {
	return nil, &value.Exception{Class: value.ClassRuntime, Message: value.Str(a[0])}
}

func windowKey(a []any) (any, error) {
	w, err := windowed(a[0])
	return w.Key, err
}

func windowStart(a []any) (any, error) {
	w, err := windowed(a[0])
	return w.Start, err
}

func windowEnd(a []any) (any, error) {
	w, err := windowed(a[0])
	return w.End, err
}

func windowed(v any) (value.Windowed, error) {
	if w, ok := v.(value.Windowed); ok {
		return w, nil
	}
	return value.Windowed{}, bad("not a windowed key: %s", value.Str(v))
}
