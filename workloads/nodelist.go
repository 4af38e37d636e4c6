package workloads

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// NodeListOf is a NodeList of nodes by their numbers, from 1 and ascending.
func NodeListOf(numbers []int) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = fmt.Sprintf("%s%d", layout.NodePrefix, n)
	}
	return strings.ReplaceAll(values.CompressHosts(names), ",", "&")
}

// required are the numbers of the nodes of NodeList; ok says that it is a text of NodeListOf.
func (j Job) required() (numbers []int, ok bool) {
	if j.NodeList == "" {
		return nil, true
	}
	numbers, err := values.HostNumbers(strings.ReplaceAll(j.NodeList, "&", ","), layout.NodePrefix)
	ok = err == nil && slices.IsSorted(numbers) && len(slices.Compact(slices.Clone(numbers))) == len(numbers) && NodeListOf(numbers) == j.NodeList
	return numbers, ok
}

// MayHave says whether the job could have the nodes of NodeList among its own on the machine.
func (j Job) MayHave(m Machine) bool {
	return len(j.nodeListFaults()) == 0 && len(j.inOne(m, func(j Job) []faults.Fault { return j.nodeListMisfits(m) })) == 0
}

// nodeListFaults are those of NodeList on any machine.
func (j Job) nodeListFaults() []faults.Fault {
	numbers, ok := j.required()
	switch {
	case !ok:
		return []faults.Fault{faults.At("nodelist", faults.Got(j.NodeList), "none, or nodes by their numbers in ascending order, as n[1-3&7], each once")}
	case len(numbers) > j.MostNodes():
		// Slurm would give the job some of these nodes alone (req_bitmap in src/slurmctld/job_mgr.c), which is another request.
		return []faults.Fault{faults.At("nodelist", fmt.Sprintf("got %d nodes", len(numbers)), fmt.Sprintf("0..%d, the job's nodes", j.MostNodes()))}
	}
	return nil
}

// nodeListMisfits are nodes of NodeList that the machine has not, or that can never be the job's.
func (j Job) nodeListMisfits(m Machine) []faults.Fault {
	numbers, _ := j.required()
	if len(numbers) == 0 {
		return nil
	}
	if most := slices.Max(numbers); most > m.Nodes {
		return []faults.Fault{faults.At("nodelist", faults.Got(j.NodeList), fmt.Sprintf("nodes up to %s%d (of machine %s)", layout.NodePrefix, m.Nodes, m.Name))}
	}
	if !m.Unequal() {
		return nil
	}
	partition, _ := m.Layout.Find(j.Partition)
	groups, down := m.Layout.GroupOf(), m.Layout.OutOfService()
	for _, n := range numbers {
		g := m.Layout.Groups[groups[n-1]]
		if _, may := j.mayHave(g); !may || down[n-1] || !slices.Contains(partition.Groups, g.Name) {
			return []faults.Fault{faults.At("nodelist", faults.Got(j.NodeList),
				fmt.Sprintf("nodes in service in partition %s of machine %s that have what the job asks for; %s%d is none", partition.Name, m.Name, layout.NodePrefix, n))}
		}
	}
	return nil
}
