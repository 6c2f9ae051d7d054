package value

import (
	"math"
	"testing"
)

func TestStr(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"}, {"x", "x"}, {int64(math.MinInt64), "-9223372036854775808"},
		{int32(-5), "-5"}, {int16(7), "7"}, {true, "true"},
		// The exact binary value decides; real ties go to the even digit.
		{0.25, "0.2500"}, {0.00005, "0.0001"}, {0.00015, "0.0001"}, {0.03125, "0.0312"}, {0.09375, "0.0938"},
		{-0.00001, "0.0000"}, {math.Copysign(0, -1), "0.0000"}, {1e21, "1000000000000000000000.0000"},
		{1e300 / 3, Str(1e300 / 3)}, {math.NaN(), "NaN"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
		{float32(0.1), "0.1000"}, {float32(16777216.5), "16777216.0000"},
		{[]byte{0, 0xab}, "0x00ab"}, {[]byte{}, "0x"},
		{Windowed{Key: "k", Start: 1, End: -2}, "[k@1/-2]"}, {[]any{"a", nil, int64(1)}, "[a,null,1]"}, {[]any{}, "[]"},
		{struct{}{}, "?"},
	} {
		if got := Str(c.v); got != c.want {
			t.Errorf("Str(%#v) = %s, want %s", c.v, got, c.want)
		}
	}
}

func TestUnhex(t *testing.T) {
	if b, err := Unhex(""); err != nil || b == nil {
		t.Errorf("empty hex: %v, %v", b, err)
	}
	for _, bad := range []string{"0", "AB", "zz"} {
		if _, err := Unhex(bad); err == nil {
			t.Errorf("Unhex(%q) gave no error", bad)
		}
	}
}
