package javaorder

import "unicode/utf8"

// StringHash is Java's String.hashCode: the base-31 polynomial over the UTF-16
// units of s, modulo 2³². Bytes that are no UTF-8 count as U+FFFD, which is
// what Java's decoder makes of them.
func StringHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r < 0x10000 {
			h = 31*h + r
			continue
		}
		// A rune above the basic plane is a surrogate pair in Java.
		r -= 0x10000
		h = 31*h + (0xd800 + r>>10)
		h = 31*h + (0xdc00 + r&0x3ff)
	}
	return h
}

// BytesHash is the hashCode of Kafka's Bytes, which is Arrays.hashCode of the
// signed bytes. The key is a string so that it can be a map key; it is read as
// bytes, not as text.
func BytesHash(key string) int32 {
	h := int32(1)
	for i := 0; i < len(key); i++ {
		h = 31*h + int32(int8(key[i]))
	}
	return h
}

// SetHash is the hashCode of a Java Set<String>: the sum of the hashes of its
// members, which must be distinct.
func SetHash(members []string) int32 {
	var h int32
	for _, m := range members {
		h += StringHash(m)
	}
	return h
}

// spread folds the high half of a hash into the low half, since only low bits
// choose a bucket (HashMap.hash).
func spread(h int32) uint32 {
	return uint32(h) ^ uint32(h)>>16
}

// CompareStrings orders strings as Java's String.compareTo does: by UTF-16
// unit. It differs from Go's order only between runes above U+FFFF and runes
// from U+E000 to U+FFFF. The result is negative, zero or positive.
func CompareStrings(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return utf16Rank(ra) - utf16Rank(rb)
		}
		a, b = a[na:], b[nb:]
	}
	return len(a) - len(b)
}

// utf16Rank maps a rune to a number whose order is the UTF-16 order: surrogate
// pairs start with 0xd800..0xdbff and so sort below 0xe000.
func utf16Rank(r rune) int {
	switch {
	case r < 0xe000:
		return int(r)
	case r < 0x10000:
		return int(r) + 0x110000
	default:
		return int(r)
	}
}
