package policy

import (
	"fmt"

	"github.com/slurmlab/slurmlab/slurmctl/layout"
	"github.com/slurmlab/slurmlab/slurmctl/priority"
)

// CheckMachine is an error where the agent of the policy does not know what a machine has: blocks, or nodes that differ. Slurm's own policies
// know everything.
func (p Policy) CheckMachine(machine string, l layout.Layout, blocks bool) error {
	if !p.HasAgent() {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("machine %s: policy %s %w", machine, p.Name, fmt.Errorf(format, args...))
	}
	if blocks {
		return refuse("chooses nodes across blocks, which topology/block does not start; allowed are Slurm's own policies")
	}
	if l.IsZero() {
		return nil
	}
	if faults := l.AgentFaults(); len(faults) > 0 {
		return refuse("has an agent: %w", faults[0])
	}
	tiers := map[int]bool{}
	for _, part := range l.Partitions {
		tiers[part.PriorityTier] = true
		if p.Parameters.Method != MethodIPSCHED {
			continue
		}
		if len(part.Groups) < len(l.Groups) {
			return refuse("takes any nodes for a job, and partition %s has not all; allowed are machines each partition of which has all groups", part.Name)
		}
		if part.MaxNodes > 0 {
			return refuse("takes any number of nodes for a job, and partition %s has max_nodes", part.Name)
		}
	}
	switch {
	case p.Parameters.Method == MethodIPSCHED && len(l.Reservations) > 0:
		return refuse("takes any nodes for a job, and reservation %s keeps some; allowed are machines without reservations", l.Reservations[0].Name)
	case p.Parameters.FairShare > 0 && len(tiers) > 1:
		return refuse("orders the queue by fair share alone, and the partitions differ in priority_tier")
	case p.Parameters.Method == MethodFormula && l.Weights != (layout.Weights{}):
		return refuse("sets the priorities of jobs, and does not know priority_weights; allowed are Slurm's own policies")
	case p.Priority == priority.Multifactor && l.Weights != (layout.Weights{}):
		return refuse("computes priorities by size and age of jobs, and does not know priority_weights; allowed is --set priority=basic")
	}
	return nil
}

// Columns are the columns of a workload beyond nodes, cores, GPUs and accounts that the agent of the policy
// understands. It is nil for a policy without an agent, which knows all.
func (p Policy) Columns() []string {
	if !p.HasAgent() {
		return nil
	}
	known := []string{"nice", "begin_after_s", "qos"}
	if p.Parameters.Method == MethodIPSCHED {
		return append(known, "partition")
	}
	known = append(known, "partition", "features", "gpu_type", "reservation", "switches")
	if p.Parameters.Method == MethodAuction {
		known = append(known, "mem_per_node", "mem_per_cpu", "exclusive", "nodelist", "licenses", "dependency", "array")
	}
	return known
}
