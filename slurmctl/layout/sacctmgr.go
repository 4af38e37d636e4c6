package layout

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Sacctmgr are the commands that make the QOS, the accounts and their users, in their order. The
// users must be Unix users by then.
func (l Layout) Sacctmgr() [][]string {
	var all [][]string
	do := func(words ...string) { all = append(all, append([]string{"sacctmgr", "-i"}, words...)) }
	for _, q := range l.QOS {
		if q.Name != NormalQOS {
			do("add", "qos", q.Name)
		}
		if set := q.settings(); len(set) > 0 {
			do(append([]string{"modify", "qos", "where", "name=" + q.Name, "set"}, set...)...)
		}
	}
	if len(l.QOS) > 0 {
		do("modify", "account", RootAccount, "set", "qos="+strings.Join(l.QOSNames(), ","))
	}
	for _, a := range l.Accounts {
		do(append([]string{"add", "account", a.Name}, a.settings()...)...)
		for users := range a.alike() {
			do(append([]string{"add", "user", strings.Join(users.names, ","), "account=" + a.Name}, users.settings...)...)
		}
	}
	return all
}

// alike are users whom one command makes.
type alike struct{ names, settings []string }

// mostAlike bounds the names of one command: Linux takes no argument of more than 128 KiB (MAX_ARG_STRLEN).
const mostAlike = 1000

// alike are the users in their order, neighbours with the same settings together: a site has thousands of users
// with one share and without limits, and each command takes a moment.
func (a Account) alike() iter.Seq[alike] {
	return func(yield func(alike) bool) {
		var group alike
		for _, u := range a.Users {
			settings := shareAnd(u.Shares, u.Limits.OfAssociation())
			if n := len(group.names); n > 0 && (n == mostAlike || !slices.Equal(settings, group.settings)) {
				if !yield(group) {
					return
				}
				group = alike{}
			}
			group.names, group.settings = append(group.names, u.Name), settings
		}
		if len(group.names) > 0 {
			yield(group)
		}
	}
}

func (q QOS) settings() []string {
	var set []string
	if q.Priority != 0 {
		set = append(set, fmt.Sprintf("priority=%d", q.Priority))
	}
	if q.UsageFactor != 0 {
		set = append(set, fmt.Sprintf("UsageFactor=%g", q.UsageFactor))
	}
	if len(q.Flags) > 0 {
		set = append(set, "flags="+strings.Join(q.Flags, ","))
	}
	return append(set, settings(q.Limits.OfQOS())...)
}

func (a Account) settings() []string {
	var set []string
	if a.Parent != "" {
		set = append(set, "parent="+a.Parent)
	}
	if len(a.QOS) > 0 {
		set = append(set, "qos="+strings.Join(a.QOS, ","))
	}
	if a.DefaultQOS != "" {
		set = append(set, "defaultqos="+a.DefaultQOS)
	}
	return append(set, shareAnd(a.Shares, a.Limits.OfAssociation())...)
}

func shareAnd(shares int, limits []Limit) []string {
	var set []string
	if shares != 0 {
		set = append(set, fmt.Sprintf("fairshare=%d", shares))
	}
	return append(set, settings(limits)...)
}
