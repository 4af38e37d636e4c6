package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// MaxCount bounds shares and limits.
const MaxCount = 999_999_999

// MaxPriority bounds the priorities of QOS and the weights of priority/multifactor, which are 32 bits in Slurm (slurm/slurm.h).
const MaxPriority = 4_294_967_295

// MaxUsage bounds the usage that a user begins with. 30 million cores for a year are below it, and what
// is below it is a whole number in every program that reads JSON.
const MaxUsage = 1_000_000_000_000_000

// Bounds of rules, which keep typing errors out.
const (
	maxLicenses = 100_000
	maxSeconds  = 365 * 24 * 3600
	maxFactor   = 1000
)

// lowWord checks a name that sacctmgr keeps, which makes capitals small. Users of a service often begin with _.
func (c *checker) lowWord(field, name string, seen []string) {
	if rest, ok := strings.CutPrefix(name, "_"); !ok || !IsWord("a"+rest) || slices.Contains(seen, name) {
		c.word(field, name, seen)
	}
	if name != strings.ToLower(name) {
		c.fail(field, fmt.Sprintf("got %.40q", name), "no capitals, which sacctmgr makes small")
	}
}

// user checks the name of a user or an account.
func (c *checker) user(field, name string, seen []string) {
	c.lowWord(field, name, seen)
	if len(name) > maxUser {
		c.fail(field, fmt.Sprintf("got %d characters", len(name)), fmt.Sprintf("up to %d", maxUser))
	}
}

func (c *checker) oneOf(field, value string, all []string) {
	if !slices.Contains(all, value) {
		c.fail(field, fmt.Sprintf("got %.40q", value), strings.Join(all, ", "))
	}
}

// maxJobSubmit bounds the script of a site, in bytes.
const maxJobSubmit = 256 << 10

// jobSubmit checks what can be told without Lua.
func (c *checker) jobSubmit(text string) {
	switch {
	case text == "":
	case len(text) > maxJobSubmit:
		c.fail("job_submit", fmt.Sprintf("got %d bytes", len(text)), fmt.Sprintf("at most %d", maxJobSubmit))
	case !strings.Contains(text, "slurm_job_submit"):
		c.fail("job_submit", fmt.Sprintf("got %.40q", text), "the text of a job_submit.lua, which has a function slurm_job_submit")
	}
}

// rules checks QOS, accounts, licences, weights and reservations.
func (c *checker) rules(l Layout) {
	c.jobSubmit(l.JobSubmit)
	names := l.TRESNames()
	var seen []string
	for i, q := range l.QOS {
		path := fmt.Sprintf("qos[%d]", i)
		c.lowWord(path+".name", q.Name, seen)
		seen = append(seen, q.Name)
		c.within(path+".priority", q.Priority, 0, MaxPriority)
		if q.UsageFactor < 0 || q.UsageFactor > maxFactor {
			c.fail(path+".usage_factor", fmt.Sprintf("got %g", q.UsageFactor), fmt.Sprintf("0..%d, 0 for 1", maxFactor))
		}
		for j, flag := range q.Flags {
			c.oneOf(fmt.Sprintf("%s.flags[%d]", path, j), flag, QOSFlags())
		}
		c.limits(path+".limits", q.Limits.OfQOS(), names)
	}
	c.accounts(l, names)
	seen = nil
	for _, each := range l.Licenses {
		c.word("licenses."+each.Name, each.Name, seen)
		seen = append(seen, each.Name)
		c.within("licenses."+each.Name, each.Count, 1, maxLicenses)
	}
	c.within("priority_weights.qos", l.Weights.QOS, 0, MaxPriority)
	c.within("priority_weights.fairshare", l.Weights.FairShare, 0, MaxPriority)
	c.reservations(l)
}

func (c *checker) limits(path string, limits []Limit, names []string) {
	for _, limit := range limits {
		field := path + "." + limit.Name
		switch {
		case limit.TRES != nil:
			for _, name := range slices.Sorted(maps.Keys(*limit.TRES)) {
				c.oneOf(field+"."+name, name, names)
				c.within(field+"."+name, (*limit.TRES)[name], 0, MaxCount)
			}
		case limit.Count != nil:
			c.within(field, *limit.Count, 0, MaxCount)
		default:
			c.within(field, *limit.Minutes, 0, maxMinutes)
		}
	}
}

func (c *checker) accounts(l Layout, names []string) {
	above := []string{RootAccount}
	for i, a := range l.Accounts {
		path := fmt.Sprintf("accounts[%d]", i)
		c.user(path+".name", a.Name, above)
		if a.Parent != "" {
			c.oneOf(path+".parent", a.Parent, above)
		}
		above = append(above, a.Name)
		c.within(path+".shares", a.Shares, 0, MaxCount)
		for j, q := range a.QOS {
			c.oneOf(fmt.Sprintf("%s.qos[%d]", path, j), q, l.QOSNames())
		}
		allowed, byDefault := l.QOSOf(a.Name)
		if a.DefaultQOS != "" {
			c.oneOf(path+".default_qos", a.DefaultQOS, allowed)
		} else if len(a.QOS) > 0 && !slices.Contains(allowed, byDefault) {
			c.fail(path+".qos", fmt.Sprintf("got %s without %s", strings.Join(a.QOS, ", "), byDefault), byDefault+" among them, or a default_qos: jobs that name none have it")
		}
		c.limits(path+".limits", a.Limits.OfAssociation(), names)
		var users []string
		for j, u := range a.Users {
			field := fmt.Sprintf("%s.users[%d]", path, j)
			c.user(field+".name", u.Name, append(users, RootAccount))
			users = append(users, u.Name)
			c.within(field+".shares", u.Shares, 0, MaxCount)
			c.within(field+".usage", u.Usage, 0, MaxUsage)
			c.limits(field+".limits", u.Limits.OfAssociation(), names)
		}
	}
}

func (c *checker) reservations(l Layout) {
	var seen []string
	for i, r := range l.Reservations {
		path := fmt.Sprintf("reservations[%d]", i)
		c.word(path+".name", r.Name, seen)
		seen = append(seen, r.Name)
		all := l.Nodes()
		if r.Nodes != "" {
			numbers, err := values.HostNumbers(r.Nodes, NodePrefix)
			if err != nil || len(numbers) == 0 || numbers[len(numbers)-1] > all {
				c.fail(path+".nodes", fmt.Sprintf("got %.40q", r.Nodes), fmt.Sprintf("the name of a group, or nodes of n[1-%d]", all))
			}
		}
		switch {
		case r.Nodes != "" && r.Count != 0:
			c.fail(path+".count", fmt.Sprintf("got %d beside nodes", r.Count), "one of both")
		case r.Nodes != "" && r.Partition != "":
			c.fail(path+".partition", fmt.Sprintf("got %.40q beside nodes", r.Partition), "a partition beside count")
		case r.Nodes == "":
			c.counted(path, r, l)
		}
		c.within(path+".start", r.Start, 0, maxSeconds)
		if r.Duration < 60 || r.Duration > maxSeconds || r.Duration%60 != 0 {
			c.fail(path+".duration", fmt.Sprintf("got %d s", r.Duration), "whole minutes from 1m to 365 days")
		}
		for j, u := range r.Users {
			c.lowWord(fmt.Sprintf("%s.users[%d]", path, j), u, r.Users[:j])
		}
		for j, a := range r.Accounts {
			field := fmt.Sprintf("%s.accounts[%d]", path, j)
			if _, ok := l.FindAccount(a); !ok && a != RootAccount {
				c.fail(field, fmt.Sprintf("got unknown account %.40q", a), "root, or one of accounts")
			}
		}
		for j, flag := range r.Flags {
			c.oneOf(fmt.Sprintf("%s.flags[%d]", path, j), flag, ReservationFlags())
		}
		for _, other := range l.Reservations[:i] {
			if r.overlaps(other) && !r.mayOverlap() {
				c.fail(path+".nodes", fmt.Sprintf("got nodes of %s at the same time", other.Name), "other nodes or times, or the flag MAINT or OVERLAP")
			}
		}
	}
}

// counted checks a reservation of so many nodes of a partition.
func (c *checker) counted(path string, r Reservation, l Layout) {
	p, ok := l.Find(r.Partition)
	if !ok {
		c.fail(path+".partition", fmt.Sprintf("got unknown partition %.40q", r.Partition), "a partition of the machine")
		return
	}
	nodes := 0
	if len(c.faults) == 0 {
		for i, n := range l.InService() {
			if slices.Contains(p.Groups, l.Groups[i].Name) {
				nodes += n
			}
		}
		c.within(path+".count", r.Count, 1, nodes)
	}
}
