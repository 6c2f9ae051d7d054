package scenario

import (
	"fmt"

	"github.com/millrace/millrace/compat-tests/internal/expr"
	"github.com/millrace/millrace/compat-tests/internal/tree"
	"github.com/millrace/millrace/compat-tests/internal/value"
)

// reader collects the first fault of a whole scenario, so that reading members
// needs no error at every line.
type reader struct{ fault *value.Fault }

func (r *reader) fail(format string, args ...any) {
	if r.fault == nil {
		r.fault = &value.Fault{Message: fmt.Sprintf(format, args...)}
	}
}

// object reads the members of one JSON object, each once; done finds the ones
// nobody has read. As in the oracle, a JSON null counts as absent except where
// an expression or a raw value is read.
type object struct {
	r     *reader
	node  *tree.Object
	where string
	read  map[string]bool
}

func (r *reader) object(node any, where string) *object {
	o, ok := node.(*tree.Object)
	if !ok {
		r.fail("%s: expected an object", where)
		o = tree.NewObject()
	}
	return &object{r: r, node: o, where: where, read: map[string]bool{"doc": true}}
}

// raw gives a member as it stands, also a JSON null.
func (o *object) raw(name string) (node any, present bool) {
	o.read[name] = true
	return o.node.Get(name)
}

func (o *object) has(name string) bool {
	_, ok := o.node.Get(name)
	return ok
}

// present gives a member that is there and not null.
func (o *object) present(name string) (node any, ok bool) {
	node, _ = o.raw(name)
	return node, node != nil
}

func (o *object) missing(name string) { o.r.fail("%s: missing %q", o.where, name) }

func (o *object) mustBe(name, what string) { o.r.fail("%s: %q must be %s", o.where, name, what) }

// optional gives a string member, nil when absent. It serves names, where the
// empty string is not the same as none.
func (o *object) optional(name string) *string {
	node, ok := o.present(name)
	if !ok {
		return nil
	}
	s, ok := node.(string)
	if !ok {
		o.mustBe(name, "a string")
	}
	return &s
}

// str gives a string member, empty when absent.
func (o *object) str(name string) string {
	if s := o.optional(name); s != nil {
		return *s
	}
	return ""
}

func (o *object) need(name string) string {
	s := o.optional(name)
	if s == nil {
		o.missing(name)
		return ""
	}
	return *s
}

// word gives a string member that must be one of the given words; absent gives "".
func (o *object) word(name string, words ...string) string {
	s := o.optional(name)
	if s == nil {
		return ""
	}
	for _, w := range words {
		if *s == w {
			return w
		}
	}
	o.r.fail("%s: unknown %q %s", o.where, name, *s)
	return ""
}

func (o *object) needWord(name string, words ...string) string {
	if _, ok := o.present(name); !ok {
		o.missing(name)
		return ""
	}
	return o.word(name, words...)
}

func (o *object) long(name string) *int64 {
	node, ok := o.present(name)
	if !ok {
		return nil
	}
	i, ok := node.(int64)
	if !ok {
		o.mustBe(name, "an integer")
	}
	return &i
}

func (o *object) needLong(name string) int64 {
	i := o.long(name)
	if i == nil {
		o.missing(name)
		return 0
	}
	return *i
}

func (o *object) boolean(name string) *bool {
	node, ok := o.present(name)
	if !ok {
		return nil
	}
	b, ok := node.(bool)
	if !ok {
		o.mustBe(name, "true or false")
	}
	return &b
}

func (o *object) flag(name string) bool {
	b := o.boolean(name)
	return b != nil && *b
}

// object gives an object member, nil when absent.
func (o *object) object(name string) *object {
	node, ok := o.present(name)
	if !ok {
		return nil
	}
	return o.r.object(node, o.where+"."+name)
}

func (o *object) needObject(name string) *object {
	c := o.object(name)
	if c == nil {
		o.missing(name)
		return o.r.object(tree.NewObject(), o.where+"."+name)
	}
	return c
}

// array gives the elements of an array member, nil when absent.
func (o *object) array(name string) []any {
	node, ok := o.present(name)
	if !ok {
		return nil
	}
	l, ok := node.([]any)
	if !ok {
		o.mustBe(name, "an array")
		return []any{}
	}
	return l
}

func (o *object) strings(name string) []string {
	var out []string
	for _, e := range o.array(name) {
		s, ok := e.(string)
		if !ok {
			o.mustBe(name, "an array of strings")
		}
		out = append(out, s)
	}
	return out
}

func (o *object) objects(name string) []*object {
	var out []*object
	for i, e := range o.array(name) {
		out = append(out, o.r.object(e, fmt.Sprintf("%s.%s[%d]", o.where, name, i)))
	}
	return out
}

// texts gives an object of strings, nil when absent.
func (o *object) texts(name string) map[string]string {
	c := o.object(name)
	if c == nil {
		return nil
	}
	out := map[string]string{}
	for _, n := range c.node.Names() {
		v, _ := c.node.Get(n)
		s, ok := v.(string)
		if !ok {
			c.mustBe(n, "a string")
		}
		out[n] = s
	}
	return out
}

// expr gives an expression, nil when the member is absent. A JSON null is the
// expression null.
func (o *object) expr(name string) *expr.Expr {
	node, ok := o.raw(name)
	if !ok {
		return nil
	}
	x, err := expr.Parse(node, o.where+"."+name)
	if err != nil {
		o.r.fail("%s", err.(*value.Fault).Message)
	}
	return x
}

func (o *object) needExpr(name string) *expr.Expr {
	if !o.has(name) {
		o.missing(name)
	}
	return o.expr(name)
}

// serde gives the name of a serde, empty when absent, and checks that it exists.
func (o *object) serde(name string) string {
	s := o.str(name)
	if s != "" {
		if _, err := value.NewSerde(s); err != nil {
			o.r.fail("%s", err.(*value.Fault).Message)
		}
	}
	return s
}

func (o *object) done() {
	for _, n := range o.node.Names() {
		if !o.read[n] {
			o.r.fail("%s: unknown member %q", o.where, n)
		}
	}
}
