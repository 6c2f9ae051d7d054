package record

import "testing"

func TestNullCheck(t *testing.T) {
	if NullCheck[string]() != nil || NullCheck[int64]() != nil || NullCheck[[]string]() != nil || NullCheck[map[string]int]() != nil {
		t.Error("a type that cannot be null has a check")
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

func TestNullCheckAllocatesNothing(t *testing.T) {
	check := NullCheck[any]()
	var v any = "x"
	if n := testing.AllocsPerRun(100, func() { _ = check(&v) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
