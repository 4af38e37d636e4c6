package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// Affected is a user with a job that waits otherwise than in the base by the stated amount.
type Affected struct {
	Scenario, User string
	// Jobs counts the jobs whose waits are known on both sides; Helped and Hurt count the ones that differ.
	Jobs, Helped, Hurt int
	// Base and Wait are the mean waits of the jobs in seconds.
	Base, Wait float64
	// Job of Day is the most hurt of them, or the most helped if none is hurt, with its waits.
	Job              int
	Day              string
	JobBase, JobWait float64
}

// Change is the difference of the mean waits.
func (a Affected) Change() float64 { return a.Wait - a.Base }

// people compare the waits of each job of each day, which are means over the shakes.
type people struct {
	options  WhatIfOptions
	scenario string
	jobs     map[dayJob]*comparedJob
}

type dayJob struct {
	day string
	job int
}

// comparedJob has the sums over so many shakes. Where atLeast and baseAtLeast a shake never started the job.
type comparedJob struct {
	user, group          string
	wait, base           float64
	shakes               int
	atLeast, baseAtLeast bool
}

func newPeople(o WhatIfOptions, scenario string) people {
	return people{o, scenario, map[dayJob]*comparedJob{}}
}

func (p people) take(day string, r, base *whatIfRun) {
	counts := func(u *unit) bool { return u != nil && (u.state == waited || u.state == censored) }
	for id, u := range r.units {
		b := base.units[id]
		if !counts(u) || !counts(b) {
			continue
		}
		k := dayJob{day, id}
		if p.jobs[k] == nil {
			p.jobs[k] = &comparedJob{user: u.first().User, group: u.group}
		}
		j := p.jobs[k]
		j.wait, j.base, j.shakes = j.wait+u.wait, j.base+b.wait, j.shakes+1
		j.atLeast, j.baseAtLeast = j.atLeast || u.state == censored, j.baseAtLeast || b.state == censored
	}
}

// verdict says whether a job or user with these waits is hurt (1), helped (-1) or neither.
func (o WhatIfOptions) verdict(base, wait float64) int {
	change := math.Abs(wait - base)
	if change <= o.Minutes*minute || change <= o.Percent/100*base {
		return 0
	}
	return cmp.Compare(wait, base)
}

// verdict of a job is decided only where a longer wait of a job that never started would not change it.
func (j comparedJob) verdict(o WhatIfOptions) (is int, decided bool) {
	n := float64(j.shakes)
	is = o.verdict(j.base/n, j.wait/n)
	open := j.atLeast && (is <= 0 || j.baseAtLeast) || j.baseAtLeast && is >= 0
	return is, !open
}

// user has the sums of a user's jobs.
type user struct {
	name string
	Affected
}

// users lists the users of a group with at least one job whose waits are known on both sides.
func (p people) users(group string) []*user {
	of := map[string]*user{}
	for _, k := range slices.SortedFunc(maps.Keys(p.jobs), func(a, b dayJob) int { return cmp.Or(cmp.Compare(a.day, b.day), a.job-b.job) }) {
		j := p.jobs[k]
		if group != AllJobs && j.group != group {
			continue
		}
		if of[j.user] == nil {
			of[j.user] = &user{name: j.user, Affected: Affected{Scenario: p.scenario, User: cmp.Or(j.user, "default")}}
		}
		u := of[j.user]
		is, decided := j.verdict(p.options)
		switch {
		case decided && is > 0:
			u.Hurt++
		case decided && is < 0:
			u.Helped++
		}
		if j.atLeast || j.baseAtLeast {
			continue
		}
		n := float64(j.shakes)
		wait, base := j.wait/n, j.base/n
		u.Jobs++
		u.Wait, u.Base = u.Wait+wait, u.Base+base
		if worst := u.JobWait - u.JobBase; u.Day == "" || wait-base > worst && wait > base || worst <= 0 && wait-base < worst {
			u.Job, u.Day, u.JobBase, u.JobWait = k.job, k.day, base, wait
		}
	}
	for _, u := range of {
		if n := float64(u.Jobs); n > 0 {
			u.Wait, u.Base = u.Wait/n, u.Base/n
		}
	}
	return slices.Collect(maps.Values(of))
}

// fill counts the jobs and users of a row.
func (p people) fill(r *WhatIfRow) {
	for _, j := range p.jobs {
		if r.Group != AllJobs && j.group != r.Group {
			continue
		}
		switch is, decided := j.verdict(p.options); {
		case !decided:
			r.Undecided++
		case is > 0:
			r.Hurt++
		case is < 0:
			r.Helped++
		}
	}
	for _, u := range p.users(r.Group) {
		switch is := p.options.verdict(u.Base, u.Wait); {
		case is > 0:
			r.UsersHurt++
		case is < 0:
			r.UsersHelped++
		}
	}
}

// affected are the users with a job that is helped or hurt.
func (p people) affected() []Affected {
	var list []Affected
	for _, u := range p.users(AllJobs) {
		if u.Helped+u.Hurt > 0 {
			list = append(list, u.Affected)
		}
	}
	return list
}
