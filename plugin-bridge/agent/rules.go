package agent

import "github.com/slurmlab/slurmlab/slurmctl/layout"

// Rules are what the configuration of the cluster says of jobs, beyond what slurmctld tells of
// them while they are held. The zero value says nothing.
type Rules struct {
	// Partitions are those with rules of their own, by name.
	Partitions map[string]Partition
	// MemoryPerNode and MemoryPerCore are what a job gets that asks for no memory, in MiB:
	// DefMemPerNode and DefMemPerCPU of slurm.conf(5). At most one is set.
	MemoryPerNode, MemoryPerCore int
	// Layout has the limits of QOS, accounts and users.
	Layout layout.Layout
}

// Partition is what slurm.conf(5) says of a partition.
type Partition struct {
	// MaxNodes is the most nodes of a job, 0 for any.
	MaxNodes int
	// Tier is PriorityTier.
	Tier int
}

// apply adds the rules to a held job.
func (r Rules) apply(h *HeldJob) {
	o := &h.Request.Options
	p := r.Partitions[o.Partition]
	h.Tier, o.MostNodes = p.Tier, p.MaxNodes
	if o.MemoryPerNode+o.MemoryPerCore == 0 {
		o.MemoryPerNode, o.MemoryPerCore = r.MemoryPerNode, r.MemoryPerCore
	}
}
