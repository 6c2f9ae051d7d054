package millrace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// ConfigFromProperties reads the properties file of a Java application, so that
// a team can begin with what it has. Every key of Kafka Streams is known: those
// without a counterpart here are returned as warnings that say what becomes of
// them, and one that does not exist in Java either is an error that names the
// nearest key. All errors are returned at once, each with its line.
func ConfigFromProperties(r io.Reader) (c Config, warnings []string, err error) {
	props, err := readProperties(r)
	if err != nil {
		return c, nil, err
	}
	var errs []error
	var login saslProperties
	for _, p := range props {
		warning, err := c.set(&login, p.key, p.value)
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %s: %w", p.line, p.key, err))
		}
		if warning != "" {
			warnings = append(warnings, fmt.Sprintf("line %d: %s: %s", p.line, p.key, warning))
		}
	}
	if err := login.apply(&c); err != nil {
		errs = append(errs, err)
	}
	return c, warnings, errors.Join(errs...)
}

// set applies one key. Prefixes choose a client: the most specific one counts
// in Java, here each setting exists once.
func (c *Config) set(login *saslProperties, key, value string) (warning string, err error) {
	if topic, ok := strings.CutPrefix(key, "topic."); ok {
		if c.TopicConfig == nil {
			c.TopicConfig = make(map[string]string)
		}
		c.TopicConfig[topic] = value
		return "", nil
	}
	if strings.HasPrefix(key, "client.tag.") {
		return "has no effect: standby tasks are not placed by tags", nil
	}
	plain := key
	for _, prefix := range []string{"main.consumer.", "consumer.", "producer.", "admin."} {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			plain = rest
			break
		}
	}
	if f, ok := javaKeys[plain]; ok {
		return "", f(c, login, value)
	}
	if why, ok := unsupportedKeys[plain]; ok {
		return why, nil
	}
	if plain != key || strings.HasPrefix(key, "restore.consumer.") || strings.HasPrefix(key, "global.consumer.") {
		return "has no effect: the client here has no such setting", nil
	}
	return "", fmt.Errorf("unknown key, nearest is %s", nearestKey(key))
}

type setter func(c *Config, login *saslProperties, value string) error

// javaKeys are the keys that have a counterpart.
var javaKeys = map[string]setter{
	"application.id":                                text(func(c *Config) *string { return &c.ApplicationID }),
	"bootstrap.servers":                             setBrokers,
	"client.id":                                     text(func(c *Config) *string { return &c.ClientID }),
	"client.rack":                                   text(func(c *Config) *string { return &c.Rack }),
	"group.instance.id":                             text(func(c *Config) *string { return &c.InstanceID }),
	"state.dir":                                     text(func(c *Config) *string { return &c.StateDir }),
	"num.stream.threads":                            number(func(c *Config) *int { return &c.Workers }),
	"commit.interval.ms":                            setCommitInterval,
	"poll.ms":                                       millis(func(c *Config) *time.Duration { return &c.PollTimeout }),
	"repartition.purge.interval.ms":                 millis(func(c *Config) *time.Duration { return &c.PurgeInterval }),
	"task.timeout.ms":                               millis(func(c *Config) *time.Duration { return &c.TaskTimeout }),
	"session.timeout.ms":                            millis(func(c *Config) *time.Duration { return &c.SessionTimeout }),
	"heartbeat.interval.ms":                         millis(func(c *Config) *time.Duration { return &c.HeartbeatInterval }),
	"metadata.max.age.ms":                           millis(func(c *Config) *time.Duration { return &c.MetadataMaxAge }),
	"statestore.cache.max.bytes":                    setCache,
	"cache.max.bytes.buffering":                     setOldCache,
	"buffered.records.per.partition":                number(func(c *Config) *int { return &c.BufferedRecordsPerPartition }),
	"max.task.idle.ms":                              millis(func(c *Config) *time.Duration { return &c.MaxTaskIdle }),
	"auto.offset.reset":                             setOffsetReset,
	"topology.optimization":                         text(func(c *Config) *string { return &c.Optimize }),
	"default.dsl.store":                             setStore,
	"dsl.store.suppliers.class":                     setStoreClass,
	"dsl.store.format":                              setStoreFormat,
	"ensure.explicit.internal.resource.naming":      truth(func(c *Config) *bool { return &c.ExplicitNames }),
	"default.timestamp.extractor":                   setExtractor,
	"windowstore.changelog.additional.retention.ms": setChangelogExtra,
	"replication.factor":                            number(func(c *Config) *int { return &c.ReplicationFactor }),
	"linger.ms":                                     setLinger,
	"compression.type":                              text(func(c *Config) *string { return &c.Compression }),
	"max.request.size":                              number(func(c *Config) *int { return &c.MaxRequestBytes }),
	"delivery.timeout.ms":                           millis(func(c *Config) *time.Duration { return &c.DeliveryTimeout }),
	"fetch.max.wait.ms":                             millis(func(c *Config) *time.Duration { return &c.FetchMaxWait }),
	"fetch.max.bytes":                               number(func(c *Config) *int { return &c.FetchMaxBytes }),
	"max.partition.fetch.bytes":                     number(func(c *Config) *int { return &c.MaxPartitionFetchBytes }),
	"errors.dead.letter.queue.topic.name":           text(func(c *Config) *string { return &c.DeadLetterTopic }),
	"processing.exception.handler.global.enabled":   truth(func(c *Config) *bool { return &c.GlobalProcessingErrors }),
	"deserialization.exception.handler":             setDeserializationHandler,
	"default.deserialization.exception.handler":     setDeserializationHandler,
	"processing.exception.handler":                  setProcessingHandler,
	"processing.guarantee":                          setGuarantee,
	"group.protocol":                                setProtocol,
	"security.protocol":                             func(_ *Config, l *saslProperties, v string) error { return l.setProtocol(v) },
	"sasl.mechanism":                                func(_ *Config, l *saslProperties, v string) error { l.mechanism = v; return nil },
	"sasl.jaas.config":                              func(_ *Config, l *saslProperties, v string) error { return l.setJaas(v) },
}

// unsupportedKeys exist in Java and do nothing here; the text says why.
var unsupportedKeys = map[string]string{
	"acceptable.recovery.lag":                     "has no effect yet: tasks move without warming up",
	"allow.os.group.write.access":                 "has no effect: set the process's umask",
	"application.server":                          "has no effect yet: stores are queried in the process only",
	"built.in.metrics.version":                    "has no effect: there is one version",
	"config.providers":                            "has no effect: give the values themselves",
	"connections.max.idle.ms":                     "has no effect: the client decides",
	"default.client.supplier":                     "names a Java class; there is one client here",
	"default.key.serde":                           "names a Java class; register serdes in Serdes, by Go type",
	"default.value.serde":                         "names a Java class; register serdes in Serdes, by Go type",
	"default.list.key.serde.inner":                "names a Java class; use serde.List",
	"default.list.key.serde.type":                 "names a Java class; use serde.List",
	"default.list.value.serde.inner":              "names a Java class; use serde.List",
	"default.list.value.serde.type":               "names a Java class; use serde.List",
	"default.production.exception.handler":        "names a Java class; set OnProductionError",
	"production.exception.handler":                "names a Java class; set OnProductionError",
	"enable.metrics.push":                         "has no effect: metrics are not pushed to brokers",
	"log.summary.interval.ms":                     "has no effect yet",
	"max.warmup.replicas":                         "has no effect yet: tasks move without warming up",
	"metadata.recovery.rebootstrap.trigger.ms":    "has no effect: the client decides",
	"metadata.recovery.strategy":                  "has no effect: the client decides",
	"metric.reporters":                            "names Java classes; has no effect",
	"metrics.num.samples":                         "has no effect yet",
	"metrics.recording.level":                     "has no effect yet",
	"metrics.sample.window.ms":                    "has no effect yet",
	"num.standby.replicas":                        "has no effect yet: there are no standby tasks",
	"probing.rebalance.interval.ms":               "has no effect yet: tasks move without warming up",
	"processing.exception.handler.global.enabled": "has no effect: errors of global stores always go to OnProcessingError",
	"processor.wrapper.class":                     "names a Java class; has no effect",
	"rack.aware.assignment.non_overlap_cost":      "has no effect yet",
	"rack.aware.assignment.strategy":              "has no effect yet",
	"rack.aware.assignment.tags":                  "has no effect yet",
	"rack.aware.assignment.traffic_cost":          "has no effect yet",
	"receive.buffer.bytes":                        "has no effect: the system decides",
	"reconnect.backoff.max.ms":                    "has no effect: the client decides",
	"reconnect.backoff.ms":                        "has no effect: the client decides",
	"request.timeout.ms":                          "has no effect: the client decides",
	"retry.backoff.ms":                            "has no effect: the client decides",
	"rocksdb.config.setter":                       "names a Java class; see WriteBufferBytes and BlockCacheBytes",
	"send.buffer.bytes":                           "has no effect: the system decides",
	"state.cleanup.delay.ms":                      "has no effect yet: folders of tasks that moved away stay",
	"state.cleanup.dir.max.age.ms":                "has no effect yet: folders of tasks that moved away stay",
	"task.assignor.class":                         "names a Java class; has no effect",
	"upgrade.from":                                "has no effect: there is no earlier version",
	"window.size.ms":                              "has no effect: windowed serdes are given their size",
	"windowed.inner.class.serde":                  "names a Java class; use window.Serde",
}

// nearestKey is the known key that is most like a wrong one.
func nearestKey(key string) string {
	best, least := "", 1<<30
	try := func(known string) {
		if d := editDistance(key, known); d < least || d == least && known < best {
			best, least = known, d
		}
	}
	for known := range javaKeys {
		try(known)
	}
	for known := range unsupportedKeys {
		try(known)
	}
	return best
}

// editDistance is how many letters must be put in, taken out or changed.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1], diagonal = slices.Min([]int{row[j] + 1, row[j+1] + 1, diagonal + cost}), row[j+1]
		}
	}
	return row[len(b)]
}
