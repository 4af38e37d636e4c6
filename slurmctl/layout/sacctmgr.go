package layout

import (
	"fmt"
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
		for _, u := range a.Users {
			do(append([]string{"add", "user", u.Name, "account=" + a.Name}, shareAnd(u.Shares, u.Limits.OfAssociation())...)...)
		}
	}
	return all
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
