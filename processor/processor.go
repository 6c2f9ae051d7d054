package processor

// Processor processes records one by one (Java: api.Processor). One instance
// is made for each task; it is never called by two goroutines at once.
// Embed [Base] for an Init and a Close that do nothing.
type Processor[K, V, K2, V2 any] interface {
	// Init is called once before the first record. There is no record context
	// yet.
	Init(*Context[K2, V2]) error
	// Process handles one record. An error or a panic goes to the processing
	// exception handler.
	Process(*Context[K2, V2], Record[K, V]) error
	// Close is called once when the task ends. Forwarding is no longer possible.
	Close() error
}

// Base is embedded in processors that need no Init and no Close.
type Base[K2, V2 any] struct{}

// Init implements [Processor].
func (Base[K2, V2]) Init(*Context[K2, V2]) error { return nil }

// Close implements [Processor].
func (Base[K2, V2]) Close() error { return nil }

// ProcessorUnit is the unit of a node with a user's processor.
type ProcessorUnit[K, V, K2, V2 any] struct {
	Out[K2, V2]
	processor Processor[K, V, K2, V2]
	ctx       *Context[K2, V2]
}

// NewProcessorUnit makes the unit of a processor node.
func NewProcessorUnit[K, V, K2, V2 any](p Processor[K, V, K2, V2]) *ProcessorUnit[K, V, K2, V2] {
	return &ProcessorUnit[K, V, K2, V2]{processor: p}
}

// Init implements [Unit].
func (u *ProcessorUnit[K, V, K2, V2]) Init(n *Node) error {
	u.ctx = NewContext(n, &u.Out)
	return u.processor.Init(u.ctx)
}

// Receive implements [Receiver]. The processor may keep the record.
func (u *ProcessorUnit[K, V, K2, V2]) Receive(rec Record[K, V]) error {
	rec.Headers.Keep()
	return u.processor.Process(u.ctx, rec)
}

// Close implements [Unit].
func (u *ProcessorUnit[K, V, K2, V2]) Close() error { return u.processor.Close() }
