package metric

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// PerJob are the means over jobs that count (trace.FinishedJob.Counted).
type PerJob struct {
	Waiting         MeanStd `json:"waiting_s"`
	Slowdown        MeanStd `json:"slowdown"`
	BoundedSlowdown MeanStd `json:"bounded_slowdown"`
	Turnaround      MeanStd `json:"turnaround_s"`
	Fragmentation   MeanStd `json:"fragmentation"`
	Spread          MeanStd `json:"spread"`
	Packing         MeanStd `json:"packing"`
	// SwitchSpread is nil (JSON null) on a machine without a tree of switches.
	SwitchSpread *MeanStd `json:"switch_spread"`
}

// some says whether the means are over any jobs, which have a bounded slowdown of at least 1. Otherwise a run in which no job
// starts would have the shortest wait.
func (p PerJob) some() bool {
	p.SwitchSpread = nil
	return p != PerJob{}
}

func perJob(m workloads.Machine, started []trace.FinishedJob) PerJob {
	return PerJob{
		Waiting:         meanStd(each(started, trace.FinishedJob.TotalWait)),
		Slowdown:        meanStd(each(started, Slowdown)),
		BoundedSlowdown: meanStd(each(started, boundedSlowdown)),
		Turnaround:      meanStd(each(started, turnaround)),
		Fragmentation:   meanStd(each(started, func(j trace.FinishedJob) float64 { return float64(Fragmentation(j.Allocated)) })),
		Spread:          meanStd(each(started, func(j trace.FinishedJob) float64 { return Spread(j.Allocated) })),
		Packing:         meanStd(each(started, func(j trace.FinishedJob) float64 { return Packing(m, j) })),
		SwitchSpread:    switchSpread(m, started),
	}
}

func switchSpread(m workloads.Machine, started []trace.FinishedJob) *MeanStd {
	if m.Switches.Flat() {
		return nil
	}
	leaves := m.Switches.Leaves(m.Nodes)
	spread := meanStd(each(started, func(j trace.FinishedJob) float64 { return SwitchSpread(leaves, j.Allocated) }))
	return &spread
}

// Group has the metrics of those jobs of a run that have something in common.
type Group struct {
	// By is one of GroupBys, Name what the jobs have in common.
	By   string `json:"by"`
	Name string `json:"name"`
	// Jobs counts all jobs, Started those in the means.
	Jobs    int `json:"jobs"`
	Started int `json:"started"`
	PerJob
}

// grouping divides jobs into named groups, ordered by rank.
type grouping struct {
	by string
	of func(workloads.Machine, trace.FinishedJob) (rank int, name string)
}

func groupings() []grouping {
	return []grouping{
		{"type", func(_ workloads.Machine, j trace.FinishedJob) (int, string) { return 0, j.Class }},
		{"gpu", func(_ workloads.Machine, j trace.FinishedJob) (int, string) {
			return either(j.GPUsMax+j.Shards+j.MPS > 0, "with GPUs", "without GPUs")
		}},
		{"contiguity", func(_ workloads.Machine, j trace.FinishedJob) (int, string) {
			return either(j.Contiguous, "contiguous", "anywhere")
		}},
		{"size", func(m workloads.Machine, j trace.FinishedJob) (int, string) { return SizeClass(m, j.Job) }},
		{"partition", func(_ workloads.Machine, j trace.FinishedJob) (int, string) {
			return 0, cmp.Or(j.SlurmPartition, byDefault)
		}},
		{"account", func(_ workloads.Machine, j trace.FinishedJob) (int, string) {
			return 0, cmp.Or(j.SlurmAccount, j.ChargedTo(), byDefault)
		}},
		{"qos", func(_ workloads.Machine, j trace.FinishedJob) (int, string) {
			return 0, cmp.Or(j.SlurmQOS, j.QOS, byDefault)
		}},
		{"user", func(_ workloads.Machine, j trace.FinishedJob) (int, string) { return 0, cmp.Or(j.User, byDefault) }},
		{gpuType, nil},
	}
}

// busySpan is the way of GroupBys by the time of submission.
const busySpan = "busy-span"

// byDefault is the name of a group of jobs that ask for no partition, account or user, where the run does not tell which
// ones they had.
const byDefault = "default"

func either(yes bool, yesName, noName string) (int, string) {
	if yes {
		return 1, yesName
	}
	return 0, noName
}

// smallestSize is the exponent of the last class of sizes, 1/1024.
const smallestSize = 10

// SizeClass is the least 1/2^k of all cores that the job's cores do not exceed,
// with k at most 10. Larger sizes have larger ranks.
func SizeClass(m workloads.Machine, j workloads.Job) (rank int, name string) {
	k, all := 0, m.AllCores()
	for k < smallestSize && j.Cores<<(k+1) <= all {
		k++
	}
	return -k, fmt.Sprintf("≤ 1/%d", 1<<k)
}

// hasQOS says that the run tells the job's QOS, as it does on a machine that has some.
func hasQOS(j trace.FinishedJob) bool { return j.SlurmQOS != "" || j.QOS != "" }

// GroupBys lists what jobs are grouped by. "type" is the workload's class, "size" the cores asked for as part of the
// machine, in powers of two. "partition", "account" and "qos" come from Slurm's accounting, "user" is the workload's.
// "gpu-type" is the type of the GPUs that a job got, and "busy-span" says whether it was submitted in the [BusySpan]. No group
// is by "qos" where no job has one, none by "gpu-type" on a machine without types of GPUs, and none by "busy-span" in a run
// without one.
func GroupBys() []string { return append(JobBys(), busySpan) }

// JobBys lists those of GroupBys that one job decides alone.
func JobBys() []string {
	var list []string
	for _, g := range groupings() {
		list = append(list, g.by)
	}
	return list
}

// GroupOf divides jobs of a machine in one of the ways of JobBys; it is false for another one. Groups of lower rank come
// first.
func GroupOf(by string, m workloads.Machine) (of func(trace.FinishedJob) (rank int, name string), known bool) {
	if by == gpuType {
		return NewNodeTypes(m).group, true
	}
	for _, way := range groupings() {
		if way.by == by {
			return func(j trace.FinishedJob) (int, string) { return way.of(m, j) }, true
		}
	}
	return nil, false
}

// groups divides the jobs in each way. Every job is in one group of each way.
func groups(m workloads.Machine, jobs []trace.FinishedJob) []Group {
	var out []Group
	for _, by := range JobBys() {
		if by == "qos" && !slices.ContainsFunc(jobs, hasQOS) || by == gpuType && !m.Has().GPUTypes {
			continue
		}
		of, _ := GroupOf(by, m)
		out = append(out, divide(m, jobs, by, of)...)
	}
	if from, there := fills(m, jobs); there {
		out = append(out, divide(m, jobs, busySpan, func(j trace.FinishedJob) (int, string) {
			return either(j.Submit >= from, "in the busy span", "before it")
		})...)
	}
	return out
}

// divide groups the jobs in one way.
func divide(m workloads.Machine, jobs []trace.FinishedJob, by string, of func(trace.FinishedJob) (rank int, name string)) []Group {
	type key struct {
		rank int
		name string
	}
	members := map[key][]trace.FinishedJob{}
	for _, j := range jobs {
		rank, name := of(j)
		members[key{rank, name}] = append(members[key{rank, name}], j)
	}
	var out []Group
	for _, k := range slices.SortedFunc(maps.Keys(members), func(a, b key) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name)) }) {
		ran := trace.Counted(members[k])
		out = append(out, Group{By: by, Name: k.name, Jobs: len(members[k]), Started: len(ran), PerJob: perJob(m, ran)})
	}
	return out
}

// Service is how jobs that started were served.
type Service struct {
	// BoundedSlowdown is their mean.
	BoundedSlowdown float64
	// Fairness is that over users, WorstUser the largest of the users' mean bounded slowdowns; both are nil for fewer than two users.
	// Fairness alone misleads: it falls if all users but the worst served one are served better.
	Fairness, WorstUser *float64
}

// Served computes how jobs that started were served.
func Served(started []trace.FinishedJob) Service {
	s := Service{BoundedSlowdown: meanStd(each(started, boundedSlowdown)).Mean}
	if users := userSlowdowns(started); len(users) >= 2 {
		fairness, worst := Jain(users), slices.Max(users)
		s.Fairness, s.WorstUser = &fairness, &worst
	}
	return s
}

// userSlowdowns are the users' mean bounded slowdowns, each at least 1.
func userSlowdowns(started []trace.FinishedJob) []float64 {
	byUser := map[string][]trace.FinishedJob{}
	var users []string
	for _, j := range started {
		if byUser[j.User] == nil {
			users = append(users, j.User)
		}
		byUser[j.User] = append(byUser[j.User], j)
	}
	means := make([]float64, len(users))
	for i, u := range users {
		means[i] = meanStd(each(byUser[u], boundedSlowdown)).Mean
	}
	return means
}

// Jain is Jain's index (sum x)^2 / (n sum x^2) of positive values (Jain, Chiu, Hawe, DEC-TR-301).
func Jain(x []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
		squares += v * v
	}
	return sum * sum / (float64(len(x)) * squares)
}
