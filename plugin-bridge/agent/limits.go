package agent

import (
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Limits of QOS, accounts and users (acct_policy.c) are licences to an auction: a limit of 4 jobs of a user is 4
// licences, of which each job of the user holds one while it runs. So the winners of an auction keep to all limits
// together, and no job is released that Slurm would leave pending. Some use is not known before: memory, and what
// depends on the nodes that a job gets. Slurm enforces those limits: the job does not start, and is held again.

// limits says that there are some.
func (r Rules) limits() bool { return r.Layout.Enforces() }

// limit makes licences of the limits: adds to the state those that running jobs leave free, and to
// the held jobs those that they want.
func (r Rules) limit(state *State, charges map[int]slurmctl.Charge) {
	if !r.limits() {
		return
	}
	var free machine.Licences
	for i := range state.Held {
		h := &state.Held[i]
		charge := charges[h.ID]
		claim := func(o *bidding.JobOptions) {
			// A copy, as the options in several partitions have one list.
			o.Licences = slices.Clone(o.Licences)
			for _, c := range r.claims(charge, requestTakes(h.Request)) {
				o.Licences = append(o.Licences, machine.Licence{Name: c.Name, Count: c.Takes})
				if !slices.ContainsFunc(free, func(l machine.Licence) bool { return l.Name == c.Name }) {
					free = append(free, machine.Licence{Name: c.Name, Count: c.Limit})
				}
			}
		}
		if len(h.Within) == 0 {
			claim(&h.Request.Options)
			continue
		}
		h.keep(func(o bidding.JobOptions) bool {
			p, _ := r.Layout.Find(o.Partition)
			return p.AdmitsQOS(charge.QOS) && r.Layout.AdmitsAccount(p, charge.Account)
		})
		for i := range h.Within {
			charge.Partition = h.Within[i].Partition
			claim(&h.Within[i])
		}
		h.Request.Options = h.Within[0]
	}
	for _, running := range state.Running {
		for _, c := range r.claims(charges[running.ID], holdingTakes(running.Allocation)) {
			free.Take(machine.Licences{{Name: c.Name, Count: c.Takes}})
		}
	}
	state.Licences = append(state.Licences, free...)
}

// requestTakes is what a job takes of the resources that limits count: the least where its request leaves it open.
func requestTakes(j bidding.Job) layout.TRES {
	nodes := max(1, j.Nodes)
	if j.CoresPerNode > 0 {
		nodes = j.Tasks() / j.CoresPerNode
	}
	return layout.TRES{"cpu": j.Tasks(), "node": nodes, "gres/gpu": nodes * j.GPUs}
}

func holdingTakes(a machine.Allocation) layout.TRES {
	return layout.TRES{"cpu": a.TotalCores(), "node": len(a.Nodes), "gres/gpu": len(a.Nodes) * a.GPUs}
}

// claims are the limits that hold for a job.
func (r Rules) claims(c slurmctl.Charge, takes layout.TRES) []layout.Claim {
	return r.Layout.Claims(layout.Charge{Account: c.Account, User: c.User, QOS: c.QOS, Partition: c.Partition, Takes: takes})
}
