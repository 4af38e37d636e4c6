package layout

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TRES are numbers of trackable resources by their names: cpu, node, mem in MiB, gres/gpu,
// gres/gpu:TYPE, gres/shard and gres/mps.
type TRES map[string]int

// TRESNames are those that a limit can have on the nodes of the layout, in the order in which
// they are written.
func (l Layout) TRESNames() []string {
	names := []string{"cpu", "node"}
	if len(l.Groups) > 0 && l.Groups[0].Memory > 0 {
		names = append(names, "mem")
	}
	if _, gpus := l.Most(); gpus > 0 {
		names = append(names, "gres/gpu")
		for _, t := range l.GPUTypes() {
			names = append(names, "gres/gpu:"+t)
		}
	}
	shards, mps := l.Shares()
	if shards {
		names = append(names, "gres/shard")
	}
	if mps {
		names = append(names, "gres/mps")
	}
	return names
}

// String is a value of sacctmgr(1), such as "cpu=8,gres/gpu=2".
func (t TRES) String() string {
	var parts []string
	for name, n := range t {
		parts = append(parts, fmt.Sprintf("%s=%d", name, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// Limits of a QOS or of an association, by their names in sacctmgr(1). 0 and nil are no limit.
type Limits struct {
	GrpTRES           TRES `json:"GrpTRES,omitempty" qos:"what all running jobs of the QOS may have: {TRES}" account:"what the running jobs of the account and of those below it may have: {TRES}" as:"tres"`
	GrpJobs           int  `json:"GrpJobs,omitempty" qos:"how many of its jobs may run" account:"how many of these jobs may run" range:"0..{MaxCount}"`
	MaxTRESPerJob     TRES `json:"MaxTRESPerJob,omitempty" qos:"what a job may have, as GrpTRES" account:"what a job may have, as GrpTRES" as:"tres"`
	MaxTRESPerUser    TRES `json:"MaxTRESPerUser,omitempty" qos:"what the running jobs of a user may have, as GrpTRES" as:"tres"`
	MaxTRESPerAccount TRES `json:"MaxTRESPerAccount,omitempty" qos:"what the running jobs of an account may have, as GrpTRES" as:"tres"`
	MaxJobs           int  `json:"MaxJobs,omitempty" account:"how many jobs of each user may run in the account" range:"0..{MaxCount}"`
	MaxJobsPerUser    int  `json:"MaxJobsPerUser,omitempty" qos:"how many jobs of a user may run" range:"0..{MaxCount}"`
	MaxJobsPerAccount int  `json:"MaxJobsPerAccount,omitempty" qos:"how many jobs of an account may run" range:"0..{MaxCount}"`
	// MaxWall is in minutes.
	MaxWall int `json:"MaxWall,omitempty" qos:"longest time limit in whole minutes, such as '24h'" account:"longest time limit in whole minutes, such as '24h'" as:"minutes"`
}

// Limit is one of Limits; one of the pointers is set.
type Limit struct {
	Name           string
	TRES           *TRES
	Count, Minutes *int
}

// OfQOS lists the limits that a QOS can have. MaxSubmitJobs and the like are none of them: they
// refuse a submission, and a run hands in each job once. Nor are limits on minutes of a resource,
// which tell a site's year and not a run.
func (l *Limits) OfQOS() []Limit {
	return []Limit{
		{Name: "GrpTRES", TRES: &l.GrpTRES}, {Name: "GrpJobs", Count: &l.GrpJobs},
		{Name: "MaxTRESPerJob", TRES: &l.MaxTRESPerJob}, {Name: "MaxTRESPerUser", TRES: &l.MaxTRESPerUser},
		{Name: "MaxTRESPerAccount", TRES: &l.MaxTRESPerAccount}, {Name: "MaxJobsPerUser", Count: &l.MaxJobsPerUser},
		{Name: "MaxJobsPerAccount", Count: &l.MaxJobsPerAccount}, {Name: "MaxWall", Minutes: &l.MaxWall},
	}
}

// OfAssociation lists the limits that an account or a user can have.
func (l *Limits) OfAssociation() []Limit {
	return []Limit{
		{Name: "GrpTRES", TRES: &l.GrpTRES}, {Name: "GrpJobs", Count: &l.GrpJobs},
		{Name: "MaxTRESPerJob", TRES: &l.MaxTRESPerJob}, {Name: "MaxJobs", Count: &l.MaxJobs},
		{Name: "MaxWall", Minutes: &l.MaxWall},
	}
}

// each lists all limits that there are.
func (l *Limits) each() []Limit {
	return append(l.OfQOS(), Limit{Name: "MaxJobs", Count: &l.MaxJobs})
}

// Without are the limits that others do not have: Slurm looks at the first of several that are set.
func (l Limits) Without(others Limits) Limits {
	before := others.each()
	for i, limit := range l.each() {
		switch {
		case limit.TRES != nil:
			left := maps.Clone(*limit.TRES)
			maps.DeleteFunc(left, func(name string, _ int) bool { return (*before[i].TRES)[name] > 0 })
			*limit.TRES = left
		case limit.Count != nil && *before[i].Count > 0:
			*limit.Count = 0
		case limit.Minutes != nil && *before[i].Minutes > 0:
			*limit.Minutes = 0
		}
	}
	return l
}

// And are the limits, and those of others that they do not have.
func (l Limits) And(others Limits) Limits {
	more := others.Without(l)
	for i, limit := range more.each() {
		own := l.each()[i]
		switch {
		case limit.TRES != nil:
			all := maps.Clone(*own.TRES)
			for name, n := range *limit.TRES {
				if all == nil {
					all = TRES{}
				}
				all[name] = n
			}
			*own.TRES = all
		case limit.Count != nil:
			*own.Count = max(*own.Count, *limit.Count)
		default:
			*own.Minutes = max(*own.Minutes, *limit.Minutes)
		}
	}
	return l
}

// IsZero says that there is none.
func (l Limits) IsZero() bool {
	return len(l.GrpTRES)+len(l.MaxTRESPerJob)+len(l.MaxTRESPerUser)+len(l.MaxTRESPerAccount) == 0 &&
		l.GrpJobs == 0 && l.MaxJobs == 0 && l.MaxJobsPerUser == 0 && l.MaxJobsPerAccount == 0 && l.MaxWall == 0
}

// Value is what sacctmgr sets the limit to, "" for none.
func (l Limit) Value() string {
	switch {
	case l.TRES != nil:
		return l.TRES.String()
	case l.Count != nil && *l.Count != 0:
		return fmt.Sprint(*l.Count)
	case l.Minutes != nil && *l.Minutes != 0:
		return fmt.Sprint(*l.Minutes)
	}
	return ""
}

// settings are the limits that there are as arguments of sacctmgr.
func settings(limits []Limit) []string {
	var out []string
	for _, l := range limits {
		if v := l.Value(); v != "" {
			out = append(out, l.Name+"="+v)
		}
	}
	return out
}
