package record

import "testing"

func TestNulls(t *testing.T) {
	if NullsOf[string]().Possible() || NullsOf[int64]().Possible() || NullsOf[[]string]().Possible() || NullsOf[map[string]int]().Possible() {
		t.Error("a type that cannot be null can be")
	}
	s := "x"
	for name, got := range map[string]bool{
		"nil pointer": IsNull[*string](nil), "nil interface": IsNull[any](nil),
		"nil bytes": IsNull[[]byte](nil), "nil error": IsNull[error](nil),
	} {
		if !got {
			t.Errorf("%s is not null", name)
		}
	}
	for name, got := range map[string]bool{
		"pointer": IsNull(&s), "interface holding a nil pointer": IsNull[any]((*string)(nil)),
		"empty bytes": IsNull([]byte{}), "empty string": IsNull(""), "nil list": IsNull[[]string](nil),
	} {
		if got {
			t.Errorf("%s is null", name)
		}
	}
}

func TestNullsAllocateNothing(t *testing.T) {
	check, bytes, numbers := NullsOf[any](), NullsOf[[]byte](), NullsOf[[4]int64]()
	if n := testing.AllocsPerRun(100, func() {
		var v any = "x"
		var b []byte
		var many [4]int64
		if check.Is(&v) || !bytes.Is(&b) || numbers.Is(&many) || IsNull(many) {
			t.Fatal("wrong")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
