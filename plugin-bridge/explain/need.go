package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/journal"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// whyNoBids says why a job of the window has no bid, and which running jobs hold
// what it lacks. dropped is the number of its candidates that the limits left out. Of a
// job that can be spread in several ways, as 16 cores on 4 or on 6 nodes, the reason
// names the way that is short of the fewest nodes.
func whyNoBids(entry journal.Entry, job, dropped int) (reason string, needs []Need, holders []int) {
	s := entry.Snapshot
	for _, l := range s.Jobs[job].Options.Licences {
		if free := s.Licences.Count(l.Name); free < l.Count {
			return fmt.Sprintf("it needs %d of licence %s, of which %d free", l.Count, l.Name, free), nil, nil
		}
	}
	all := bidding.Needs(s.Nodes, s.Jobs[job], entry.Options.Bids)
	nearest, met := -1, false
	for i, n := range all {
		needs = append(needs, newNeed(s, s.Jobs[job], n))
		met = met || n.Met(s.Jobs[job].Contiguous)
		if nearest < 0 || lack(n, s.Jobs[job]) < lack(all[nearest], s.Jobs[job]) {
			nearest = i
		}
	}
	switch {
	case len(all) == 0:
		return "it does not fit the machine, however it is spread", nil, nil
	case dropped > 0:
		return fmt.Sprintf("the limits on bids dropped all of its %d candidates", dropped), needs, nil
	case met && entry.Options.Bids.Papers:
		return "there are nodes enough, but none in a row of neighbouring nodesets, as AUCSCHED section 4 has it", needs, nil
	case met:
		return "there are nodes enough, but Slurm's placement rule gives the job no layout on them", needs, nil
	}
	reason = "it needs " + needs[nearest].text()
	if len(all) > 1 {
		reason = fmt.Sprintf("none of the %d ways to spread it finds nodes enough; the nearest needs %s", len(all), needs[nearest].text())
	}
	return reason, needs, whoHolds(entry, s.Jobs[job].Options, all[nearest])
}

// Misfit says why a job would have no bid even if all nodes were idle, "" if it would
// have one. It does not look at licences.
func Misfit(nodes []machine.Node, j bidding.Job) string {
	idle := slices.Clone(nodes)
	for i, n := range idle {
		idle[i].FreeCores, idle[i].FreeGPUs, idle[i].FreeMemory = n.Cores, n.GPUs, n.Memory
	}
	j.Options.Licences = nil
	one := bidding.BidOptions{MaxBidsPerJob: 1, SlurmBids: true}
	if bids, _ := bidding.NewGenerator(idle, []bidding.Job{j}, nil, one).Bids(); len(bids) > 0 {
		return ""
	}
	reason, _, _ := whyNoBids(journal.Entry{Snapshot: auction.Snapshot{Nodes: idle, Jobs: []bidding.Job{j}}}, 0, 0)
	return reason
}

// whoHolds lists the running jobs on nodes that the options allow and that have too
// few free cores or GPUs for a need, those on the most of them first.
func whoHolds(entry journal.Entry, o bidding.JobOptions, n bidding.Need) []int {
	on := make(map[int]int)
	for _, r := range entry.Running {
		for _, i := range r.Nodes {
			if node := entry.Snapshot.Nodes[i]; o.Admits(i, node) && (node.FreeCores < n.Cores || node.FreeGPUs < n.GPUs) {
				on[r.Job]++
			}
		}
	}
	return byCount(on)
}

// byCount lists the keys, those with the highest counts first.
func byCount(counts map[int]int) []int {
	jobs := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(jobs, func(a, b int) int { return counts[b] - counts[a] })
	return jobs
}

// lack is the number of nodes that a need is short of.
func lack(n bidding.Need, j bidding.Job) int {
	return max(len(n.Missing), n.Short(j.Contiguous))
}

func newNeed(s auction.Snapshot, j bidding.Job, n bidding.Need) Need {
	return Need{
		Alternative: n.Alternative, Nodes: n.Nodes, Contiguous: j.Contiguous, Cores: n.Cores, GPUs: n.GPUs, Idle: n.Idle, Exclusive: n.Exclusive,
		Found: n.Found, Longest: n.Longest, Switches: n.Switches, Below: n.Below, Options: n.Options, Barred: n.Barred, FewCores: n.FewCores, FewGPUs: n.FewGPUs,
		Busy: n.Busy, FewMemory: n.FewMemory, Missing: values.CompressHosts(machine.Names(s.Nodes, n.Missing)),
	}
}

// text says what is wanted and what there is, as in "2 nodes with 4 free cores each;
// 1 node qualifies (too few cores: 3)".
func (n Need) text() string {
	var out strings.Builder
	out.WriteString(text.Plural(n.Nodes, "node"))
	if n.Contiguous {
		out.WriteString(" in one block")
	}
	switch {
	case n.Exclusive:
		out.WriteString(", wholly free,")
	case n.Idle:
		out.WriteString(", idle,")
	}
	fmt.Fprintf(&out, " with %s", text.Plural(n.Cores, "free core"))
	if n.GPUs > 0 {
		fmt.Fprintf(&out, " and %s", text.Plural(n.GPUs, "free GPU"))
	}
	if n.Nodes > 1 {
		out.WriteString(" each")
	}
	if n.Switches > 0 {
		fmt.Fprintf(&out, " below %s", leafSwitches(n.Switches))
	}
	fmt.Fprintf(&out, "; %s", qualify(n.Found))
	if n.Contiguous {
		fmt.Fprintf(&out, ", at most %d in one block", n.Longest)
	}
	if n.Switches > 0 {
		fmt.Fprintf(&out, ", at most %d below %s", n.Below, leafSwitches(n.Switches))
	}
	var others []string
	for _, o := range []struct {
		nodes int
		text  string
	}{
		{n.FewCores, "too few cores"}, {n.FewGPUs, "too few GPUs"}, {n.Busy, "not idle"},
		{n.FewMemory, "too little memory"}, {n.Options, "ruled out by its options"},
		{n.Barred, "kept by Slurm's reservations"},
	} {
		if o.nodes > 0 {
			others = append(others, fmt.Sprintf("%s: %d", o.text, o.nodes))
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(&out, " (%s)", strings.Join(others, ", "))
	}
	if n.Missing != "" {
		fmt.Fprintf(&out, ", and %s, which it names, do not", n.Missing)
	}
	return out.String()
}

func qualify(nodes int) string {
	if nodes == 1 {
		return "1 node qualifies"
	}
	return text.Plural(nodes, "node") + " qualify"
}

func leafSwitches(n int) string {
	if n == 1 {
		return "1 leaf switch"
	}
	return fmt.Sprintf("%d leaf switches", n)
}
