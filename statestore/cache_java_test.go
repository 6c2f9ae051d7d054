package statestore

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/millrace/millrace/record"
)

// TestCacheAgainstJava replays what Java's ThreadCache did (Kafka Streams
// 4.3.1): random puts, reads, scans and flushes over two stores at several
// budgets, with every row that left, in order, and the size after each step.
//
// The file has a line for each step and indented lines for what followed from
// it. Bytes have a quote in front; - is null.
func TestCacheAgainstJava(t *testing.T) {
	f, err := os.Open("testdata/cache-java.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := &cachePlayer{t: t}
	var want []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, "  ") {
			want = append(want, line)
			continue
		}
		p.compare(want)
		want = want[:0]
		p.at = fmt.Sprintf("line %d: %s", n, line)
		p.step(strings.Split(line, " "), line)
	}
	p.compare(want)
}

type cachePlayer struct {
	t     *testing.T
	c     *Cache
	named map[string]*Named
	got   []string
	at    string
}

func (p *cachePlayer) compare(want []string) {
	p.t.Helper()
	if d := cmp.Diff(append([]string{}, want...), append([]string{}, p.got...)); d != "" {
		p.t.Fatalf("%s: (-java +go)\n%s", p.at, d)
	}
	p.got = p.got[:0]
}

func bytesOf(s string) []byte {
	if s == "-" {
		return nil
	}
	return append([]byte{}, s[1:]...)
}

func textOf(b []byte) string {
	if b == nil {
		return "-"
	}
	return "'" + string(b)
}

func numberOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func (p *cachePlayer) step(w []string, line string) {
	p.t.Helper()
	var err error
	switch w[0] {
	case "new":
		p.c = NewCache(numberOf(w[1]))
		p.named = map[string]*Named{}
		for _, n := range []string{"a", "b"} {
			p.named[n] = p.c.Named("0_0", n)
			p.named[n].flushing = func(u *cachedUpdate) error { return p.left(n, u) }
		}
		return
	case "put":
		c := &record.Context{Timestamp: numberOf(w[4]), Offset: numberOf(w[5]), Partition: int32(numberOf(w[6])), Topic: w[7][1:]}
		if len(w) > 8 {
			c.Headers = &record.Headers{}
			for _, h := range w[8:] {
				k, v, _ := strings.Cut(h, "=")
				c.Headers.Add(k, bytesOf(v))
			}
		}
		err = p.named[w[1]].put(bytesOf(w[2]), bytesOf(w[3]), c)
	case "clean":
		err = p.named[w[1]].putClean(bytesOf(w[2]), bytesOf(w[3]))
	case "get":
		v, ok := p.named[w[1]].get(bytesOf(w[2]))
		got := textOf(v)
		if !ok {
			got = "miss"
		} else if v == nil {
			got = "deleted"
		}
		if got != w[4] {
			p.t.Fatalf("%s: got %s", p.at, got)
		}
		if !ok {
			return
		}
	case "scan":
		p.scan(w, line)
	case "flush":
		err = p.named[w[1]].flushAll()
	case "resize":
		err = p.c.Resize(numberOf(w[1]))
	default:
		p.t.Fatal(p.at)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	rows := 0
	for _, n := range p.c.All() {
		rows += n.Len()
	}
	p.got = append(p.got, fmt.Sprintf("  size %d %d", p.c.Size(), rows))
}

func (p *cachePlayer) scan(w []string, line string) {
	n := p.named[w[1]]
	r := KeyRange{Lower: bytesOf(w[2]), Upper: bytesOf(w[3]), Reverse: w[4] == "true"}
	if r.Upper != nil {
		r.Upper = append(r.Upper, 0)
	}
	got := strings.Join(w[:6], " ")
	take := int(numberOf(w[5]))
	n.table.Mu.RLock()
	c := n.cursor(r, true)
	n.table.Mu.RUnlock()
	for i := 0; i < take && c.Next(); i++ {
		got += " " + textOf(c.Key())
	}
	if err := c.Close(); err != nil {
		p.t.Fatal(err)
	}
	if got != line {
		p.t.Fatalf("%s: got %s", p.at, got)
	}
}

func (p *cachePlayer) left(store string, u *cachedUpdate) error {
	var c record.Context
	u.context(&c)
	line := fmt.Sprintf("  out %s %s %s %d %d %d '%s", store, textOf(u.key), textOf(u.value), c.Timestamp, c.Offset, c.Partition, c.Topic)
	for _, h := range c.Headers.All() {
		line += " " + h.Key + "=" + textOf(h.Value)
	}
	p.got = append(p.got, line)
	u.written()
	return nil
}
