package javaorder

// PriorityQueue is java.util.PriorityQueue: a binary heap in an array whose
// sift moves, and therefore the order among equal elements, are Java's. A
// PriorityQueue is for one goroutine.
type PriorityQueue[T any] struct {
	less func(a, b T) bool
	heap []T
}

// NewPriorityQueue returns an empty queue whose head is a least element under
// less, which must be a strict weak order: Java's comparator being negative.
func NewPriorityQueue[T any](less func(a, b T) bool) *PriorityQueue[T] {
	return &PriorityQueue[T]{less: less}
}

// Len returns the number of elements.
func (q *PriorityQueue[T]) Len() int { return len(q.heap) }

// Peek returns the head without removing it; false when the queue is empty.
func (q *PriorityQueue[T]) Peek() (T, bool) {
	if len(q.heap) == 0 {
		var zero T
		return zero, false
	}
	return q.heap[0], true
}

// Offer adds an element.
func (q *PriorityQueue[T]) Offer(x T) {
	q.heap = append(q.heap, x)
	q.siftUp(len(q.heap)-1, x)
}

// Poll removes and returns the head; false when the queue is empty.
func (q *PriorityQueue[T]) Poll() (T, bool) {
	var zero T
	if len(q.heap) == 0 {
		return zero, false
	}
	head := q.heap[0]
	n := len(q.heap) - 1
	x := q.heap[n]
	q.heap[n] = zero
	q.heap = q.heap[:n]
	if n > 0 {
		q.siftDown(0, x)
	}
	return head, true
}

// Remove removes the first element, in array order, that match accepts, and
// reports whether there was one.
func (q *PriorityQueue[T]) Remove(match func(T) bool) bool {
	for i, x := range q.heap {
		if match(x) {
			q.removeAt(i)
			return true
		}
	}
	return false
}

// Clear removes every element.
func (q *PriorityQueue[T]) Clear() {
	clear(q.heap)
	q.heap = q.heap[:0]
}

// Slice returns the elements in array order, which is the order of Java's
// iterator. It is valid until the next change and must not be written to.
func (q *PriorityQueue[T]) Slice() []T { return q.heap }

func (q *PriorityQueue[T]) removeAt(i int) {
	var zero T
	last := len(q.heap) - 1
	moved := q.heap[last]
	q.heap[last] = zero
	q.heap = q.heap[:last]
	if i == last {
		return
	}
	// The element that fills the gap may belong above it, but only if it did
	// not sink.
	if q.siftDown(i, moved) == i {
		q.siftUp(i, moved)
	}
}

func (q *PriorityQueue[T]) siftUp(k int, x T) {
	for k > 0 {
		parent := (k - 1) / 2
		if !q.less(x, q.heap[parent]) {
			break
		}
		q.heap[k] = q.heap[parent]
		k = parent
	}
	q.heap[k] = x
}

// siftDown places x at k or below and returns where. The right child is taken
// only when it is strictly less than the left one.
func (q *PriorityQueue[T]) siftDown(k int, x T) int {
	n := len(q.heap)
	for k < n/2 {
		child := 2*k + 1
		if right := child + 1; right < n && q.less(q.heap[right], q.heap[child]) {
			child = right
		}
		if !q.less(q.heap[child], x) {
			break
		}
		q.heap[k] = q.heap[child]
		k = child
	}
	q.heap[k] = x
	return k
}
