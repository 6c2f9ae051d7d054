package changelog

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	changelogSuffix   = "-changelog"
	repartitionSuffix = "-repartition"
	maxTopicName      = 249
)

// StoreTopic returns the changelog topic of a store: `<prefix>-<store>-changelog`.
// The prefix is the application id.
func StoreTopic(prefix, store string) string { return prefix + "-" + store + changelogSuffix }

// RepartitionTopic returns `<prefix>-<name>-repartition`.
func RepartitionTopic(prefix, name string) string { return prefix + "-" + name + repartitionSuffix }

// InternalTopic returns `<prefix>-<name>` for internal topics whose name
// already has its ending: foreign-key joins, and repartition topics as the
// DSL names them.
func InternalTopic(prefix, name string) string { return prefix + "-" + name }

var generatedForeignKeyTopic = regexp.MustCompile(`^.+-KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-\d+-topic$`)

// IsInternal reports whether a topic looks like one that the application made
// for itself, by Java's StreamsResetter rule: it begins with `<prefix>-` and
// has the ending of an internal topic.
func IsInternal(prefix, topic string) bool {
	if !strings.HasPrefix(topic, prefix+"-") {
		return false
	}
	for _, suffix := range []string{
		changelogSuffix, repartitionSuffix,
		"-subscription-registration-topic", "-subscription-response-topic",
	} {
		if strings.HasSuffix(topic, suffix) {
			return true
		}
	}
	return generatedForeignKeyTopic.MatchString(topic)
}

// ValidateTopic says what is wrong with a topic name by Kafka's rules (Java:
// Topic.validate): 1 to 249 ASCII letters, digits, dots, underscores and
// hyphens, and neither "." nor "..".
func ValidateTopic(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("topic name is empty")
	case name == "." || name == "..":
		return fmt.Errorf("topic name cannot be %q", name)
	case len(name) > maxTopicName:
		return fmt.Errorf("topic name %q has %d characters, %d are allowed", name, len(name), maxTopicName)
	}
	for _, r := range name {
		if !legalInTopic(r) {
			return fmt.Errorf("topic name %q contains %q; letters, digits, '.', '_' and '-' are allowed", name, r)
		}
	}
	return nil
}

func legalInTopic(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}
