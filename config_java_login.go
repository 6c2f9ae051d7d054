package millrace

import (
	"crypto/tls"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// saslProperties are the settings of connections that belong together.
type saslProperties struct {
	tls, sasl                 bool
	mechanism, user, password string
}

func (l *saslProperties) setProtocol(v string) error {
	switch strings.ToUpper(v) {
	case "PLAINTEXT":
	case "SSL":
		l.tls = true
	case "SASL_PLAINTEXT":
		l.sasl = true
	case "SASL_SSL":
		l.tls, l.sasl = true, true
	default:
		return fmt.Errorf("%q is not one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL", v)
	}
	return nil
}

var jaasOption = regexp.MustCompile(`(\w+)\s*=\s*"([^"]*)"`)

func (l *saslProperties) setJaas(v string) error {
	for _, m := range jaasOption.FindAllStringSubmatch(v, -1) {
		switch m[1] {
		case "username":
			l.user = m[2]
		case "password":
			l.password = m[2]
		}
	}
	if l.user == "" {
		return errors.New(`no username="..." found`)
	}
	return nil
}

func (l *saslProperties) apply(c *Config) error {
	if l.tls {
		c.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if !l.sasl {
		return nil
	}
	if l.user == "" {
		return errors.New("security.protocol asks for a login, but sasl.jaas.config gives none")
	}
	c.SASL = &SASL{Mechanism: l.mechanism, User: l.user, Password: l.password}
	return nil
}
