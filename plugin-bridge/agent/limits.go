package agent

import (
	"fmt"
	"slices"

	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/layout"
)

// Limits of QOS, accounts and users (acct_policy.c) are like licences: a limit of 4 jobs of a user is 4 licences, of which each job of
// the user holds one while it runs. A job for which they do not suffice waits outside the window, as Slurm plans nothing for it. The
// winners keep to all limits together: an auction by its program, and withinLimits defers winners of a Decider. So no job is released that
// Slurm would leave pending. Some use is not known before: memory, and what depends on the nodes that a job gets. Slurm enforces those
// limits: the job does not start, is held again, and waits until a job has ended.

// limits says that there are some.
func (r Rules) limits() bool { return r.Layout.Enforces() }

// limit adds to the state what running jobs leave free of the limits, and to the held jobs what they want of it.
func (r Rules) limit(state *State, charges map[int]slurmctl.Charge) {
	if !r.limits() {
		return
	}
	var free machine.Licences
	for i := range state.Held {
		h := &state.Held[i]
		charge := charges[h.ID]
		h.Limits = map[string]machine.Licences{}
		claim := func(partition string) {
			for _, c := range r.claims(charge, requestTakes(h.Request)) {
				h.Limits[partition] = append(h.Limits[partition], machine.Licence{Name: c.Name, Count: c.Takes})
				if !slices.ContainsFunc(free, func(l machine.Licence) bool { return l.Name == c.Name }) {
					free = append(free, machine.Licence{Name: c.Name, Count: c.Limit})
				}
			}
		}
		if len(h.Within) == 0 {
			claim(h.Request.Options.Partition)
			continue
		}
		h.keep(func(o bidding.JobOptions) bool {
			p, _ := r.Layout.Find(o.Partition)
			return p.AdmitsQOS(charge.QOS) && r.Layout.AdmitsAccount(p, charge.Account)
		})
		for i := range h.Within {
			charge.Partition = h.Within[i].Partition
			claim(h.Within[i].Partition)
		}
	}
	for _, running := range state.Running {
		for _, c := range r.claims(charges[running.ID], holdingTakes(running.Allocation)) {
			free.Take(machine.Licences{{Name: c.Name, Count: c.Takes}})
		}
	}
	state.Licences = append(state.Licences, free...)
}

// limits are what the job wants of the limits in the partition that it has in this cycle.
func (h HeldJob) limits() machine.Licences { return h.Limits[h.Request.Options.Partition] }

// short is the first limit of which too little is free, "" for none.
func short(free, wanted machine.Licences) string {
	for _, w := range wanted {
		if free.Count(w.Name) < wanted.Count(w.Name) {
			return fmt.Sprintf("the limit %s leaves less than the %d that it asks for", w.Name, w.Count)
		}
	}
	return ""
}

// limited says which limit keeps a job from starting, "" for none. Of several partitions those stay whose limits let it.
func (a *Agent) limited(h *HeldJob, free machine.Licences) string {
	if reason, is := a.capped[h.ID]; is {
		return fmt.Sprintf("Slurm keeps it waiting for a limit (%s), and no job has ended since", reason)
	}
	h.keep(func(o bidding.JobOptions) bool { return free.Cover(h.Limits[o.Partition]) })
	return short(free, h.limits())
}

// withinLimits leaves of the winners those that keep to all limits together, in their order. With one that does not, all later ones of
// class R wait, whose cores are what all winners before them leave free.
func withinLimits(winners []bidding.Bid, window []HeldJob, free machine.Licences, record *trace.Cycle) []bidding.Bid {
	free = slices.Clone(free)
	var kept []bidding.Bid
	waits := false
	for _, b := range winners {
		h := window[b.Job]
		reason := short(free, h.limits())
		if reason == "" && waits && b.Class == bidding.ClassR {
			reason = "a job before it waits for a limit"
		}
		if waits = waits || reason != ""; reason != "" {
			record.Deferred = append(record.Deferred, trace.Refusal{Job: h.Job, Reason: reason})
			continue
		}
		free.Take(h.limits())
		kept = append(kept, b)
	}
	return kept
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
