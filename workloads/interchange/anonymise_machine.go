package interchange

import (
	"slices"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/workloads"
)

// AnonymiseMachine puts pseudonyms in the place of the names of the machine, its groups, its
// partitions, its QOS, its accounts and their users, and leaves out the names of nodes and why these are out of service. A partition, a QOS, an account or a user has
// the pseudonym that Anonymise gives it in a dump with the same key. Features and types of GPUs stay, as they do there, and so do
// licences and reservations, whose names a caller has to look for.
func AnonymiseMachine(m workloads.Machine, key []byte) workloads.Machine {
	of := func(kind string) *pseudonyms { return &pseudonyms{kind: kind, key: key, known: map[string]string{}} }
	groups, partitions := of("group"), of(kindOf("Partition"))
	m.Name = of("machine").of(m.Name)
	l := &m.Layout
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
	}
	for i := range l.Down {
		l.Down[i].Reason = "out of service"
	}
	anonymiseRules(l, of(kindOf("QOS")), of(kindOf("Account")), of(kindOf("User")))
	return m
}

func anonymiseRules(l *layout.Layout, qos, accounts, users *pseudonyms) {
	named := func(p *pseudonyms, name string) string {
		if name == "" {
			return ""
		}
		return p.of(name)
	}
	l.QOS, l.Accounts = slices.Clone(l.QOS), slices.Clone(l.Accounts)
	for i := range l.QOS {
		l.QOS[i].Name = qos.of(l.QOS[i].Name)
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
