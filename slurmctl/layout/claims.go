package layout

import (
	"cmp"
	"fmt"
	"slices"
)

// Charge is who a job is charged to, and what it takes while it runs. Resources that Takes lacks count for no limit.
type Charge struct {
	Account, User, QOS, Partition string
	Takes                         TRES
}

// Claim is a limit that a job is under, and what the job takes of it.
type Claim struct {
	Name         string
	Limit, Takes int
}

// Claims are the limits that hold for a job. A limit of the QOS of its partition replaces the same one of its own
// QOS, which replaces the same one of its account and user. See acct_policy_job_runnable_post_select in
// src/slurmctld/acct_policy.c.
func (l Layout) Claims(c Charge) []Claim {
	var all []Claim
	jobs := func(limit int, format string, args ...any) {
		if limit > 0 {
			all = append(all, Claim{fmt.Sprintf(format, args...), limit, 1})
		}
	}
	names := []string{"cpu", "node", "mem", "gres/gpu"}
	for _, t := range l.GPUTypes() {
		names = append(names, "gres/gpu:"+t)
	}
	tres := func(limits TRES, format string, args ...any) {
		for _, name := range names {
			if limits[name] > 0 && c.Takes[name] > 0 {
				all = append(all, Claim{fmt.Sprintf(format, args...) + " " + name, limits[name], c.Takes[name]})
			}
		}
	}
	var before Limits
	for _, q := range l.QOSOfJob(c.QOS, c.Partition) {
		of := q.Limits.Without(before)
		before = before.And(q.Limits)
		jobs(of.GrpJobs, "GrpJobs of QOS %s", q.Name)
		jobs(of.MaxJobsPerUser, "MaxJobsPerUser of QOS %s for %s", q.Name, c.User)
		jobs(of.MaxJobsPerAccount, "MaxJobsPerAccount of QOS %s for %s", q.Name, c.Account)
		tres(of.GrpTRES, "GrpTRES of QOS %s", q.Name)
		tres(of.MaxTRESPerUser, "MaxTRESPerUser of QOS %s for %s", q.Name, c.User)
		tres(of.MaxTRESPerAccount, "MaxTRESPerAccount of QOS %s for %s", q.Name, c.Account)
	}
	line := l.Line(c.Account)
	var own Limits
	for _, a := range line {
		if i := slices.IndexFunc(a.Users, func(u User) bool { return u.Name == c.User && a.Name == c.Account }); i >= 0 {
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
