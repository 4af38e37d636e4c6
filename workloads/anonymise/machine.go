package anonymise

import (
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// Machine replaces names by pseudonyms: of the machine, its groups, partitions, QOS, accounts and their
// users, licences and reservations. It leaves out the names of nodes, why these are out of service, and the site's
// job_submit.lua. Pseudonyms equal those that [Jobs] gives in a dump or a workload with the same key, except for
// the machine and its groups, which these do not name. Features and types of GPUs stay, as they do there.
func Machine(m workloads.Machine, key []byte) workloads.Machine {
	of := func(kind string) *pseudonyms { return &pseudonyms{kind: kind, key: key, known: map[string]string{}} }
	groups, partitions := of("group"), of(kindOf("Partition"))
	m.Name = of("machine").of(m.Name)
	l := &m.Layout
	l.JobSubmit = ""
	l.Groups, l.Partitions, l.Down = slices.Clone(l.Groups), slices.Clone(l.Partitions), slices.Clone(l.Down)
	for i := range l.Groups {
		l.Groups[i].Name, l.Groups[i].Hosts = groups.of(l.Groups[i].Name), ""
	}
	for i := range l.Partitions {
		p := &l.Partitions[i]
		p.Name = partitions.of(p.Name)
		p.Groups = slices.Clone(p.Groups)
		for j, g := range p.Groups {
			p.Groups[j] = groups.of(g)
		}
		p.Settings = maps.Clone(p.Settings)
	}
	for i := range l.Down {
		l.Down[i].Reason = "out of service"
	}
	accounts, users := of(kindOf("Account")), of(kindOf("User"))
	anonymiseRules(l, of(kindOf("QOS")), accounts, users)
	licences, reservations := of(kindOf("licenses")), of(kindOf("reservation"))
	l.Licenses, l.Reservations = slices.Clone(l.Licenses), slices.Clone(l.Reservations)
	for i := range l.Licenses {
		l.Licenses[i].Name = licences.of(l.Licenses[i].Name)
	}
	for i := range l.Reservations {
		r := &l.Reservations[i]
		r.Name, r.Partition = reservations.of(r.Name), named(partitions, r.Partition)
		r.Accounts, r.Users = each(accounts, r.Accounts), each(users, r.Users)
	}
	return m
}

// named is the pseudonym of a name, and "" that of none.
func named(p *pseudonyms, name string) string {
	if name == "" {
		return ""
	}
	return p.of(name)
}

// each are the pseudonyms of names. Root is the same everywhere.
func each(p *pseudonyms, names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		if name != layout.RootAccount {
			out[i] = p.of(name)
		}
	}
	return out
}

func anonymiseRules(l *layout.Layout, qos, accounts, users *pseudonyms) {
	l.QOS, l.Accounts = slices.Clone(l.QOS), slices.Clone(l.Accounts)
	for i := range l.QOS {
		l.QOS[i].Name = qos.of(l.QOS[i].Name)
	}
	for _, p := range l.Partitions {
		p.Rename(qos.of, func(name string) string { return each(accounts, []string{name})[0] })
	}
	for i := range l.Accounts {
		a := &l.Accounts[i]
		a.Name, a.Parent, a.DefaultQOS = accounts.of(a.Name), named(accounts, a.Parent), named(qos, a.DefaultQOS)
		a.QOS, a.Users = slices.Clone(a.QOS), slices.Clone(a.Users)
		for j := range a.QOS {
			a.QOS[j] = qos.of(a.QOS[j])
		}
		for j := range a.Users {
			a.Users[j].Name = users.of(a.Users[j].Name)
		}
	}
}
