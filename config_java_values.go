package millrace

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/millrace/millrace/processor"
)

func text(field func(*Config) *string) setter {
	return func(c *Config, _ *saslProperties, v string) error {
		*field(c) = v
		return nil
	}
}

func number(field func(*Config) *int) setter {
	return func(c *Config, _ *saslProperties, v string) error {
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not a whole number of at most 32 bits", v)
		}
		*field(c) = int(n)
		return nil
	}
}

func truth(field func(*Config) *bool) setter {
	return func(c *Config, _ *saslProperties, v string) error {
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true":
			*field(c) = true
		case "false":
			*field(c) = false
		default:
			return fmt.Errorf("%q is neither true nor false", v)
		}
		return nil
	}
}

func parseLong(v string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", v)
	}
	return n, nil
}

// asDuration saturates: Java has longer times in milliseconds.
func asDuration(ms int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(max(ms, -most), most)) * time.Millisecond
}

func millis(field func(*Config) *time.Duration) setter {
	return func(c *Config, _ *saslProperties, v string) error {
		n, err := parseLong(v)
		*field(c) = asDuration(n)
		return err
	}
}

// orNegative is for settings where zero is a choice of its own in Java and the
// default here.
func orNegative(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

func setCommitInterval(c *Config, _ *saslProperties, v string) error {
	n, err := parseLong(v)
	c.CommitInterval = orNegative(asDuration(n))
	return err
}

func setLinger(c *Config, _ *saslProperties, v string) error {
	n, err := parseLong(v)
	c.Linger = orNegative(asDuration(n))
	return err
}

func setChangelogExtra(c *Config, _ *saslProperties, v string) error {
	n, err := parseLong(v)
	c.WindowedChangelogExtra = orNegative(asDuration(n))
	return err
}

func setBrokers(c *Config, _ *saslProperties, v string) error {
	for b := range strings.SplitSeq(v, ",") {
		if b = strings.TrimSpace(b); b != "" {
			c.Brokers = append(c.Brokers, b)
		}
	}
	return nil
}

func setCache(c *Config, _ *saslProperties, v string) error {
	n, err := parseLong(v)
	if c.CacheBytes = n; n == 0 {
		c.CacheBytes = NoCache
	}
	return err
}

// setOldCache is for the deprecated key, which loses to the new one.
func setOldCache(c *Config, l *saslProperties, v string) error {
	if c.CacheBytes != 0 {
		return nil
	}
	return setCache(c, l, v)
}

func setOffsetReset(c *Config, _ *saslProperties, v string) error {
	policy, iso, _ := strings.Cut(strings.TrimSpace(v), ":")
	c.OffsetReset = processor.OffsetReset{Policy: strings.ToLower(policy), Text: iso}
	if c.OffsetReset.Policy != "by_duration" {
		_, err := kafkaReset(c.OffsetReset)
		return err
	}
	back, err := parseISO(iso)
	c.OffsetReset.Back = back.Milliseconds()
	return err
}

var isoDuration = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,9})?)S)?)?$`)

// parseISO reads durations like P1DT2H3M4.5S.
func parseISO(s string) (time.Duration, error) {
	m := isoDuration.FindStringSubmatch(strings.ToUpper(s))
	if m == nil || len(s) < 3 {
		return 0, fmt.Errorf("%q is not a duration in ISO 8601, like PT1H30M", s)
	}
	var d time.Duration
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if m[i+1] != "" {
			n, _ := strconv.ParseFloat(m[i+1], 64)
			d += time.Duration(n * float64(unit))
		}
	}
	return d, nil
}

func setStore(c *Config, _ *saslProperties, v string) error {
	switch v {
	case "rocksDB":
		c.InMemoryStores = false
	case "in_memory":
		c.InMemoryStores = true
	default:
		return fmt.Errorf("%q is neither rocksDB nor in_memory", v)
	}
	return nil
}

func setStoreClass(c *Config, _ *saslProperties, v string) error {
	switch v[strings.LastIndexAny(v, ".$")+1:] {
	case "RocksDBDslStoreSuppliers":
		c.InMemoryStores = false
	case "InMemoryDslStoreSuppliers":
		c.InMemoryStores = true
	default:
		return fmt.Errorf("%s is a class of yours: choose the kind of a store with with.Backend or with.StoreSupplier", v)
	}
	return nil
}

func setStoreFormat(c *Config, _ *saslProperties, v string) error {
	switch strings.ToUpper(v) {
	case "DEFAULT":
		c.HeaderStores = false
	case "HEADERS":
		c.HeaderStores = true
	default:
		return fmt.Errorf("%q is neither DEFAULT nor HEADERS", v)
	}
	return nil
}

func setExtractor(c *Config, _ *saslProperties, v string) error {
	switch v[strings.LastIndexAny(v, ".$")+1:] {
	case "FailOnInvalidTimestamp":
		c.TimestampExtractor = processor.FailOnInvalidTimestamp
	case "LogAndSkipOnInvalidTimestamp":
		c.TimestampExtractor = processor.LogAndSkipOnInvalidTimestamp
	case "UsePartitionTimeOnInvalidTimestamp":
		c.TimestampExtractor = processor.UsePartitionTimeOnInvalidTimestamp
	case "WallclockTimestampExtractor":
		c.TimestampExtractor = processor.WallclockTimestamp
	default:
		return fmt.Errorf("%s is a class of yours: write it as a processor.TimestampExtractor and set Config.TimestampExtractor", v)
	}
	return nil
}

func setDeserializationHandler(c *Config, _ *saslProperties, v string) error {
	switch v[strings.LastIndexAny(v, ".$")+1:] {
	case "LogAndFailExceptionHandler":
		c.OnDeserializationError = nil
	case "LogAndContinueExceptionHandler":
		c.OnDeserializationError = ContinueOnDeserializationError
	default:
		return fmt.Errorf("%s is a class of yours: write it as a function and set Config.OnDeserializationError", v)
	}
	return nil
}

func setProcessingHandler(c *Config, _ *saslProperties, v string) error {
	switch v[strings.LastIndexAny(v, ".$")+1:] {
	case "LogAndFailProcessingExceptionHandler":
		c.OnProcessingError = nil
	case "LogAndContinueProcessingExceptionHandler":
		c.OnProcessingError = ContinueOnProcessingError
	default:
		return fmt.Errorf("%s is a class of yours: write it as a function and set Config.OnProcessingError", v)
	}
	return nil
}

func setGuarantee(_ *Config, _ *saslProperties, v string) error {
	if v != "at_least_once" {
		return fmt.Errorf("%q is not supported yet: at_least_once is", v)
	}
	return nil
}

func setProtocol(_ *Config, _ *saslProperties, v string) error {
	if !strings.EqualFold(v, "classic") {
		return fmt.Errorf("%q is not supported yet: classic is", v)
	}
	return nil
}
