package run

import (
	"strconv"
	"strings"

	"github.com/millrace/millrace/compat-tests/internal/value"
	"github.com/millrace/millrace/processor"
	"github.com/millrace/millrace/serde"
)

// settings is the configuration of a scenario in the terms of the API.
type settings struct {
	config processor.Config
	// key and value are the default serdes, nil when there is none.
	key, value serde.Serde[any]
	// memoryBuilder makes stores lie in memory where the builder decides.
	memoryBuilder bool
	// wrapped tells to record the processors that are wrapped.
	wrapped bool
	// emitMs is the interval of scans for closed windows in milliseconds.
	emitMs int64
}

// classConfig is the class of Java's complaints about values of the
// configuration.
const classConfig = "org.apache.kafka.common.config.ConfigException"

// configKeys are the keys that are implemented; each sets what its value says.
// Keys that begin with topic. are settings of internal topics.
var configKeys = map[string]func(r *run, text string) error{
	"application.id": func(r *run, text string) error { r.settings.config.ApplicationID = text; return nil },
	"statestore.cache.max.bytes": func(r *run, text string) (err error) {
		r.settings.config.CacheBytes, err = number(text)
		return err
	},
	"default.key.serde":   func(r *run, text string) (err error) { r.settings.key, err = defaultSerde(text); return err },
	"default.value.serde": func(r *run, text string) (err error) { r.settings.value, err = defaultSerde(text); return err },
	"default.timestamp.extractor": func(r *run, text string) (err error) {
		r.settings.config.TimestampExtractor, err = extractorByName(text)
		return err
	},
	"deserialization.exception.handler":         (*run).deserializationHandler,
	"default.deserialization.exception.handler": (*run).deserializationHandler,
	"processing.exception.handler":              (*run).processingHandler,
	"production.exception.handler":              (*run).productionHandler,
	"errors.dead.letter.queue.topic.name":       func(r *run, text string) error { r.settings.config.DeadLetterTopic = text; return nil },
	"processing.exception.handler.global.enabled": func(r *run, text string) (err error) {
		r.settings.config.GlobalProcessingErrors, err = strconv.ParseBool(text)
		return err
	},
	"dsl.store.suppliers.class": func(r *run, text string) error {
		r.settings.config.InMemoryStores = text == "inMemory"
		return oneOf("dsl.store.suppliers.class", text, "inMemory", "rocksDB")
	},
	// Only what the builder decides follows the older key, and only without the
	// newer one.
	"default.dsl.store": func(r *run, text string) error {
		_, newer := r.scenario.Config["dsl.store.suppliers.class"]
		r.settings.memoryBuilder = text == "in_memory" && !newer
		if text != "in_memory" && text != "rocksDB" {
			return &value.Exception{Class: classConfig, Message: "default.dsl.store: " + text}
		}
		return nil
	},
	"dsl.store.format": func(r *run, text string) error {
		r.settings.config.HeaderStores = strings.EqualFold(text, "headers")
		if !strings.EqualFold(text, "headers") && !strings.EqualFold(text, "default") {
			return &value.Exception{Class: classConfig, Message: "dsl.store.format: " + text}
		}
		return nil
	},
	"topology.optimization": func(r *run, text string) error { r.settings.config.Optimize = text; return nil },
	"ensure.explicit.internal.resource.naming": func(r *run, text string) (err error) {
		r.settings.config.ExplicitNames, err = strconv.ParseBool(text)
		return err
	},
	"__enable.process.processValue.fix__": func(r *run, text string) (err error) {
		r.settings.config.ProcessValuesFix, err = strconv.ParseBool(text)
		return err
	},
	"windowstore.changelog.additional.retention.ms": func(r *run, text string) (err error) {
		r.settings.config.WindowedChangelogExtra, err = number(text)
		return err
	},
	"max.task.idle.ms": func(r *run, text string) (err error) {
		r.settings.config.MaxTaskIdle, err = number(text)
		return err
	},
	"processor.wrapper.class": func(r *run, text string) error {
		r.settings.wrapped = true
		return oneOf("processor.wrapper.class", text, "recording")
	},
	"__emit.interval.ms.kstreams.outer.join.spurious.results.fix__": (*run).emitInterval,
	"__emit.interval.ms.kstreams.windowed.aggregation__":            (*run).emitInterval,
	// The driver commits after every step, whatever these say.
	"commit.interval.ms":   func(*run, string) error { return nil },
	"processing.guarantee": (*run).guarantee,
}

// emitInterval sets the one interval there is here for both of Java's.
func (r *run) emitInterval(text string) (err error) {
	r.settings.emitMs, err = number(text)
	return err
}

// topicPrefix begins the keys of settings for internal topics.
const topicPrefix = "topic."

// knowsConfig tells whether a key is implemented.
func knowsConfig(key string) bool {
	return configKeys[key] != nil || strings.HasPrefix(key, topicPrefix)
}

// configure reads the scenario's configuration. The newer of the two keys for
// the deserialization handler is read last, so that it holds.
func (r *run) configure() error {
	r.settings.config = processor.Config{ApplicationID: "oracle", WindowedChangelogExtra: processor.DefaultWindowedChangelogExtra}
	keys := make([]string, 0, len(r.scenario.Config))
	for key := range r.scenario.Config {
		keys = append(keys, key)
	}
	for _, key := range sortedTexts(keys) {
		text := r.scenario.Config[key]
		if name, ok := strings.CutPrefix(key, topicPrefix); ok {
			if r.settings.config.TopicConfig == nil {
				r.settings.config.TopicConfig = map[string]string{}
			}
			r.settings.config.TopicConfig[name] = text
			continue
		}
		if err := configKeys[key](r, text); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) guarantee(text string) error {
	if text == "at_least_once" || text == "exactly_once_v2" {
		return nil
	}
	return &value.Exception{Class: classConfig, Message: "processing.guarantee: " + text}
}

func number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &value.Exception{Class: classConfig, Message: "not a number: " + text}
	}
	return n, nil
}

func oneOf(key, text string, words ...string) error {
	for _, w := range words {
		if text == w {
			return nil
		}
	}
	return &value.Fault{Message: "config " + key + ": unknown value " + text}
}

func defaultSerde(name string) (serde.Serde[any], error) {
	s, err := value.NewSerde(name)
	if err == nil && !s.CanBeDefault() {
		err = &value.Fault{Message: "serde cannot be a default: " + name}
	}
	if err != nil {
		return nil, err
	}
	return s.Serde, nil
}

func extractorByName(name string) (processor.TimestampExtractor, error) {
	switch name {
	case "failOnInvalid":
		return processor.FailOnInvalidTimestamp, nil
	case "logAndSkipOnInvalid":
		return processor.LogAndSkipOnInvalidTimestamp, nil
	case "usePartitionTimeOnInvalid":
		return processor.UsePartitionTimeOnInvalidTimestamp, nil
	case "wallclock":
		return processor.WallclockTimestamp, nil
	case "plus1000":
		return processor.TimestampFunc(func(m *processor.Message, _ int64) (int64, error) { return m.Timestamp + 1000, nil }), nil
	}
	return nil, &value.Fault{Message: "unknown timestamp extractor " + name}
}
