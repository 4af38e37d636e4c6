package site

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// plainFlags are flags of reservations that change nothing once their nodes and times are known (scontrol(1), "RESERVATIONS").
func plainFlags() []string {
	return []string{"SPEC_NODES", "ALL_NODES", "PART_NODES", "IGNORE_JOBS", "NO_HOLD_JOBS_AFTER_END", "USER_DELETE", "STATIC"}
}

// reservations adds the reservations that end after the beginning of the run to the layout, which has its accounts.
// numbers has the numbers of the nodes.
func (r *reader) reservations(l *layout.Layout, numbers map[string]int) {
	over := 0
	for _, rec := range r.reserved {
		one, ends := r.reservation(rec, *l, numbers)
		switch {
		case !ends:
			over++
		case one.Nodes != "":
			l.Reservations = append(l.Reservations, one)
		}
	}
	if over > 0 {
		r.note("reservations that are over at the beginning of the run are left out (%d)", over)
	}
}

// reservation is what "scontrol show reservation" prints of one, without nodes if it is left out. ends says that it ends after
// the beginning of the run.
func (r *reader) reservation(rec record, l layout.Layout, numbers map[string]int) (one layout.Reservation, ends bool) {
	name := rec.pairs[0].value
	start, end := r.instant(rec, "StartTime"), r.instant(rec, "EndTime")
	if !end.After(r.from) {
		return one, false
	}
	if start.Before(r.from) {
		start = r.from
	}
	_, cores := rec.value("CoreIDs")
	switch {
	case !layout.IsWord(name):
		r.note("reservation %s: left out, as its name is no word", name)
		return one, true
	case cores:
		r.note("reservation %s: left out, as it has some cores of its nodes alone", name)
		return one, true
	}
	one = layout.Reservation{Name: name, Start: int(start.Sub(r.from).Seconds()), Duration: max(1, min(int(end.Sub(start).Minutes()), mostMinutes)) * 60}
	if one.Nodes = r.reservedNodes(rec, numbers); one.Nodes != "" {
		one.Users, one.Accounts, one.Flags = r.admitted(rec, l)
	}
	return one, true
}

// mostMinutes is the longest reservation of a layout.
const mostMinutes = 365 * 24 * 60

func (r *reader) instant(rec record, key string) time.Time {
	text, _ := rec.value(key)
	at, err := values.Time(text)
	if err != nil {
		r.wrong(rec.at(key), key, text, "a time such as 2026-03-01T12:00:00")
	}
	return at
}

// reservedNodes are the nodes that the machine has, "" if it has none.
func (r *reader) reservedNodes(rec record, numbers map[string]int) string {
	list, _ := rec.value("Nodes")
	var known, other []string
	if list = values.Text(list); list != "" {
		for _, host := range r.hosts(rec, "Nodes", list) {
			if n, ok := numbers[host]; ok {
				known = append(known, fmt.Sprintf("%s%d", layout.NodePrefix, n))
			} else {
				other = append(other, host)
			}
		}
	}
	switch name := rec.pairs[0].value; {
	case len(known) == 0:
		r.note("reservation %s: left out, as it has no nodes of the machine", name)
	case len(other) > 0:
		r.note("reservation %s: left out are nodes %s, which the machine does not have", name, values.CompressHosts(other))
	}
	return values.CompressHosts(known)
}

// admitted is who may use a reservation, as far as a layout can have it, and its flags. Nobody is root.
func (r *reader) admitted(rec record, l layout.Layout) (users, accounts, flags []string) {
	var left []string
	keep := func(key string, known func(string) bool) (in []string) {
		text, _ := rec.value(key)
		var out []string
		for _, item := range splitList(values.Text(text)) {
			if known(item) {
				in = append(in, item)
			} else {
				out = append(out, item)
			}
		}
		if len(out) > 0 {
			left = append(left, key+"="+strings.Join(out, ","))
		}
		return in
	}
	// A name with - before it is kept out.
	users = keep("Users", func(u string) bool { return layout.IsWord(u) && sbatch.IsUser(u) })
	accounts = keep("Accounts", func(a string) bool { _, ok := l.FindAccount(a); return ok || a == layout.RootAccount })
	flags = keep("Flags", func(f string) bool {
		return slices.Contains(layout.ReservationFlags(), f) || slices.Contains(plainFlags(), f)
	})
	flags = slices.DeleteFunc(flags, func(f string) bool { return slices.Contains(plainFlags(), f) })
	keep("Groups", func(string) bool { return false })
	keep("Licenses", func(string) bool { return false })
	if slices.Equal(users, []string{layout.RootAccount}) && len(accounts) == 0 {
		users = nil
	}
	if len(left) > 0 {
		who := ""
		if onlyFlags := len(left) == 1 && strings.HasPrefix(left[0], "Flags="); len(users)+len(accounts) == 0 && !onlyFlags {
			who = "; jobs without a user alone may use it"
		}
		r.note("reservation %s: left out are %s%s", rec.pairs[0].value, strings.Join(left, " "), who)
	}
	return users, accounts, flags
}
