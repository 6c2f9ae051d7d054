package statestore

import "fmt"

// TypeError says that a store has another interface than was asked for.
type TypeError struct {
	Store      string
	Have, Want string
}

// Error names the store and both types.
func (e *TypeError) Error() string {
	return fmt.Sprintf("store %s is a %s, not a %s", e.Store, e.Have, e.Want)
}

// find looks a store up and checks its type.
func find[S any](f Finder, name string) (S, error) {
	var none S
	st, err := f.Store(name)
	if err != nil {
		return none, err
	}
	s, ok := st.(S)
	if !ok {
		return none, &TypeError{Store: name, Have: fmt.Sprintf("%T", st), Want: fmt.Sprintf("%T", &none)[1:]}
	}
	return s, nil
}
