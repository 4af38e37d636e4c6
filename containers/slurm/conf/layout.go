package conf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// layoutLines are the lines of slurm.conf for the nodes and partitions of a layout. options
// end the lines of nodes.
//
// A node has as many CPUs as cores whatever threads these have, so that a job's CPU is a core. slurm.conf(5), CPUs:
// "This can be useful when you want to schedule only the cores on a hyper-threaded node".
//
// These lines ignore which nodes are out of service. DownNodes would take the state EXTERNAL from them. slurmctld
// then calls them, is refused, and reconfigures itself without end (Slurm 26.05.5). Package containers/slurm/boot
// sets them down.
func layoutLines(l layout.Layout, options string) []string {
	var lines []string
	if each := l.MemoryPerCore(); each > 0 {
		lines = append(lines, "# Without a default a job that asks for no memory gets all memory of its nodes.", fmt.Sprintf("DefMemPerCPU=%d", each))
	}
	for i, g := range l.Groups {
		line := fmt.Sprintf("NodeName=%s CPUs=%d Sockets=%d CoresPerSocket=%d ThreadsPerCore=%d", l.NodesOf(i), g.Cores, g.Sockets, g.Cores/g.Sockets, g.Threads)
		if g.Memory > 0 {
			line += fmt.Sprintf(" RealMemory=%d", g.Memory)
		}
		if gres := gresOf(g); gres != "" {
			line += " Gres=" + gres
		}
		if len(g.Features) > 0 {
			line += " Feature=" + strings.Join(g.Features, ",")
		}
		lines = append(lines, fmt.Sprintf("%s Weight=%d %s", line, g.Weight, options))
	}
	for _, p := range l.Partitions {
		lines = append(lines, partitionLine(l, p))
	}
	return lines
}

func partitionLine(l layout.Layout, p layout.Partition) string {
	var nodes []string
	for i, g := range l.Groups {
		for _, name := range p.Groups {
			if g.Name == name {
				nodes = append(nodes, l.NodesOf(i))
			}
		}
	}
	line := fmt.Sprintf("PartitionName=%s Nodes=%s", p.Name, strings.Join(nodes, ","))
	if p.Default {
		line += " Default=YES"
	}
	maxTime := "INFINITE"
	if p.MaxTime > 0 {
		maxTime = fmt.Sprint(p.MaxTime)
	}
	line += " MaxTime=" + maxTime
	if p.MaxNodes > 0 {
		line += fmt.Sprintf(" MaxNodes=%d", p.MaxNodes)
	}
	line += fmt.Sprintf(" State=UP PriorityTier=%d PriorityJobFactor=%d", p.PriorityTier, p.PriorityJobFactor)
	if !p.GivesWholeNodes() {
		line += " OverSubscribe=NO"
	}
	return line + p.SettingsLine()
}

// gresOf is the Gres of a group's nodes.
func gresOf(g layout.Group) string {
	var parts []string
	for _, gpu := range g.GPUs {
		if gpu.Type == "" {
			parts = append(parts, fmt.Sprintf("gpu:%d", gpu.Count))
			continue
		}
		parts = append(parts, fmt.Sprintf("gpu:%s:%d", gpu.Type, gpu.Count))
	}
	if g.Shards > 0 {
		parts = append(parts, fmt.Sprintf("shard:%d", g.Shards))
	}
	if g.MPS > 0 {
		parts = append(parts, fmt.Sprintf("mps:%d", g.MPS))
	}
	return strings.Join(parts, ",")
}

// sharedTypes are the names of the parts of GPUs that nodes have, each after the text.
func sharedTypes(l layout.Layout, before string) string {
	shards, mps := l.Shares()
	text := ""
	if shards {
		text += before + "shard"
	}
	if mps {
		text += before + "mps"
	}
	return text
}

// trackedTypes are the entries of AccountingStorageTRES for the types of GPUs, each with a
// comma before it.
func trackedTypes(l layout.Layout) string {
	text := ""
	for _, name := range l.GPUTypes() {
		text += ",gres/gpu:" + name
	}
	return text + sharedTypes(l, ",gres/")
}

// LicensesLine is Licenses of slurm.conf, "" without licences.
func (s Spec) LicensesLine() string {
	return layout.Layout{Licenses: slices.Concat(s.Layout.Licenses, s.ArrayLicenses)}.LicensesLine()
}

// layoutFaults returns the faults of a layout, and of what needs equal nodes.
func (s Spec) layoutFaults() []error {
	if s.Layout.IsZero() {
		return nil
	}
	var faults []error
	for _, f := range s.Layout.Faults() {
		faults = append(faults, f)
	}
	if s.Scheduler.External {
		faults = append(faults, s.Layout.AgentFaults()...)
	}
	if s.Sharing != (Sharing{}) {
		faults = append(faults, fmt.Errorf("layout: groups of nodes are not allowed beside sharing %+v", s.Sharing))
	}
	return faults
}

// DefaultMemory is what a job gets that asks for no memory, in MiB for each node or for each core. At most one of
// them is above 0; both are 0 where memory is not scheduled. Lines of the policy come before the layout's.
func (s Spec) DefaultMemory() (perNode, perCore int) {
	if perCore = s.Layout.MemoryPerCore(); perCore == 0 {
		return 0, 0
	}
	for _, line := range ParseLines(s.Scheduler.Lines) {
		key, value, _ := strings.Cut(line, "=")
		switch amount, _ := strconv.Atoi(value); key {
		case "DefMemPerNode":
			perNode, perCore = amount, 0
		case "DefMemPerCPU":
			perNode, perCore = 0, amount
		}
	}
	return perNode, perCore
}

// weightLines are the weights of the layout where priorities have several factors. A line of the
// policy's own stands in its place.
func (s Spec) weightLines() []string {
	if _, multifactor := s.Priority.Weights(); !multifactor {
		return nil
	}
	own := s.Scheduler.PriorityLines(s.Priority)
	return slices.DeleteFunc(s.Layout.Weights.Lines(), func(line string) bool {
		key, _, _ := strings.Cut(line, "=")
		return slices.ContainsFunc(own, func(l string) bool { return strings.HasPrefix(l, key+"=") })
	})
}

// UsageIdle says that the usage that users begin with has no effect, as neither Slurm nor an agent looks at it.
func (s Spec) UsageIdle() bool {
	weighed := slices.ContainsFunc(slices.Concat(s.Scheduler.PriorityLines(s.Priority), s.weightLines()), func(line string) bool {
		return strings.HasPrefix(line, fairShareWeight) && line != fairShareWeight+"0"
	})
	return s.Layout.HasUsage() && !weighed && !s.Scheduler.External
}

// fairShareWeight begins the line of slurm.conf without which fair share counts nothing.
const fairShareWeight = "PriorityWeightFairshare="

// WeightsIdle says that the weights of the layout have no effect, as the queue has another order.
func (s Spec) WeightsIdle() bool {
	_, multifactor := s.Priority.Weights()
	return s.Layout.Weights != (layout.Weights{}) && !multifactor
}
