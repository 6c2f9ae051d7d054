package runtime

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
)

// State is what the application is doing in this process (Java:
// KafkaStreams.State, with the same numbers).
type State int

// The states; NotRunning and Failed are final.
const (
	Created State = iota
	Rebalancing
	Running
	PendingShutdown
	NotRunning
	PendingError
	Failed
)

var stateNames = [...]string{"CREATED", "REBALANCING", "RUNNING", "PENDING_SHUTDOWN", "NOT_RUNNING", "PENDING_ERROR", "ERROR"}

// String is Java's name of the state.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// successors are the transitions that exist (KafkaStreams.State).
var successors = [...][]State{
	Created:         {Rebalancing, PendingShutdown, PendingError},
	Rebalancing:     {Running, PendingShutdown, PendingError},
	Running:         {Rebalancing, PendingShutdown, PendingError},
	PendingShutdown: {NotRunning},
	PendingError:    {Failed},
}

// machine holds the state and tells its changes, in order and one at a time.
type machine struct {
	log      *slog.Logger
	listener func(old, new State)

	// telling is held while a change is told, so that listeners see the
	// changes in order; it is taken before mu.
	telling sync.Mutex
	mu      sync.Mutex
	state   State
}

func (m *machine) get() State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state
}

// to changes the state; false if there is no such transition now.
func (m *machine) to(next State) bool {
	m.telling.Lock()
	defer m.telling.Unlock()
	m.mu.Lock()
	old := m.state
	if int(old) >= len(successors) || !slices.Contains(successors[old], next) {
		m.mu.Unlock()
		return false
	}
	m.state = next
	m.mu.Unlock()
	m.log.Info("state changed", "from", old.String(), "to", next.String())
	if m.listener != nil {
		m.listener(old, next)
	}
	return true
}
