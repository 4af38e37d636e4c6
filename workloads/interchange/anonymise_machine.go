package interchange

import (
	"slices"

	"github.com/slurmlab/slurmlab/workloads"
)

// AnonymiseMachine puts pseudonyms in the place of the names of the machine, its groups and its
// partitions, and leaves out why nodes are out of service. A partition has the pseudonym that
// Anonymise gives it in a dump with the same key. Features and types of GPUs stay, as they do there.
func AnonymiseMachine(m workloads.Machine, key []byte) workloads.Machine {
	of := func(kind string) *pseudonyms { return &pseudonyms{kind: kind, key: key, known: map[string]string{}} }
	groups, partitions := of("group"), of(kindOf("Partition"))
	m.Name = of("machine").of(m.Name)
	l := &m.Layout
	l.Groups, l.Partitions, l.Down = slices.Clone(l.Groups), slices.Clone(l.Partitions), slices.Clone(l.Down)
	for i := range l.Groups {
		l.Groups[i].Name = groups.of(l.Groups[i].Name)
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
	return m
}
