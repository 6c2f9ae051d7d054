package expr

import (
	"math/rand/v2"

	"github.com/millrace/millrace/compat-tests/internal/tree"
)

// generator draws well-typed expressions over all operators that need no
// program.
type generator struct{ r *rand.Rand }

var textPool = []string{
	"", "a", "b", "abc", "a,b", "c,a,c", " x  y ", "Zebra", "éÄß", "😀x", "a😀b\uffee", "12", "-7", "0012", "999999999999999999",
	"1.5", "-0.000049999", "123456789012345.123456789012345", "x:y:z", ":", "true", "null", "a\nb", "1234567890123456789", "١",
}

var doublePool = []string{
	"0", "-0.0", "0.25", "0.00005", "0.00015", "2.5", "-1.75", "1e10", "123456.78905", "9.3e18", "-1e300", "4.9e-324", "0.03125", "NaN", "Infinity",
}

func (g *generator) pick(choices ...func(depth int) any) func(int) any {
	return choices[g.r.IntN(len(choices))]
}

func (g *generator) sample(pool []string) string { return pool[g.r.IntN(len(pool))] }

func call(op string, args ...any) any { return append([]any{op}, args...) }

// null replaces an expression by null now and then.
func (g *generator) null(e any) any {
	if g.r.IntN(14) == 0 {
		return nil
	}
	return e
}

// leaf tells when to stop nesting.
func (g *generator) leaf(depth int) bool { return depth <= 0 || g.r.IntN(5) == 0 }

func (g *generator) text(d int) any {
	if g.leaf(d) {
		return g.null(call("lit", g.sample(textPool)))
	}
	d--
	return g.pick(
		func(int) any { return call("upper", g.text(d)) },
		func(int) any { return call("lower", g.text(d)) },
		func(int) any { return call("str", g.anything(d)) },
		func(int) any { return call("concat", g.anything(d), g.anything(d), g.text(d)) },
		func(int) any { return call("take", g.text(d), g.long(d)) },
		func(int) any { return call("takeLast", g.text(d), g.long(d)) },
		func(int) any { return call("before", g.text(d), g.text(d)) },
		func(int) any { return call("after", g.text(d), g.text(d)) },
		func(int) any { return call("reverse", g.text(d)) },
		func(int) any { return call("join", g.list(d), g.text(d)) },
		func(int) any { return call("setAdd", g.text(d), g.anything(d)) },
		func(int) any { return call("setRemove", g.text(d), g.text(d)) },
		func(int) any { return call("if", g.condition(d), g.text(d), g.text(d)) },
		func(int) any { return call("coalesce", g.text(d), g.text(d)) },
		func(int) any { return call(g.sample([]string{"min", "max"}), g.text(d), g.text(d)) },
	)(d)
}

func (g *generator) long(d int) any {
	if g.leaf(d) {
		return g.null([]any{int64(g.r.IntN(7)) - 2, int64(g.r.Uint64()), int64(1) << 62}[g.r.IntN(3)])
	}
	d--
	return g.pick(
		func(int) any { return call("len", g.pick(g.text, g.list, g.bytes)(d)) },
		func(int) any { return call("hash", g.anything(d)) },
		func(int) any { return call("toLong", g.pick(g.text, g.number, g.condition)(d)) },
		func(int) any { return g.arithmetic(d, g.long, "add", "sub", "mul", "div", "mod") },
		func(int) any { return call("coalesce", nil, g.long(d)) },
		func(int) any { return call("if", g.condition(d), g.long(d), g.long(d)) },
	)(d)
}

func (g *generator) arithmetic(d int, operand func(int) any, ops ...string) any {
	return call(g.sample(ops), operand(d), operand(d))
}

func (g *generator) int(d int) any {
	if g.leaf(d) {
		return call("int", int64(g.r.Int32())-int64(1<<30))
	}
	return g.pick(
		func(int) any { return call("toInt", g.pick(g.text, g.number)(d-1)) },
		func(int) any { return g.arithmetic(d-1, g.int, "add", "sub", "mul", "div", "mod", "min", "max") },
	)(d)
}

func (g *generator) short(d int) any {
	if g.leaf(d) {
		return call("short", int64(g.r.IntN(90000))-30000)
	}
	return g.pick(
		func(int) any { return call("toShort", g.pick(g.text, g.number)(d-1)) },
		func(int) any { return g.arithmetic(d-1, g.short, "add", "sub", "mul", "div", "mod") },
	)(d)
}

func (g *generator) double(d int) any {
	if g.leaf(d) {
		return call("double", g.sample(doublePool))
	}
	return g.pick(
		func(int) any { return call("toDouble", g.pick(g.text, g.number)(d-1)) },
		func(int) any { return g.arithmetic(d-1, g.double, "add", "sub", "mul", "div", "min", "max") },
	)(d)
}

func (g *generator) float(d int) any {
	if g.leaf(d) {
		return call("float", g.sample(doublePool))
	}
	return g.pick(
		func(int) any { return call("toFloat", g.pick(g.text, g.number)(d-1)) },
		func(int) any { return g.arithmetic(d-1, g.float, "add", "sub", "mul", "div", "max") },
	)(d)
}

func (g *generator) number(d int) any {
	return g.pick(g.long, g.int, g.short, g.double, g.float)(d)
}

func (g *generator) condition(d int) any {
	if g.leaf(d) {
		return g.null(g.r.IntN(2) == 0)
	}
	d--
	same := g.pick(g.text, g.long, g.int, g.short, g.double, g.float)
	return g.pick(
		func(int) any { return call(g.sample([]string{"lt", "le", "gt", "ge"}), same(d), same(d)) },
		func(int) any { return call(g.sample([]string{"eq", "ne"}), g.anything(d), g.anything(d)) },
		func(int) any { return call(g.sample([]string{"eq", "ne"}), same(d), same(d)) },
		func(int) any {
			return call(g.sample([]string{"startsWith", "endsWith", "contains"}), g.text(d), g.text(d))
		},
		func(int) any { return call("not", g.condition(d)) },
		func(int) any { return call("isNull", g.anything(d)) },
		func(int) any { return call(g.sample([]string{"and", "or"}), g.condition(d), g.condition(d)) },
	)(d)
}

func (g *generator) list(d int) any {
	if g.leaf(d) {
		return call("list")
	}
	d--
	return g.pick(
		func(int) any { return call("list", g.anything(d), g.anything(d)) },
		func(int) any { return call("split", g.text(d), call("lit", g.sample([]string{",", ":", " ", "a"}))) },
		func(int) any { return call("words", g.text(d)) },
		func(int) any { return call("rangeTo", call("mod", g.long(d), int64(5))) },
		func(int) any { return call("append", g.null(g.list(d)), g.anything(d)) },
	)(d)
}

func (g *generator) bytes(d int) any {
	if g.leaf(d) {
		return call("bytes", g.sample([]string{"", "00", "ff80", "c3a9"}))
	}
	return call("toBytes", g.text(d-1))
}

func (g *generator) uuid(d int) any {
	if g.leaf(d) {
		return call("uuid", g.sample([]string{"123e4567-e89b-12d3-a456-426614174000", "1-2-3-4-5"}))
	}
	return call("toUuid", g.text(d-1))
}

func (g *generator) anything(d int) any {
	return g.pick(g.text, g.long, g.int, g.short, g.double, g.float, g.condition, g.list, g.bytes, g.uuid)(d)
}

// scenario wraps expressions as the effects of one processor.
func (g *generator) scenario(name string, count int) *tree.Object {
	statements := []any{}
	for range count {
		statements = append(statements, tree.NewObject("effect", g.anything(5)))
	}
	topic := tree.NewObject("key", "string", "value", "string")
	return tree.NewObject("name", name,
		"config", tree.NewObject("statestore.cache.max.bytes", "0"),
		"topics", tree.NewObject("in", topic),
		"topology", []any{
			tree.NewObject("op", "addSource", "name", "source", "topics", []any{"in"}, "key", "string", "value", "string"),
			tree.NewObject("op", "addProcessor", "name", "p", "parents", []any{"source"}, "program", tree.NewObject("process", statements)),
		},
		"inputs", []any{tree.NewObject("record", tree.NewObject("topic", "in", "key", "a", "value", "b", "ts", int64(0)))})
}
