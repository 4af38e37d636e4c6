package layout

import (
	"fmt"
	"slices"
	"strings"
)

// limitKeys are the settings of a partition that keep a job from starting, and that slurmctld has in its saved state.
func limitKeys() []string { return []string{AllowAccounts, DenyAccounts, AllowQOS, DenyQOS, minNodes} }

// Lenient is the layout without what keeps a job from starting: limits of partitions, QOS, accounts and users, and drained
// nodes. A cluster begins with it where jobs ran before. Slurm does not evict a job that a new limit forbids, so such a job has
// to start, and then [Layout.Impose] makes the cluster the one of the layout.
func (l Layout) Lenient() Layout {
	l.Down = slices.Clone(l.Down)
	l.Down = slices.DeleteFunc(l.Down, func(d Down) bool { return d.State == StateDrain })
	l.Partitions = slices.Clone(l.Partitions)
	for i, p := range l.Partitions {
		l.Partitions[i] = p.lenient()
	}
	l.QOS = slices.Clone(l.QOS)
	for i := range l.QOS {
		l.QOS[i].Limits = Limits{}
	}
	l.Accounts = slices.Clone(l.Accounts)
	for i, a := range l.Accounts {
		l.Accounts[i].Limits = Limits{}
		l.Accounts[i].Users = slices.Clone(a.Users)
		for j := range a.Users {
			l.Accounts[i].Users[j].Limits = Limits{}
		}
	}
	return l
}

// lenient is the partition without its limits.
func (p Partition) lenient() Partition {
	p.MaxTime, p.MaxNodes = 0, 0
	settings := map[string]string{}
	for key, value := range p.Settings {
		if !slices.Contains(limitKeys(), key) {
			settings[key] = value
		}
	}
	p.Settings = settings
	return p
}

// Imposed are the commands that make a cluster of the lenient layout the one of the layout.
type Imposed struct {
	// Updates are the words after "scontrol update", Commands are whole commands of sacctmgr.
	Updates, Commands [][]string
}

// Impose lists what Lenient has left out.
func (l Layout) Impose() Imposed {
	var all Imposed
	for _, p := range l.Partitions {
		words := []string{"PartitionName=" + p.Name}
		if p.MaxTime > 0 {
			words = append(words, fmt.Sprintf("MaxTime=%d", p.MaxTime))
		}
		if p.MaxNodes > 0 {
			words = append(words, fmt.Sprintf("MaxNodes=%d", p.MaxNodes))
		}
		for _, key := range limitKeys() {
			if value := p.Settings[key]; value != "" {
				words = append(words, key+"="+value)
			}
		}
		if len(words) > 1 {
			all.Updates = append(all.Updates, words)
		}
	}
	for _, d := range l.Down {
		if d.State == StateDrain {
			all.Updates = append(all.Updates, []string{"NodeName=" + d.Nodes, "State=DRAIN", "Reason=" + d.Reason})
		}
	}
	modify := func(limits []Limit, where ...string) {
		if set := settings(limits); len(set) > 0 {
			all.Commands = append(all.Commands, Modify(set, where...))
		}
	}
	for _, q := range l.QOS {
		modify(q.Limits.OfQOS(), "qos", "where", "name="+q.Name)
	}
	for _, a := range l.Accounts {
		modify(a.Limits.OfAssociation(), "account", "where", "name="+a.Name)
		for users := range a.limited() {
			modify(users.limits, "user", "where", "name="+strings.Join(users.names, ","), "account="+a.Name)
		}
	}
	return all
}

// Modify is the command that sets limits of a QOS, an account or a user.
func Modify(set []string, where ...string) []string {
	return slices.Concat([]string{"sacctmgr", "-i", "modify"}, where, []string{"set"}, set)
}

// IsZero says that there is nothing to do.
func (i Imposed) IsZero() bool { return len(i.Updates)+len(i.Commands) == 0 }

// limited are users with the same limits, whom one command changes.
type limited struct {
	names  []string
	limits []Limit
}

// limited are the users of an account that have limits, neighbours with the same limits together.
func (a Account) limited() func(yield func(limited) bool) {
	return func(yield func(limited) bool) {
		var group limited
		for _, u := range a.Users {
			limits := u.Limits.OfAssociation()
			same := slices.Equal(settings(limits), settings(group.limits))
			if len(group.names) > 0 && (!same || len(group.names) == mostAlike) {
				if !yield(group) {
					return
				}
				group = limited{}
			}
			group.names, group.limits = append(group.names, u.Name), limits
		}
		if len(group.names) > 0 {
			yield(group)
		}
	}
}
