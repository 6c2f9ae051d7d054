package serde

import "unicode/utf8"

// String is Java's StringSerde with its default encoding, UTF-8.
//
// Malformed bytes never fail to decode: each malformed part becomes U+FFFD,
// divided into parts as Java's decoder divides it, so that a text compares
// equal on both sides.
//
// What is written is always valid UTF-8. A Go string can hold malformed bytes,
// Java's cannot; they are written as the text Java would have read from them,
// so that a key keeps its bytes on its way through a repartition topic. The one
// exception is the three-byte form of a surrogate, the only way a Go string can
// carry what Java calls an unpaired surrogate: as in Java it is written as "?".
func String() Serde[string] { return stringSerde{} }

type stringSerde struct{}

func (stringSerde) Append(dst []byte, _ string, v string) ([]byte, error) {
	if utf8.ValidString(v) {
		return append(dst, v...), nil
	}
	return appendRepaired(dst, v, "?"), nil
}

func (stringSerde) Decode(_ string, data []byte) (string, error) {
	if utf8.Valid(data) {
		return string(data), nil
	}
	return string(appendRepaired(make([]byte, 0, 2*len(data)), data, "\uFFFD")), nil
}

func (stringSerde) String() string { return "string" }

// appendRepaired appends text with every malformed part replaced by U+FFFD and
// every encoded surrogate by the given text.
func appendRepaired[S string | []byte](dst []byte, text S, surrogate string) []byte {
	s := string(text)
	for len(s) > 0 {
		if r, n := utf8.DecodeRuneInString(s); r != utf8.RuneError || n > 1 {
			dst = append(dst, s[:n]...)
			s = s[n:]
			continue
		}
		n := malformedLen(s)
		if isSurrogate(s) {
			dst = append(dst, surrogate...)
		} else {
			dst = append(dst, "\uFFFD"...)
		}
		s = s[n:]
	}
	return dst
}

// malformedLen returns how many of the leading bytes of s, which begins with a
// malformed sequence, Java replaces by one U+FFFD: the longest start of a legal
// sequence, at least one byte. A surrogate counts as legal until its end, and
// so is replaced as a whole.
func malformedLen(s string) int {
	want := 1
	switch b := s[0]; {
	case b >= 0xc2 && b <= 0xdf:
		want = 2
	case b >= 0xe0 && b <= 0xef:
		want = 3
	case b >= 0xf0 && b <= 0xf4:
		want = 4
	}
	n := 1
	for n < want && n < len(s) && continues(s, n) {
		n++
	}
	return n
}

// continues reports whether byte i of s may follow the bytes before it, which
// are the start of a legal sequence (or of a surrogate).
func continues(s string, i int) bool {
	low, high := byte(0x80), byte(0xbf)
	if i == 1 {
		switch s[0] {
		case 0xe0:
			low = 0xa0
		case 0xf0:
			low = 0x90
		case 0xf4:
			high = 0x8f
		}
	}
	return s[i] >= low && s[i] <= high
}

// isSurrogate reports whether s begins with the three-byte form of a surrogate.
func isSurrogate(s string) bool {
	return len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80
}
