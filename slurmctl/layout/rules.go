package layout

import (
	"fmt"
	"slices"
	"strings"
)

// NormalQOS is the quality of service that each cluster has, and that jobs have by default.
const NormalQOS = "normal"

// RootAccount is the account above all others.
const RootAccount = "root"

// QOS is a quality of service (sacctmgr(1), "SPECIFICATIONS FOR QOS").
type QOS struct {
	Name string `json:"name" about:"{QOSWord}" need:"yes" of:"qos"`
	// Priority is what PriorityWeightQOS is a weight of.
	Priority int `json:"priority,omitempty" about:"its part of the highest one is what 'priority_weights.qos' is a weight of" default:"0" range:"0..{MaxPriority}"`
	// UsageFactor is by how much a job's usage counts in fair share, 0 for 1.
	UsageFactor float64  `json:"usage_factor,omitempty" about:"by how much the use of its jobs counts in fair share; 1 without it" range:"0..{MaxFactor}"`
	Flags       []string `json:"flags,omitempty" about:"list of flags: {QOSFlags}" of:"{QOSFlags}"`
	Limits      Limits   `json:"limits,omitzero" about:"[limits](#limits-of-a-qos)" view:"qos"`
}

// overPartition is the flag of a QOS whose limits come before the limits of the partition's QOS.
const overPartition = "OverPartQOS"

// QOSFlags are those that a QOS can have.
func QOSFlags() []string { return []string{"DenyOnLimit", overPartition} }

// Account is an association of an account with the cluster, and of its users.
type Account struct {
	Name string `json:"name" about:"{LowWord}" need:"yes" of:"name"`
	// Parent is an account before this one, "" for RootAccount.
	Parent string `json:"parent,omitempty" about:"account above it in the file; 'root' without it" of:"name"`
	// Shares are Fairshare of sacctmgr(1), 0 for 1.
	Shares int `json:"shares,omitempty" about:"{Shares}" range:"0..{MaxCount}"`
	// QOS are the ones that its jobs may have; without any, the parent's QOS hold. Jobs that name no QOS have
	// DefaultQOS, "" for the parent's.
	QOS        []string `json:"qos,omitempty" about:"list of the QOS that its jobs may have; its parent's without it" of:"qos"`
	DefaultQOS string   `json:"default_qos,omitempty" about:"QOS of its jobs that name none; its parent's, or 'normal', without it" of:"qos"`
	Limits     Limits   `json:"limits,omitzero" about:"[limits](#limits-of-an-account-or-a-user)" view:"account"`
	Users      []User   `json:"users,omitempty" about:"list of users with 'name', 'shares', 'usage' and 'limits'; the first account that has a user is the user's default one"`
}

// User is an association of a Unix user with an account. The first account that has the user is
// the user's default one.
type User struct {
	Name   string `json:"name" about:"{LowWord}" need:"yes" of:"name"`
	Shares int    `json:"shares,omitempty" about:"{Shares}" range:"0..{MaxCount}"`
	// Usage is what the user has used in the account when the cluster begins, in the seconds of
	// resources that sshare(1) calls RawUsage.
	Usage  int    `json:"usage,omitempty" about:"what the user has used in the account when the cluster begins, in seconds of resources: RawUsage of sshare(1)" default:"0" range:"0..{MaxUsage}"`
	Limits Limits `json:"limits,omitzero" about:"[limits](#limits-of-an-account-or-a-user)" view:"account"`
}

// License is one of Licenses of slurm.conf(5).
type License struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Weights are those of priority/multifactor that have to do with QOS and accounts.
type Weights struct {
	QOS       int `json:"qos,omitempty" about:"PriorityWeightQOS of slurm.conf(5)" default:"0" range:"0..{MaxPriority}"`
	FairShare int `json:"fairshare,omitempty" about:"PriorityWeightFairshare of slurm.conf(5)" default:"0" range:"0..{MaxPriority}"`
}

// Lines are the weights as lines of slurm.conf.
func (w Weights) Lines() []string {
	var lines []string
	if w.QOS > 0 {
		lines = append(lines, fmt.Sprintf("PriorityWeightQOS=%d", w.QOS))
	}
	if w.FairShare > 0 {
		lines = append(lines, fmt.Sprintf("PriorityWeightFairshare=%d", w.FairShare))
	}
	return lines
}

// Enforces says that Slurm keeps the limits of QOS and accounts (AccountingStorageEnforce).
// Jobs are then submitted by their own users.
func (l Layout) Enforces() bool { return len(l.QOS)+len(l.Accounts) > 0 }

// FindQOS is the QOS with a name. Each cluster has NormalQOS.
func (l Layout) FindQOS(name string) (QOS, bool) {
	i := slices.IndexFunc(l.QOS, func(q QOS) bool { return q.Name == name })
	if i < 0 {
		return QOS{Name: name}, name == NormalQOS
	}
	return l.QOS[i], true
}

// QOSOfJob are the QOS whose limits a job is under that has one in a partition, in the order in which Slurm looks at
// them (acct_policy_set_qos_order in src/slurmctld/acct_policy.c).
func (l Layout) QOSOfJob(name, partition string) []QOS {
	own, _ := l.FindQOS(name)
	p, _ := l.Find(partition)
	other := p.Settings[PartitionQOS]
	switch of, _ := l.FindQOS(other); {
	case other == "" || other == name:
		return []QOS{own}
	case slices.Contains(own.Flags, overPartition):
		return []QOS{own, of}
	default:
		return []QOS{of, own}
	}
}

// QOSNames returns the names of all QOS, NormalQOS first unless the layout has it elsewhere.
func (l Layout) QOSNames() []string {
	var names []string
	for _, q := range l.QOS {
		names = append(names, q.Name)
	}
	if !slices.Contains(names, NormalQOS) {
		names = append([]string{NormalQOS}, names...)
	}
	return names
}

// FindAccount is the account with a name.
func (l Layout) FindAccount(name string) (Account, bool) {
	i := slices.IndexFunc(l.Accounts, func(a Account) bool { return a.Name == name })
	if i < 0 {
		return Account{Name: name}, false
	}
	return l.Accounts[i], true
}

// Line is an account and those above it, the nearest first, without RootAccount. A parent that does not
// stand before its child is a fault, and not followed: it could be below it.
func (l Layout) Line(account string) []Account {
	var line []Account
	for i := len(l.Accounts) - 1; i >= 0; i-- {
		if l.Accounts[i].Name == account {
			line = append(line, l.Accounts[i])
			account = l.Accounts[i].Parent
		}
	}
	return line
}

// QOSOf are the QOS that jobs of an account may have, and the one that they have without a word.
func (l Layout) QOSOf(account string) (allowed []string, byDefault string) {
	for _, a := range l.Line(account) {
		if len(allowed) == 0 {
			allowed = a.QOS
		}
		if byDefault == "" {
			byDefault = a.DefaultQOS
		}
	}
	if len(allowed) == 0 {
		allowed = l.QOSNames()
	}
	if byDefault == "" {
		byDefault = NormalQOS
	}
	return allowed, byDefault
}

// HomeOf is the default account of a user, "" if no account has the user.
func (l Layout) HomeOf(user string) string {
	for _, a := range l.Accounts {
		if a.HasUser(user) {
			return a.Name
		}
	}
	return ""
}

// HasUser says whether a user is the account's.
func (a Account) HasUser(name string) bool {
	return slices.ContainsFunc(a.Users, func(u User) bool { return u.Name == name })
}

// HasUsage says that some user begins with usage.
func (l Layout) HasUsage() bool {
	return slices.ContainsFunc(l.Accounts, func(a Account) bool {
		return slices.ContainsFunc(a.Users, func(u User) bool { return u.Usage > 0 })
	})
}

// Users are the Unix users that accounts and reservations name, each once.
func (l Layout) Users() []string {
	var names []string
	for _, a := range l.Accounts {
		for _, u := range a.Users {
			names = append(names, u.Name)
		}
	}
	for _, r := range l.Reservations {
		names = append(names, r.Users...)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == RootAccount })
}

// LicensesLine is Licenses of slurm.conf, "" without licences.
func (l Layout) LicensesLine() string {
	var parts []string
	for _, each := range l.Licenses {
		parts = append(parts, fmt.Sprintf("%s:%d", each.Name, each.Count))
	}
	return strings.Join(parts, ",")
}
