package storebytes

import (
	"errors"
	"fmt"
)

// The last byte of a repartitioned change says what is in front of it. The
// three `…Latest` forms have one more byte before it; Kafka Streams 4.3.1 reads
// but never writes them.
const (
	changeOld byte = iota
	changeNew
	changeBoth
	changeOldLatest
	changeNewLatest
	changeBothLatest
)

// Change is an update of a table on its way through a repartition topic, as
// bytes of the value serde. A nil side is absent; an empty one is not.
type Change struct {
	Old, New []byte
	// Latest is false for an out-of-order update of a versioned table.
	Latest bool
}

// AppendChange appends the repartition value of an update (Java:
// ChangedSerializer): `old ‖ 00`, `new ‖ 01`, or `varint len(new) ‖ new ‖ old ‖
// 02`. At least one side must be present. Both may be sent together only if
// they belong to the same grouping key and SplitsChanges is false; otherwise
// the old one goes first, on its own.
func AppendChange(dst, oldValue, newValue []byte, hasOld, hasNew bool) ([]byte, error) {
	switch {
	case hasOld && hasNew:
		dst = AppendVarint(dst, len(newValue))
		dst = append(dst, newValue...)
		dst = append(dst, oldValue...)
		return append(dst, changeBoth), nil
	case hasNew:
		return append(append(dst, newValue...), changeNew), nil
	case hasOld:
		return append(append(dst, oldValue...), changeOld), nil
	default:
		return dst, errors.New("a change needs an old or a new value")
	}
}

// ParseChange reads a repartition value (Java: ChangedDeserializer). The sides
// are slices of data.
func ParseChange(data []byte) (Change, error) {
	c, err := parseChange(data)
	if err != nil {
		return Change{}, fmt.Errorf("change of %d bytes: %w", len(data), err)
	}
	return c, nil
}

func parseChange(data []byte) (Change, error) {
	if len(data) == 0 {
		return Change{}, errors.New("empty")
	}
	flag, body := data[len(data)-1], data[:len(data)-1]
	c := Change{Latest: true}
	if flag >= changeOldLatest && flag <= changeBothLatest {
		if len(body) == 0 || body[len(body)-1] > 1 {
			return Change{}, errors.New("malformed latest flag")
		}
		c.Latest = body[len(body)-1] == 1
		body, flag = body[:len(body)-1], flag-changeOldLatest
	}
	switch flag {
	case changeOld:
		c.Old = body
	case changeNew:
		c.New = body
	case changeBoth:
		n, rest, err := ReadVarint(body)
		if err != nil {
			return Change{}, err
		}
		if n < 0 || n > len(rest) {
			return Change{}, fmt.Errorf("new value of %d bytes is longer than the %d left", n, len(rest))
		}
		c.New, c.Old = rest[:n:n], rest[n:]
	default:
		return Change{}, fmt.Errorf("unknown encoding flag %d", data[len(data)-1])
	}
	return c, nil
}

// SplitsChanges reports whether upgrade.from names a release that cannot read a
// change with both sides (2.4 to 3.4, KIP-904): old and new value are then sent
// as two records even for one grouping key.
func SplitsChanges(upgradeFrom string) bool {
	switch upgradeFrom {
	case "2.4", "2.5", "2.6", "2.7", "2.8", "3.0", "3.1", "3.2", "3.3", "3.4":
		return true
	}
	return false
}
