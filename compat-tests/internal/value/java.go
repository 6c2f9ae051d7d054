package value

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/millrace/millrace/serde"
)

// deserializers are the names by which Java's deserializers complain about a
// wrong number of bytes.
var deserializers = map[string]string{"int16": "ShortDeserializer", "int32": "IntegerDeserializer", "int64": "LongDeserializer",
	"float32": "Deserializer", "float64": "Deserializer", "bool": "BooleanDeserializer"}

// inJava gives an error of reading bytes the exception that Java throws there.
func inJava(err error) error {
	var length *serde.LengthError
	if !errors.As(err, &length) {
		return err
	}
	name, ok := deserializers[length.Type]
	if !ok {
		return err
	}
	return &Exception{ClassSerialization, fmt.Sprintf("Size of data received by %s is not %d", name, length.Want)}
}

// classNegativeSize is what Java throws for windowed keys that are too short.
const classNegativeSize = "java.lang.NegativeArraySizeException"

// longEnough tells whether bytes can be a windowed key, whose window takes the
// given number of bytes.
func longEnough(data []byte, window int) error {
	if n := len(data); n > 0 && n < window {
		return &Exception{classNegativeSize, strconv.Itoa(n - window)}
	}
	return nil
}
