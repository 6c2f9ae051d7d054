package fuzz

import (
	"strings"
	"testing"

	"github.com/millrace/millrace/compat-tests/internal/tree"
)

func TestShrinkKeepsWhatMatters(t *testing.T) {
	const big = `{"name":"n","config":{"a":"1","b":"2"},"topics":{"x":{},"y":{}},
		"topology":[{"op":"stream","id":"s"},{"op":"peek","id":"p","name":"q"},{"op":"to","in":"s","produced":{"key":"k","value":"v"}}],
		"inputs":[1,2,3,4,5,6,7]}`
	node, err := tree.Parse([]byte(big))
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	small := Shrink(node.(*tree.Object), func(o *tree.Object) bool {
		tries++
		s := tree.Compact(o)
		return strings.Contains(s, `"b":"2"`) && strings.Contains(s, `"value":"v"`) && strings.Contains(s, "5") && strings.Contains(s, `"x"`)
	}, 1000)
	want := `{"name":"n","config":{"b":"2"},"topics":{"x":{}},"topology":[{"produced":{"value":"v"}}],"inputs":[5]}`
	if got := tree.Compact(small); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if tries > 100 {
		t.Errorf("%d tries", tries)
	}
}

func TestShrinkStopsAfterItsTries(t *testing.T) {
	node, _ := tree.Parse([]byte(`{"inputs":[1,2,3,4,5,6,7,8]}`))
	tries := 0
	Shrink(node.(*tree.Object), func(*tree.Object) bool { tries++; return false }, 3)
	if tries != 3 {
		t.Errorf("%d tries", tries)
	}
}
