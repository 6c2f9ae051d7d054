package run

import (
	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/statestore"
)

// windowStore is a window store of any format.
type windowStore[S any] struct {
	statestore.Window[any, S]
	word   string
	format format[S]
}

func (s windowStore[S]) kind() string { return s.word }

func (s windowStore[S]) all() ([]row, error) { return drain(s.All(), s.format.row) }

func (s windowStore[S]) read(op string, args []any) (row, bool, error) {
	if op != "fetch" {
		return row{}, false, wrongKind(op)
	}
	start, err := long(args[1])
	if err != nil {
		return row{}, false, err
	}
	v, ok, err := s.Fetch(args[0], start)
	return s.format.row(args[0], v), ok, err
}

func (s windowStore[S]) scan(mode string, a arguments) ([]row, error) {
	switch mode {
	case "all":
		return s.all()
	case "reverseAll":
		return drain(s.Backward(), s.format.row)
	}
	from, err := long(a["timeFrom"])
	if err != nil {
		return nil, err
	}
	to, err := long(a["timeTo"])
	if err != nil {
		return nil, err
	}
	switch mode {
	case "fetch", "backwardFetch":
		return s.fetch(mode == "fetch", a, from, to)
	case "fetchAll":
		return drain(s.FetchAll(from, to), s.format.row)
	case "backwardFetchAll":
		return drain(s.FetchAllBackward(from, to), s.format.row)
	}
	return nil, wrongKind(mode)
}

// fetch reads one key, whose entries have the window's start for a key as
// Java's iterator has, or the keys between bounds.
func (s windowStore[S]) fetch(forward bool, a arguments, from, to int64) ([]row, error) {
	key, one := a["key"]
	switch {
	case one && forward:
		return drain(s.FetchKey(key, from, to), s.byStart)
	case one:
		return drain(s.FetchKeyBackward(key, from, to), s.byStart)
	case forward:
		return drain(s.FetchKeys(bounds(a), from, to), s.format.row)
	}
	return drain(s.FetchKeys(bounds(a).Reverse(), from, to), s.format.row)
}

func (s windowStore[S]) byStart(key any, v S) row {
	return s.format.row(key.(value.Windowed).Start, v)
}

func (s windowStore[S]) put(w write) (any, bool, error) {
	v, null, err := s.format.make(w)
	if err != nil {
		return nil, false, err
	}
	start, err := long(w.start)
	if err != nil {
		return nil, false, err
	}
	if null {
		return nil, false, s.Remove(w.key, start)
	}
	return nil, false, s.Put(w.key, v, start)
}

func (s windowStore[S]) putIfAbsent(write) (row, bool, error) {
	return row{}, false, wrongKind("putIfAbsent")
}

func (s windowStore[S]) delete(w write) (row, bool, error) {
	start, err := long(w.start)
	if err != nil {
		return row{}, false, err
	}
	return row{}, false, s.Remove(w.key, start)
}

// sessionStore is a session store of any format.
type sessionStore[S any] struct {
	statestore.Session[any, S]
	word   string
	format format[S]
}

func (s sessionStore[S]) kind() string { return s.word }

func (s sessionStore[S]) all() ([]row, error) {
	return drain(s.FetchKeys(statestore.Bounds[any]{}), s.format.row)
}

func (s sessionStore[S]) read(op string, args []any) (row, bool, error) {
	if op != "fetchSession" {
		return row{}, false, wrongKind(op)
	}
	w, err := sessionKey(args[0], args[1], args[2])
	if err != nil {
		return row{}, false, err
	}
	v, ok, err := s.FetchSession(w.Key, w.Start, w.End)
	return s.format.row(args[0], v), ok, err
}

func sessionKey(key, start, end any) (w value.Windowed, err error) {
	w.Key = key
	if w.Start, err = long(start); err == nil {
		w.End, err = long(end)
	}
	return w, err
}

func (s sessionStore[S]) scan(mode string, a arguments) ([]row, error) {
	key, one := a["key"]
	switch mode {
	case "fetch", "backwardFetch":
		switch {
		case one && mode == "fetch":
			return drain(s.FetchKey(key), s.format.row)
		case one:
			return drain(s.FetchKeyBackward(key), s.format.row)
		case mode == "fetch":
			return drain(s.FetchKeys(bounds(a)), s.format.row)
		}
		return drain(s.FetchKeys(bounds(a).Reverse()), s.format.row)
	case "findSessions", "backwardFindSessions":
		return s.find(mode == "findSessions", a)
	}
	return nil, wrongKind(mode)
}

func (s sessionStore[S]) find(forward bool, a arguments) ([]row, error) {
	earliestEnd, err := long(a["earliestEnd"])
	if err != nil {
		return nil, err
	}
	latestStart, err := long(a["latestStart"])
	if err != nil {
		return nil, err
	}
	key, one := a["key"]
	switch {
	case one && forward:
		return drain(s.FindSessions(key, earliestEnd, latestStart), s.format.row)
	case one:
		return drain(s.FindSessionsBackward(key, earliestEnd, latestStart), s.format.row)
	case forward:
		return drain(s.FindSessionsOf(bounds(a), earliestEnd, latestStart), s.format.row)
	}
	return drain(s.FindSessionsOf(bounds(a).Reverse(), earliestEnd, latestStart), s.format.row)
}

func (s sessionStore[S]) put(w write) (any, bool, error) {
	k, err := sessionKey(w.key, w.start, w.end)
	if err != nil {
		return nil, false, err
	}
	v, null, err := s.format.make(w)
	if err != nil {
		return nil, false, err
	}
	if null {
		return nil, false, s.Remove(k)
	}
	return nil, false, s.Put(k, v)
}

func (s sessionStore[S]) putIfAbsent(write) (row, bool, error) {
	return row{}, false, wrongKind("putIfAbsent")
}

func (s sessionStore[S]) delete(w write) (row, bool, error) {
	k, err := sessionKey(w.key, w.start, w.end)
	if err != nil {
		return row{}, false, err
	}
	return row{}, false, s.Remove(k)
}
