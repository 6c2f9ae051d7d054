package scenario

import "github.com/millrace/millrace/compat-tests/internal/expr"

// Consumed is the parameter object of sources.
type Consumed struct {
	Key, Value  string
	Name        *string
	OffsetReset string
	Extractor   *Extractor
}

// Extractor is a timestamp extractor: a named one or an expression.
type Extractor struct {
	Name string
	Expr *expr.Expr
}

// Produced is the parameter object of sinks.
type Produced struct {
	Key, Value  string
	Name        *string
	Partitioner *expr.Expr
}

// Grouped is the parameter object of groupings.
type Grouped struct {
	Key, Value string
	Name       *string
}

// Repartitioned is the parameter object of repartition.
type Repartitioned struct {
	Key, Value  string
	Name        *string
	Partitions  *int64
	Partitioner *expr.Expr
}

// Joined is the parameter object of stream-table joins.
type Joined struct {
	Key, Value, OtherValue string
	Name                   *string
	GraceMs                *int64
}

// StreamJoined is the parameter object of stream-stream joins.
type StreamJoined struct {
	Key, Value, OtherValue string
	Name, StoreName        *string
	StoreType              string
	ThisStore, OtherStore  *Supplier
	Logging                *Logging
}

// TableJoined is the parameter object of foreign-key joins.
type TableJoined struct {
	Name                          *string
	Partitioner, OtherPartitioner *expr.Expr
}

// Materialized is the parameter object of tables.
type Materialized struct {
	Name        *string
	Key, Value  string
	StoreType   string // rocksDB, inMemory or empty
	Supplier    *Supplier
	Caching     *bool
	Logging     *Logging
	RetentionMs *int64
}

// Logging says whether a changelog is wanted, and its topic settings.
type Logging struct {
	Enabled bool
	Config  map[string]string
}

// Supplier describes a store supplier. Members that its kind lacks are zero.
type Supplier struct {
	Kind, Name         string
	MaxEntries         int64
	HistoryRetentionMs int64
	SegmentIntervalMs  *int64
	RetentionMs        int64
	WindowSizeMs       int64
	RetainDuplicates   bool
}

// Store describes a store builder.
type Store struct {
	Supplier   *Supplier
	Builder    string
	Key, Value string
	Caching    *bool
	Logging    *Logging
}

// StoreBuilders are the words for the kinds of stores.
var StoreBuilders = []string{"keyValue", "timestampedKeyValue", "timestampedKeyValueWithHeaders", "versioned",
	"window", "timestampedWindow", "timestampedWindowWithHeaders", "session", "sessionWithHeaders"}

func (o *object) consumed() *Consumed {
	c := o.object("consumed")
	if c == nil {
		return nil
	}
	defer c.done()
	return &Consumed{Key: c.serde("key"), Value: c.serde("value"), Name: c.optional("name"),
		OffsetReset: c.str("offsetReset"), Extractor: c.extractor()}
}

func (o *object) extractor() *Extractor {
	node, ok := o.present("timestampExtractor")
	if !ok {
		return nil
	}
	if _, named := node.(string); named {
		return &Extractor{Name: o.word("timestampExtractor", Extractors...)}
	}
	e := o.object("timestampExtractor")
	defer e.done()
	return &Extractor{Expr: e.needExpr("expr")}
}

// Extractors are the names of timestamp extractors.
var Extractors = []string{"failOnInvalid", "logAndSkipOnInvalid", "usePartitionTimeOnInvalid", "wallclock", "plus1000"}

func (o *object) produced() *Produced {
	p := o.object("produced")
	if p == nil {
		return nil
	}
	defer p.done()
	return &Produced{Key: p.serde("key"), Value: p.serde("value"), Name: p.optional("name"), Partitioner: p.expr("partitioner")}
}

func (o *object) grouped() *Grouped {
	g := o.object("grouped")
	if g == nil {
		return nil
	}
	defer g.done()
	return &Grouped{Key: g.serde("key"), Value: g.serde("value"), Name: g.optional("name")}
}

func (o *object) repartitioned() *Repartitioned {
	r := o.object("repartitioned")
	if r == nil {
		return nil
	}
	defer r.done()
	return &Repartitioned{Key: r.serde("key"), Value: r.serde("value"), Name: r.optional("name"),
		Partitions: r.long("partitions"), Partitioner: r.expr("partitioner")}
}

func (o *object) joined() *Joined {
	j := o.object("joined")
	if j == nil {
		return nil
	}
	defer j.done()
	return &Joined{Key: j.serde("key"), Value: j.serde("value"), OtherValue: j.serde("otherValue"),
		Name: j.optional("name"), GraceMs: j.long("graceMs")}
}

func (o *object) streamJoined() *StreamJoined {
	j := o.object("streamJoined")
	if j == nil {
		return nil
	}
	defer j.done()
	return &StreamJoined{Key: j.serde("key"), Value: j.serde("value"), OtherValue: j.serde("otherValue"),
		Name: j.optional("name"), StoreName: j.optional("storeName"), StoreType: j.word("storeType", "rocksDB", "inMemory"),
		ThisStore: j.supplier("thisStore"), OtherStore: j.supplier("otherStore"), Logging: j.logging()}
}

func (o *object) tableJoined() *TableJoined {
	t := o.object("tableJoined")
	if t == nil {
		return nil
	}
	defer t.done()
	return &TableJoined{Name: t.optional("name"), Partitioner: t.expr("partitioner"), OtherPartitioner: t.expr("otherPartitioner")}
}

func (o *object) materialized() *Materialized {
	m := o.object("materialized")
	if m == nil {
		return nil
	}
	defer m.done()
	return &Materialized{Name: m.optional("name"), Key: m.serde("key"), Value: m.serde("value"),
		StoreType: m.word("storeType", "rocksDB", "inMemory"), Supplier: m.supplier("supplier"), Caching: m.boolean("caching"),
		Logging: m.logging(), RetentionMs: m.long("retentionMs")}
}

func (o *object) logging() *Logging {
	node, ok := o.present("logging")
	if !ok {
		return nil
	}
	if enabled, ok := node.(bool); ok {
		return &Logging{Enabled: enabled}
	}
	return &Logging{Enabled: true, Config: o.texts("logging")}
}

func (o *object) supplier(member string) *Supplier {
	c := o.object(member)
	if c == nil {
		return nil
	}
	defer c.done()
	s := &Supplier{Kind: c.need("kind"), Name: c.need("name")}
	switch s.Kind {
	case "persistentKeyValue", "persistentTimestampedKeyValue", "persistentTimestampedKeyValueWithHeaders", "inMemoryKeyValue":
	case "lruMap":
		s.MaxEntries = c.needLong("maxEntries")
	case "persistentVersioned":
		s.HistoryRetentionMs, s.SegmentIntervalMs = c.needLong("historyRetentionMs"), c.long("segmentIntervalMs")
	case "persistentWindow", "persistentTimestampedWindow", "persistentTimestampedWindowWithHeaders", "inMemoryWindow":
		s.RetentionMs, s.WindowSizeMs = c.needLong("retentionMs"), c.needLong("windowSizeMs")
		s.RetainDuplicates = c.flag("retainDuplicates")
	case "persistentSession", "persistentSessionWithHeaders", "inMemorySession":
		s.RetentionMs = c.needLong("retentionMs")
	default:
		c.r.fail("%s: unknown store supplier %s", c.where, s.Kind)
	}
	return s
}

func (o *object) store() *Store {
	return o.needObject("store").storeSpec()
}

func (o *object) storeSpec() *Store {
	defer o.done()
	s := &Store{Supplier: o.supplier("supplier"), Builder: o.needWord("builder", StoreBuilders...),
		Key: o.serde("key"), Value: o.serde("value"), Caching: o.boolean("caching"), Logging: o.logging()}
	if s.Supplier == nil {
		o.missing("supplier")
	}
	if s.Key == "" || s.Value == "" {
		o.missing("key and value")
	}
	return s
}
