package workloads

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// writeRules writes what readRules reads.
func writeRules(b *strings.Builder, l layout.Layout) {
	list := func(key string, items []pairs) {
		if len(items) > 0 {
			b.WriteString(key + ":\n")
		}
		for _, item := range items {
			_, _ = fmt.Fprintf(b, "  - %s\n", item.flow())
		}
	}
	inline := func(key string, p pairs) {
		if len(p) > 0 {
			_, _ = fmt.Fprintf(b, "%s: %s\n", key, p.flow())
		}
	}
	list("qos", pairsOf(l.QOS, qosPairs))
	list("accounts", pairsOf(l.Accounts, accountPairs))
	inline("licenses", licensePairs(l.Licenses))
	var weights pairs
	weights.number("qos", l.Weights.QOS, 0)
	weights.number("fairshare", l.Weights.FairShare, 0)
	inline("priority_weights", weights)
	list("reservations", pairsOf(l.Reservations, reservationPairs))
	if l.JobSubmit != "" {
		// The number says where lines begin, whatever the first one begins with.
		b.WriteString("job_submit: |2\n")
		for line := range strings.Lines(l.JobSubmit) {
			b.WriteString("  " + line)
		}
	}
}

func pairsOf[T any](items []T, of func(T) pairs) []pairs {
	out := make([]pairs, len(items))
	for i, item := range items {
		out[i] = of(item)
	}
	return out
}

func (p *pairs) word(key, text string) {
	if text != "" {
		p.add(key, yamlWord(text))
	}
}

func (p *pairs) words(key string, words []string) {
	if len(words) > 0 {
		p.add(key, yamlWords(words))
	}
}

func qosPairs(q layout.QOS) pairs {
	var p pairs
	p.word("name", q.Name)
	p.number("priority", q.Priority, 0)
	if q.UsageFactor != 0 {
		p.add("usage_factor", strconv.FormatFloat(q.UsageFactor, 'f', -1, 64))
	}
	p.words("flags", q.Flags)
	p.limits(q.Limits.OfQOS())
	return p
}

func accountPairs(a layout.Account) pairs {
	var p pairs
	p.word("name", a.Name)
	p.word("parent", a.Parent)
	p.number("shares", a.Shares, 0)
	p.words("qos", a.QOS)
	p.word("default_qos", a.DefaultQOS)
	p.limits(a.Limits.OfAssociation())
	var users []string
	for _, u := range a.Users {
		var one pairs
		one.word("name", u.Name)
		one.number("shares", u.Shares, 0)
		one.number("usage", u.Usage, 0)
		one.limits(u.Limits.OfAssociation())
		users = append(users, one.flow())
	}
	if len(users) > 0 {
		p.add("users", "["+strings.Join(users, ", ")+"]")
	}
	return p
}

func (p *pairs) limits(limits []layout.Limit) {
	var of pairs
	for _, limit := range limits {
		switch {
		case limit.TRES != nil && *limit.TRES != nil:
			var tres pairs
			for _, name := range slices.Sorted(maps.Keys(*limit.TRES)) {
				tres.add(tresKey(name), tresText(name, (*limit.TRES)[name]))
			}
			of.add(limit.Name, tres.flow())
		case limit.Count != nil && *limit.Count != 0:
			of.add(limit.Name, strconv.Itoa(*limit.Count))
		case limit.Minutes != nil && *limit.Minutes != 0:
			of.add(limit.Name, minutesOf(*limit.Minutes))
		}
	}
	if len(of) > 0 {
		p.add("limits", of.flow())
	}
}

// tresKey is the name of a resource as a key of YAML: a colon, as in gres/gpu:a100, would end it.
func tresKey(name string) string {
	if strings.Contains(name, ":") {
		return strconv.Quote(name)
	}
	return name
}

func tresText(name string, n int) string {
	if name == "mem" && n > 0 {
		return (Memory(n) * MiB).String()
	}
	return strconv.Itoa(n)
}

func licensePairs(all []layout.License) pairs {
	var p pairs
	for _, l := range all {
		p.add(yamlWord(l.Name), strconv.Itoa(l.Count))
	}
	return p
}

func reservationPairs(r layout.Reservation) pairs {
	var p pairs
	p.word("name", r.Name)
	if r.Nodes != "" {
		p.add("nodes", strconv.Quote(r.Nodes))
	}
	p.number("count", r.Count, 0)
	p.word("partition", r.Partition)
	if r.Start > 0 {
		p.add("start", (time.Duration(r.Start) * time.Second).String())
	}
	p.add("duration", (time.Duration(r.Duration) * time.Second).String())
	p.words("users", r.Users)
	p.words("accounts", r.Accounts)
	p.words("flags", r.Flags)
	return p
}
