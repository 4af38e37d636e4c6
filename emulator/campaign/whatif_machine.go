package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// changeMachine makes the machine of a scenario from the machine of the base.
func (s *scenario) changeMachine(k scenarioKeys) {
	l := s.machine.Layout
	l.Groups, l.Partitions, l.Down = slices.Clone(l.Groups), slices.Clone(l.Partitions), slices.Clone(l.Down)
	l.QOS, l.Accounts = slices.Clone(l.QOS), slices.Clone(l.Accounts)
	added := addNodes(&l, k.AddNodes)
	changePartitions(&l, k.Partitions)
	changeQOS(&l, k.QOS)
	changeAccounts(&l, k.Accounts)
	changeUsers(&l, k.Users)
	removeNodes(&l, k.RemoveNodes)
	switches, blocks := s.machine.Switches, s.machine.Blocks
	for _, a := range added {
		switches, blocks = switches.WithNodes(a.like, a.first, a.count), blocks.WithNodes(a.like, a.count)
	}
	m, err := workloads.MachineOf(s.machine.Name, l, switches)
	if err == nil {
		m, err = m.WithBlocks(blocks)
	}
	if err != nil {
		s.FailAll(err)
		return
	}
	s.machine = m
}

// nodesOf are the numbers of nodes, from 1, that a text names: a group, names at the site, or n[3-4].
func nodesOf(l layout.Layout, text string) ([]int, error) {
	for i, g := range l.Groups {
		if g.Name == text {
			return upFrom(l.First(i), g.Count), nil
		}
	}
	sites := l.Sites()
	names, err := values.ExpandHosts(text)
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("got %q, want names of nodes, such as n[1-2], or a group: %s", text, groupNames(l))
	}
	var numbers []int
	for _, name := range names {
		n, known := sites[name]
		n++
		if !known {
			own, err := values.HostNumbers(name, layout.NodePrefix)
			if known = err == nil && len(own) == 1 && own[0] <= l.Nodes(); known {
				n = own[0]
			}
		}
		if !known {
			return nil, fmt.Errorf("got %q, and the machine has no node %s; want names of its nodes, n1 to n%d, or a group: %s", text, name, l.Nodes(), groupNames(l))
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

func upFrom(first, count int) []int {
	var all []int
	for n := range count {
		all = append(all, first+n)
	}
	return all
}

func groupNames(l layout.Layout) string {
	var names []string
	for _, g := range l.Groups {
		names = append(names, g.Name)
	}
	return strings.Join(names, ", ")
}

// hostlist is the list of nodes by their numbers in Slurm's form.
func hostlist(numbers []int) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = fmt.Sprintf("%s%d", layout.NodePrefix, n)
	}
	return values.CompressHosts(names)
}

// added are nodes that a scenario adds: the number of the node that they are like, their first number, and how many they are.
type added struct{ like, first, count int }

// addNodes adds groups of nodes at the end, so that the other nodes keep their numbers.
func addNodes(l *layout.Layout, v input.Value) (all []added) {
	if !v.There() {
		return nil
	}
	for _, one := range list(v) {
		var k addKeys
		m, is := mapping(one, &k)
		if !is {
			continue
		}
		m.Done()
		if !needed(one, neededKey{"like", "a node or a group", k.Like}, neededKey{"nodes", "their number", k.Nodes}) {
			continue
		}
		text, good := word(k.Like)
		count, goodCount := whole(k.Nodes, 1, layout.MaxNodes)
		if !good || !goodCount {
			continue
		}
		numbers, err := nodesOf(*l, text)
		if err != nil {
			k.Like.Failf("%w", err)
			continue
		}
		like := l.Groups[l.GroupOf()[numbers[0]-1]]
		more := like
		more.Name, more.Count, more.Hosts = freeName(*l, like.Name), int(count), ""
		all = append(all, added{numbers[0], l.Nodes() + 1, int(count)})
		l.Groups = append(l.Groups, more)
		for i, p := range l.Partitions {
			if slices.Contains(p.Groups, like.Name) {
				l.Partitions[i].Groups = append(slices.Clone(p.Groups), more.Name)
			}
		}
	}
	return all
}

// freeName is a name for a group of nodes like another one.
func freeName(l layout.Layout, like string) string {
	const longest = 24
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s-more%d", like[:min(len(like), longest)], i)
		if !slices.ContainsFunc(l.Groups, func(g layout.Group) bool { return g.Name == name }) {
			return name
		}
	}
}

// removeNodes drains nodes from the start on. As at a site, a job that runs there goes on (BeginsWithState).
func removeNodes(l *layout.Layout, v input.Value) {
	if !v.There() {
		return
	}
	text, good := word(v)
	if !good {
		return
	}
	numbers, err := nodesOf(*l, text)
	if err != nil {
		v.Failf("%w", err)
		return
	}
	out := l.OutOfService()
	numbers = slices.DeleteFunc(numbers, func(n int) bool { return out[n-1] })
	if len(numbers) == 0 {
		v.Failf("got %q, and all these nodes are out of service already", text)
		return
	}
	l.Down = append(l.Down, layout.Down{Nodes: hostlist(numbers), State: layout.StateDrain, Reason: "removed"})
}

// changes hands over each entry of a mapping by its name.
func changes(v input.Value, each func(name string, m *input.Mapping)) {
	if !v.There() {
		return
	}
	for name, one := range v.Mapping().All() {
		if m := one.Mapping(); one.IsMapping() {
			each(name, m)
		}
	}
}

// keysBut are the keys of a struct without some.
func keysBut[T any](without ...string) []string {
	var names []string
	for _, k := range input.Keys[T]() {
		if !slices.Contains(without, k.Name) {
			names = append(names, k.Name)
		}
	}
	return names
}

func changePartitions(l *layout.Layout, v input.Value) {
	changes(v, func(name string, m *input.Mapping) {
		at := slices.IndexFunc(l.Partitions, func(p layout.Partition) bool { return p.Name == name })
		p := layout.Partition{Name: name, PriorityTier: 1, PriorityJobFactor: 1}
		like, isLike := m.Get("like")
		switch {
		case at >= 0 && isLike:
			like.Failf("got it for partition %s, which the machine has; want it for a new one", name)
			return
		case at >= 0:
			p = l.Partitions[at]
		case isLike:
			text, _ := word(like)
			other, there := l.Find(text)
			if !there || text == "" {
				like.Failf("got %q, want a partition of the machine: %s", text, partitionNames(*l))
				return
			}
			p = other
			p.Name, p.Default = name, false
		}
		if _, groups := m.Peek("groups"); at < 0 && !isLike && !groups {
			m.Failf("got partition %s, which the machine does not have (%s); want a name of these, or the key like or groups for a new one", name, partitionNames(*l))
			return
		}
		before := p.Settings
		p.Settings = nil
		m.Read(&p, keysBut[layout.Partition]("name")...)
		m.Done()
		if all := maps.Clone(before); all != nil {
			maps.Copy(all, p.Settings)
			p.Settings = all
		}
		if at < 0 {
			l.Partitions = append(l.Partitions, p)
			return
		}
		l.Partitions[at] = p
	})
}

func partitionNames(l layout.Layout) string {
	var names []string
	for _, p := range l.Partitions {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

func changeQOS(l *layout.Layout, v input.Value) {
	changes(v, func(name string, m *input.Mapping) {
		at := slices.IndexFunc(l.QOS, func(q layout.QOS) bool { return q.Name == name })
		q, known := l.FindQOS(name)
		like, isLike := m.Get("like")
		names := l.QOSNames()
		switch {
		case known && isLike:
			like.Failf("got it for QOS %s, which the machine has; want it for a new one", name)
			return
		case isLike:
			text, _ := word(like)
			if q, known = l.FindQOS(text); !known {
				like.Failf("got %q, want a QOS of the machine: %s%s", text, strings.Join(names, ", "), faults.DidYouMean(text, names))
				return
			}
			q.Name = name
		case !known:
			m.Failf("got QOS %s, which the machine does not have (%s); want a name of these, or the key like for a new one%s", name, strings.Join(names, ", "), faults.DidYouMean(name, names))
			return
		}
		m.Read(&q, keysBut[layout.QOS]("name")...)
		m.Done()
		if at < 0 {
			l.QOS = append(l.QOS, q)
			return
		}
		l.QOS[at] = q
	})
}

func changeAccounts(l *layout.Layout, v input.Value) {
	changes(v, func(name string, m *input.Mapping) {
		at := slices.IndexFunc(l.Accounts, func(a layout.Account) bool { return a.Name == name })
		if at < 0 {
			m.Failf("got account %q, want an account of the machine%s", name, among(l.Accounts, func(a layout.Account) string { return a.Name }))
			return
		}
		m.Read(&l.Accounts[at], keysBut[layout.Account]("name", "users")...)
		m.Done()
	})
}

func changeUsers(l *layout.Layout, v input.Value) {
	changes(v, func(name string, m *input.Mapping) {
		found := false
		for i, a := range l.Accounts {
			at := slices.IndexFunc(a.Users, func(u layout.User) bool { return u.Name == name })
			if at < 0 {
				continue
			}
			found = true
			l.Accounts[i].Users = slices.Clone(a.Users)
			m.Read(&l.Accounts[i].Users[at], keysBut[layout.User]("name", "usage")...)
		}
		if !found {
			m.Failf("got user %q, want a user of an account of the machine", name)
			return
		}
		m.Done()
	})
}

// among lists a few names that are allowed.
func among[T any](all []T, name func(T) string) string {
	const few = 12
	var names []string
	for _, one := range all[:min(len(all), few)] {
		names = append(names, name(one))
	}
	if len(names) == 0 {
		return ": it has none"
	}
	if len(all) > few {
		return fmt.Sprintf(": %s, and %d more", strings.Join(names, ", "), len(all)-few)
	}
	return ": " + strings.Join(names, ", ")
}
