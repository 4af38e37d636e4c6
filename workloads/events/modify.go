package events

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

const limitsRule = "QOS=NAME, Account=NAME, or User=NAME and Account=NAME, and then limits, such as GrpTRES=gres/gpu=8"

// noLimit clears a limit (sacctmgr(1)), where 0 lets no job run.
const noLimit = "-1"

// readLimits reads the setting of a Modify and writes it in one form: whose limits change, with names of the machine, and the
// limits of a machine file. A wrong name would change nothing, and sacctmgr says so after the run has begun.
func readLimits(text string, m workloads.Machine) (string, error) {
	words := strings.Fields(text)
	if len(words) < 2 || !printable(text) {
		return text, fmt.Errorf("got %s, allowed %s", faults.Quote(text), limitsRule)
	}
	l := m.Layout
	if !l.Enforces() {
		return text, fmt.Errorf("got limits, and Slurm keeps none on machine %s, which has neither QOS nor accounts; allowed on a machine that has some", m.Name)
	}
	key, name, _ := strings.Cut(words[0], "=")
	var limits []layout.Limit
	var out []string
	switch strings.ToLower(key) {
	case "qos":
		if _, is := l.FindQOS(name); !is {
			return text, fmt.Errorf("got QOS %s, allowed the ones of the machine file: %s", faults.Quote(name), strings.Join(l.QOSNames(), ", "))
		}
		limits, out = new(layout.Limits).OfQOS(), []string{"QOS=" + name}
	case "account":
		if _, err := account(name, l); err != nil {
			return text, err
		}
		limits, out = new(layout.Limits).OfAssociation(), []string{"Account=" + name}
	case "user":
		of, in, _ := strings.Cut(words[1], "=")
		if !strings.EqualFold(of, "Account") || len(words) < 3 {
			return text, fmt.Errorf("got %s, allowed %s", faults.Quote(text), limitsRule)
		}
		a, err := account(in, l)
		if err != nil {
			return text, err
		}
		if !a.HasUser(name) {
			return text, fmt.Errorf("got user %s, allowed the ones of account %s in the machine file: %s", faults.Quote(name), in, listed(a.Users, func(u layout.User) string { return u.Name }))
		}
		limits, out = new(layout.Limits).OfAssociation(), []string{"User=" + name, "Account=" + in}
	default:
		return text, fmt.Errorf("got %s, allowed %s", faults.Quote(words[0]), limitsRule)
	}
	whose := len(out)
	for _, word := range words[whose:] {
		set, err := readLimit(word, limits, l.TRESNames())
		if err != nil {
			return text, err
		}
		name, _, _ := strings.Cut(set, "=")
		if slices.ContainsFunc(out[whose:], func(other string) bool { return strings.HasPrefix(other, name+"=") }) {
			return text, fmt.Errorf("got %s twice, allowed each limit once", name)
		}
		out = append(out, set)
	}
	return strings.Join(out, " "), nil
}

func account(name string, l layout.Layout) (layout.Account, error) {
	a, is := l.FindAccount(name)
	if !is {
		return a, fmt.Errorf("got account %s, allowed the ones of the machine file: %s", faults.Quote(name), listed(l.Accounts, func(a layout.Account) string { return a.Name }))
	}
	return a, nil
}

func listed[T any](all []T, name func(T) string) string {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = name(one)
	}
	if len(names) == 0 {
		return "it has none"
	}
	return strings.Join(names, ", ")
}

// readLimit reads LIMIT=VALUE. Names of limits and of resources have any case, as for sacctmgr.
func readLimit(word string, limits []layout.Limit, tres []string) (string, error) {
	key, value, _ := strings.Cut(word, "=")
	at := slices.IndexFunc(limits, func(l layout.Limit) bool { return strings.EqualFold(l.Name, key) })
	if at < 0 {
		return "", fmt.Errorf("got %s, allowed the limits %s", faults.Quote(word), listed(limits, func(l layout.Limit) string { return l.Name }))
	}
	limit := limits[at]
	bad := func(allowed string) (string, error) {
		return "", fmt.Errorf("got %s, allowed %s, or %s for no limit", faults.Quote(word), allowed, noLimit)
	}
	upTo := fmt.Sprintf("0 to %d", layout.MaxCount)
	within := func(text string) bool {
		n, is := values.Count(text)
		return text == noLimit || is && n <= layout.MaxCount
	}
	switch {
	case limit.TRES != nil:
		all, err := values.TRES(value)
		allowed := "NAME=NUMBER with commas between them, each number " + upTo + " and each name one of " + strings.Join(tres, ", ")
		if err != nil || len(all) == 0 {
			return bad(allowed)
		}
		var parts []string
		for name, amount := range all {
			of := slices.IndexFunc(tres, func(n string) bool { return strings.EqualFold(n, name) })
			if of < 0 || !within(amount) {
				return bad(allowed)
			}
			parts = append(parts, tres[of]+"="+amount)
		}
		slices.Sort(parts)
		value = strings.Join(parts, ",")
	case limit.Count != nil:
		if !within(value) {
			return bad(limit.Name + "=" + upTo)
		}
	default:
		if most, is := values.TimeLimit(value); value != noLimit && (!is || most <= 0) {
			return bad("a time limit, such as " + limit.Name + "=1-0 or 24:00:00")
		}
	}
	return limit.Name + "=" + value, nil
}

// Command is the whole command of a Modify, nil for others.
func (e Event) Command() []string {
	if e.Kind != Modify {
		return nil
	}
	words := strings.Fields(e.Setting)
	kind, name, _ := strings.Cut(words[0], "=")
	where, set := []string{"name=" + name}, words[1:]
	if kind == "User" {
		where, set = append(where, words[1]), words[2:]
	}
	return layout.Modify(set, append([]string{strings.ToLower(kind), "where"}, where...)...)
}

// Modifies says that limits change.
func Modifies(list []Event) bool {
	return slices.ContainsFunc(list, func(e Event) bool { return e.Kind == Modify })
}
