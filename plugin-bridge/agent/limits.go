package agent

import (
	"cmp"
	"fmt"
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
				o.Licences = append(o.Licences, machine.Licence{Name: c.name, Count: c.takes})
				if !slices.ContainsFunc(free, func(l machine.Licence) bool { return l.Name == c.name }) {
					free = append(free, machine.Licence{Name: c.name, Count: c.limit})
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
			free.Take(machine.Licences{{Name: c.name, Count: c.takes}})
		}
	}
	state.Licences = append(state.Licences, free...)
}

// takes is what a job takes of the resources that limits count, by their names in sacctmgr(1).
// Where the request leaves it open, it is the least.
type takes map[string]int

func requestTakes(j bidding.Job) takes {
	nodes := max(1, j.Nodes)
	if j.CoresPerNode > 0 {
		nodes = j.Tasks() / j.CoresPerNode
	}
	return takes{"cpu": j.Tasks(), "node": nodes, "gres/gpu": nodes * j.GPUs}
}

func holdingTakes(a machine.Allocation) takes {
	return takes{"cpu": a.TotalCores(), "node": len(a.Nodes), "gres/gpu": len(a.Nodes) * a.GPUs}
}

// claim is a limit that a job is under, and what the job takes of it.
type claim struct {
	name         string
	limit, takes int
}

// claims are the limits that hold for a job. A limit of the QOS of its partition replaces the same one of its own
// QOS, which replaces the same one of its account and user. See acct_policy_job_runnable_post_select in
// src/slurmctld/acct_policy.c.
func (r Rules) claims(c slurmctl.Charge, t takes) []claim {
	var all []claim
	jobs := func(limit int, format string, args ...any) {
		if limit > 0 {
			all = append(all, claim{fmt.Sprintf(format, args...), limit, 1})
		}
	}
	tres := func(limits layout.TRES, format string, args ...any) {
		for _, name := range []string{"cpu", "node", "gres/gpu"} {
			if limits[name] > 0 && t[name] > 0 {
				all = append(all, claim{fmt.Sprintf(format, args...) + " " + name, limits[name], t[name]})
			}
		}
	}
	var before layout.Limits
	for _, q := range r.Layout.QOSOfJob(c.QOS, c.Partition) {
		of := q.Limits.Without(before)
		before = before.And(q.Limits)
		jobs(of.GrpJobs, "GrpJobs of QOS %s", q.Name)
		jobs(of.MaxJobsPerUser, "MaxJobsPerUser of QOS %s for %s", q.Name, c.User)
		jobs(of.MaxJobsPerAccount, "MaxJobsPerAccount of QOS %s for %s", q.Name, c.Account)
		tres(of.GrpTRES, "GrpTRES of QOS %s", q.Name)
		tres(of.MaxTRESPerUser, "MaxTRESPerUser of QOS %s for %s", q.Name, c.User)
		tres(of.MaxTRESPerAccount, "MaxTRESPerAccount of QOS %s for %s", q.Name, c.Account)
	}
	line := r.Layout.Line(c.Account)
	var own layout.Limits
	for _, a := range line {
		if i := slices.IndexFunc(a.Users, func(u layout.User) bool { return u.Name == c.User && a.Name == c.Account }); i >= 0 {
			own = a.Users[i].Limits
		}
	}
	most := own.MaxJobs
	for _, a := range line {
		most = cmp.Or(most, a.Limits.MaxJobs)
	}
	if before.MaxJobsPerUser == 0 {
		jobs(most, "MaxJobs of %s in account %s", c.User, c.Account)
	}
	own = own.Without(before)
	jobs(own.GrpJobs, "GrpJobs of %s in account %s", c.User, c.Account)
	tres(own.GrpTRES, "GrpTRES of %s in account %s", c.User, c.Account)
	for _, a := range line {
		of := a.Limits.Without(before)
		jobs(of.GrpJobs, "GrpJobs of account %s", a.Name)
		tres(of.GrpTRES, "GrpTRES of account %s", a.Name)
	}
	return all
}
