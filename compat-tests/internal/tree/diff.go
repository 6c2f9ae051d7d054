package tree

import (
	"fmt"
	"slices"
	"strconv"
)

// Difference is the first place where two documents differ. A side that has
// nothing there is Absent.
type Difference struct {
	Path      string // such as steps[3].out.counts[0].value
	Want, Got any
}

// Absent stands for a member or element that one side lacks.
type Absent struct{}

// String shows the path and both sides, long ones cut.
func (d *Difference) String() string {
	return fmt.Sprintf("at %s\n  want %s\n  got  %s", d.Path, show(d.Want), show(d.Got))
}

const showLimit = 600

func show(node any) string {
	if _, absent := node.(Absent); absent {
		return "(nothing)"
	}
	s := Compact(node)
	if len(s) > showLimit {
		return s[:showLimit] + " ..."
	}
	return s
}

// Diff returns the first difference of two documents in reading order, nil when
// their compact forms are equal. The order of members counts.
func Diff(want, got any) *Difference {
	if Compact(want) == Compact(got) {
		return nil
	}
	return diff("", want, got)
}

func diff(path string, want, got any) *Difference {
	switch w := want.(type) {
	case *Object:
		if g, ok := got.(*Object); ok {
			return diffObjects(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return diffArrays(path, w, g)
		}
	}
	if !isAbsent(want) && !isAbsent(got) && Compact(want) == Compact(got) {
		return nil
	}
	return &Difference{Path: path, Want: want, Got: got}
}

func isAbsent(node any) bool {
	_, absent := node.(Absent)
	return absent
}

func diffArrays(path string, want, got []any) *Difference {
	for i := range max(len(want), len(got)) {
		var w, g any = Absent{}, Absent{}
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if d := diff(path+"["+strconv.Itoa(i)+"]", w, g); d != nil {
			return d
		}
	}
	return nil
}

func diffObjects(path string, want, got *Object) *Difference {
	for _, name := range want.names {
		w, g := want.member(name), got.member(name)
		if d := diff(join(path, name), w, g); d != nil {
			return d
		}
	}
	for _, name := range got.names {
		if isAbsent(want.member(name)) {
			return &Difference{Path: join(path, name), Want: Absent{}, Got: got.values[name]}
		}
	}
	if slices.Equal(want.names, got.names) {
		return nil
	}
	return &Difference{Path: join(path, "(order of members)"), Want: nameList(want), Got: nameList(got)}
}

func (o *Object) member(name string) any {
	if v, ok := o.values[name]; ok {
		return v
	}
	return Absent{}
}

func nameList(o *Object) []any {
	l := make([]any, 0, len(o.names))
	for _, n := range o.names {
		l = append(l, n)
	}
	return l
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
