package statestore

// WindowSupplier is a window store that an aggregation or a join of the DSL
// can be given in place of its own (Java: WindowBytesStoreSupplier).
type WindowSupplier struct {
	name    string
	backend Backend
	kind    Kind
	config  WindowConfig
}

// SupplyWindow describes a window store whose rows are of the given kind: on
// disk KindWindow, KindTimestampedWindow or KindHeadersWindow (Java:
// Stores.persistentWindowStore, persistentTimestampedWindowStore and
// persistentTimestampedWindowStoreWithHeaders), in memory KindWindow
// (inMemoryWindowStore). A nil backend is the default one.
func SupplyWindow(name string, b Backend, k Kind, c WindowConfig) WindowSupplier {
	return WindowSupplier{name, b, k, c}
}

// Name is the store's name.
func (s WindowSupplier) Name() string { return s.name }

// WindowBackend is what the store is made of.
func (s WindowSupplier) WindowBackend() (Backend, Kind, WindowConfig) {
	return s.backend, s.kind, s.config
}

// SessionSupplier is a session store that an aggregation of the DSL can be
// given in place of its own (Java: SessionBytesStoreSupplier).
type SessionSupplier struct {
	name    string
	backend Backend
	kind    Kind
	config  SessionConfig
}

// SupplySession describes a session store whose rows are of the given kind: on
// disk KindSession or KindHeadersSession (Java: Stores.persistentSessionStore
// and persistentSessionStoreWithHeaders), in memory KindSession
// (inMemorySessionStore). A nil backend is the default one.
func SupplySession(name string, b Backend, k Kind, c SessionConfig) SessionSupplier {
	return SessionSupplier{name, b, k, c}
}

// Name is the store's name.
func (s SessionSupplier) Name() string { return s.name }

// SessionBackend is what the store is made of.
func (s SessionSupplier) SessionBackend() (Backend, Kind, SessionConfig) {
	return s.backend, s.kind, s.config
}

// VersionedSupplier is a versioned store that a table of the DSL can be given
// in place of its own (Java: VersionedBytesStoreSupplier).
type VersionedSupplier struct {
	name    string
	backend Backend
	config  VersionedConfig
}

// SupplyVersioned describes a versioned store (Java:
// Stores.persistentVersionedKeyValueStore). A nil backend is the default one.
func SupplyVersioned(name string, b Backend, c VersionedConfig) VersionedSupplier {
	return VersionedSupplier{name, b, c}
}

// Name is the store's name.
func (s VersionedSupplier) Name() string { return s.name }

// VersionedBackend is what the store is made of.
func (s VersionedSupplier) VersionedBackend() (Backend, VersionedConfig) { return s.backend, s.config }

// KeyValueSupplier is a key-value store that a table of the DSL can be given in
// place of its own (Java: KeyValueBytesStoreSupplier).
type KeyValueSupplier struct {
	name    string
	backend Backend
	kind    Kind
}

// SupplyKeyValue describes a key-value store whose rows are of the given kind:
// on disk KindKeyValue, KindTimestampedKeyValue or KindHeadersKeyValue (Java:
// Stores.persistentKeyValueStore, persistentTimestampedKeyValueStore and
// persistentTimestampedKeyValueStoreWithHeaders), in memory KindKeyValue
// (inMemoryKeyValueStore, lruMap). A nil backend is the default one.
func SupplyKeyValue(name string, b Backend, k Kind) KeyValueSupplier {
	return KeyValueSupplier{name, b, k}
}

// Name is the store's name.
func (s KeyValueSupplier) Name() string { return s.name }

// KeyValueBackend is what the store is made of.
func (s KeyValueSupplier) KeyValueBackend() (Backend, Kind) { return s.backend, s.kind }
