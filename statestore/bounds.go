package statestore

// Bounds is the range of a scan: both ends inclusive, each may be open. The
// zero value is everything, ascending. Bounds whose ends are reversed in byte
// order give an empty scan.
type Bounds[K any] struct {
	from, to       K
	hasFrom, hasTo bool
	reverse        bool
}

// Between bounds a scan on both sides, inclusively.
func Between[K any](from, to K) Bounds[K] {
	return Bounds[K]{from: from, to: to, hasFrom: true, hasTo: true}
}

// From bounds a scan below, inclusively.
func From[K any](from K) Bounds[K] { return Bounds[K]{from: from, hasFrom: true} }

// To bounds a scan above, inclusively.
func To[K any](to K) Bounds[K] { return Bounds[K]{to: to, hasTo: true} }

// Reverse runs the scan from the upper end down.
func (b Bounds[K]) Reverse() Bounds[K] {
	b.reverse = !b.reverse
	return b
}
