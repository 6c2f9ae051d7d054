// Package expr owns the expression language of the scenarios: JSON values used
// as functions over named variables. It refuses to know records, stores and
// topologies; operators that need them are the business of [Hooks].
package expr

import (
	"fmt"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
)

// Expr is a parsed expression.
type Expr struct {
	root  node
	where string
}

// node is one of: a constant (op empty, name empty), a variable (name set), a
// call (op set).
type node struct {
	constant any
	name     string
	op       string
	def      *operator
	args     []node
	source   any
}

// Hooks answers the operators that only exist inside programs.
type Hooks interface {
	Call(op string, args []any) (any, error)
}

// Env holds the variables of an evaluation. The zero value has none.
type Env struct {
	names  []string
	values []any
	Hooks  Hooks
}

// Vars returns an environment of the given names and values in turn.
func Vars(namesAndValues ...any) *Env {
	e := &Env{}
	for i := 0; i < len(namesAndValues); i += 2 {
		e.Set(namesAndValues[i].(string), namesAndValues[i+1])
	}
	return e
}

// Set gives a variable a value.
func (e *Env) Set(name string, v any) {
	for i, n := range e.names {
		if n == name {
			e.values[i] = v
			return
		}
	}
	e.names = append(e.names, name)
	e.values = append(e.values, v)
}

// Get returns a variable's value and whether there is one.
func (e *Env) Get(name string) (any, bool) {
	for i, n := range e.names {
		if n == name {
			return e.values[i], true
		}
	}
	return nil, false
}

// Unset removes a variable.
func (e *Env) Unset(name string) {
	for i, n := range e.names {
		if n == name {
			e.names = append(e.names[:i], e.names[i+1:]...)
			e.values = append(e.values[:i], e.values[i+1:]...)
			return
		}
	}
}

// Parse reads an expression; where names its place in messages. Unknown
// operators, wrong argument counts and forms that are no expression are faults.
func Parse(source any, where string) (*Expr, error) {
	root, err := parse(source)
	if err != nil {
		return nil, &value.Fault{Message: where + ": " + err.Error()}
	}
	return &Expr{root: root, where: where}, nil
}

func parse(source any) (node, error) {
	switch x := source.(type) {
	case nil, bool, int64:
		return node{constant: x, source: source}, nil
	case string:
		if name, isVar := strings.CutPrefix(x, "$"); isVar {
			return node{name: name, source: source}, nil
		}
		return node{constant: x, source: source}, nil
	case []any:
		if len(x) > 0 {
			if op, ok := x[0].(string); ok {
				return parseCall(op, x)
			}
		}
	}
	return node{}, fmt.Errorf("bad expression %s", tree.Compact(source))
}

func parseCall(op string, source []any) (node, error) {
	if lit, ok := literals[op]; ok {
		if len(source) != 2 {
			return node{}, fmt.Errorf("%s takes one JSON literal in %s", op, tree.Compact(source))
		}
		v, err := lit(source[1])
		if err != nil {
			return node{}, fmt.Errorf("%w in %s", err, tree.Compact(source))
		}
		return node{constant: v, source: source}, nil
	}
	def, ok := operators[op]
	if !ok {
		return node{}, fmt.Errorf("unknown operator %s in %s", op, tree.Compact(source))
	}
	if argc := len(source) - 1; def.arity >= 0 && argc != def.arity {
		return node{}, fmt.Errorf("%s takes %d arguments, got %d in %s", op, def.arity, argc, tree.Compact(source))
	}
	n := node{op: op, def: def, source: source}
	for _, a := range source[1:] {
		arg, err := parse(a)
		if err != nil {
			return node{}, err
		}
		n.args = append(n.args, arg)
	}
	return n, nil
}

// Eval computes the value. The error is a *value.Fault for a mistake in the
// scenario and a *value.Exception for what the program itself throws.
func (x *Expr) Eval(env *Env) (any, error) {
	v, err := x.root.eval(env)
	if f, ok := err.(*value.Fault); ok && !strings.HasPrefix(f.Message, x.where) {
		return nil, &value.Fault{Message: x.where + ": " + f.Message}
	}
	return v, err
}

// Test is Eval for conditions: null is false, and anything but a boolean is a
// fault.
func (x *Expr) Test(env *Env) (bool, error) {
	v, err := x.Eval(env)
	if err != nil {
		return false, err
	}
	return truth(v)
}

// bad is the fault of ill-typed arguments.
func bad(format string, args ...any) error {
	return &value.Fault{Message: fmt.Sprintf(format, args...)}
}

func truth(v any) (bool, error) {
	switch b := v.(type) {
	case nil:
		return false, nil
	case bool:
		return b, nil
	}
	return false, bad("not a boolean: %s", value.Str(v))
}

func (n *node) eval(env *Env) (any, error) {
	switch {
	case n.op != "":
	case n.name != "":
		v, ok := env.Get(n.name)
		if !ok {
			return nil, bad("unknown variable $%s", n.name)
		}
		return v, nil
	default:
		return n.constant, nil
	}
	if n.def.lazy != nil {
		return n.def.lazy(n.args, env)
	}
	args := make([]any, len(n.args))
	null := false
	for i := range n.args {
		v, err := n.args[i].eval(env)
		if err != nil {
			return nil, err
		}
		args[i] = v
		null = null || v == nil
	}
	if n.def.call == nil {
		if env.Hooks == nil {
			return nil, bad("unknown operator %s outside of a program", n.op)
		}
		return env.Hooks.Call(n.op, args)
	}
	if null && n.def.strict {
		return nil, nil
	}
	v, err := n.def.call(args)
	if f, ok := err.(*value.Fault); ok {
		return nil, &value.Fault{Message: f.Message + " in " + tree.Compact(n.source)}
	}
	return v, err
}
