package agent

import (
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

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
	// MaxTime is the longest time limit, 0 for any.
	MaxTime time.Duration
	// WholeNodes says that a job shares no node (OverSubscribe=EXCLUSIVE).
	WholeNodes bool
}

// apply adds the rules to a held job. Of several partitions those stay that allow its time limit.
func (r Rules) apply(h *HeldJob) {
	r.options(&h.Request.Options)
	h.Tier = r.Partitions[h.Request.Options.Partition].Tier
	for i := range h.Within {
		r.options(&h.Within[i])
		h.Tier = max(h.Tier, r.Partitions[h.Within[i].Partition].Tier)
	}
	h.keep(func(o bidding.JobOptions) bool {
		most := r.Partitions[o.Partition].MaxTime
		return most == 0 || h.Request.TimeLimit <= most
	})
}

// options adds the rules to the options in a partition.
func (r Rules) options(o *bidding.JobOptions) {
	p := r.Partitions[o.Partition]
	o.MostNodes, o.Exclusive = p.MaxNodes, o.Exclusive || p.WholeNodes
	if o.MemoryPerNode+o.MemoryPerCore == 0 {
		o.MemoryPerNode, o.MemoryPerCore = r.MemoryPerNode, r.MemoryPerCore
	}
}

// keep leaves of several partitions those that may have the job. If none may, all stay: Slurm then says why the job cannot start.
func (h *HeldJob) keep(may func(bidding.JobOptions) bool) {
	kept := slices.DeleteFunc(slices.Clone(h.Within), func(o bidding.JobOptions) bool { return !may(o) })
	if len(kept) > 0 {
		h.Within, h.Request.Options = kept, kept[0]
	}
}
