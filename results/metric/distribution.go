package metric

import (
	"maps"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Quantiles are of a value over the jobs that count, by nearest rank: a value that some job has.
type Quantiles struct {
	Median float64 `json:"p50"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

// quantiles is nil for no values.
func quantiles(values []float64) *Quantiles {
	if len(values) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(values))
	at := func(percent int) float64 { return sorted[(percent*len(sorted)+99)/100-1] }
	return &Quantiles{Median: at(50), P95: at(95), P99: at(99), Max: at(100)}
}

// areaSlowdown is the slowdown weighted by the cores and the execution of each job, sum(cores x turnaround) / sum(cores x
// execution), so that a long wide job counts as much as the many short ones that have the same area. It is nil for no
// jobs.
func areaSlowdown(counted []trace.FinishedJob) *float64 {
	area, weighted := 0.0, 0.0
	for _, j := range counted {
		size := float64(j.AllocCores) * max(j.Execution(), accountingResolution)
		area, weighted = area+size, weighted+size*Slowdown(j)
	}
	if area == 0 {
		return nil
	}
	slowdown := weighted / area
	return &slowdown
}

// lostWork is the part of all core-seconds in use that jobs had that did not complete, 0 of none.
func lostWork(started []trace.FinishedJob) float64 {
	all, lost := 0.0, 0.0
	for _, j := range started {
		work := float64(j.AllocCores) * j.Execution()
		all += work
		if !j.Completed() {
			lost += work
		}
	}
	if all == 0 {
		return 0
	}
	return lost / all
}

// BusySpan is the time from when the machine gets too small for the jobs to the last submission: before it every policy
// starts what comes, and after it nothing comes that a policy could use. Times are in virtual seconds from the first
// submission.
type BusySpan struct {
	From float64 `json:"from_s"`
	To   float64 `json:"to_s"`
	// CPUInUse and GPUInUse are parts of all cores and GPUs in use.
	CPUInUse float64 `json:"cpu_in_use"`
	GPUInUse float64 `json:"gpu_in_use"`
	// Waiting is the mean over the jobs that count and are submitted in the span, nil (JSON null) without such jobs.
	Waiting *float64 `json:"waiting_s"`
}

// FindBusySpan is nil where the machine does not get too small before the last submission.
func FindBusySpan(m workloads.Machine, jobs []trace.FinishedJob) *BusySpan {
	from, there := fills(m, jobs)
	if !there {
		return nil
	}
	first, s := math.Inf(1), BusySpan{From: from, To: math.Inf(-1)}
	for _, j := range jobs {
		first, s.To = min(first, j.Submit), max(s.To, j.Submit)
	}
	s.CPUInUse, s.GPUInUse = inUse(m, jobs, s.From, s.To)
	if waited := slices.DeleteFunc(trace.Counted(jobs), func(j trace.FinishedJob) bool { return j.Submit < s.From }); len(waited) > 0 {
		mean := meanStd(each(waited, trace.FinishedJob.TotalWait)).Mean
		s.Waiting = &mean
	}
	s.From, s.To = s.From-first, s.To-first
	return &s
}

// fills is when the machine first gets too small, if it does so before the last submission: when the jobs would have more
// cores or more GPUs in use than it has, if each started as it was submitted and ran for its run time. That depends on
// workload and machine alone, so that the span and its jobs are the same under every policy.
func fills(m workloads.Machine, jobs []trace.FinishedJob) (from float64, there bool) {
	type load struct {
		cores, shards, mps int
		gpus               float64
	}
	shards, mps := newGPUParts(m).all()
	last, change := math.Inf(-1), map[float64]load{}
	for _, j := range jobs {
		last = max(last, j.Submit)
		nodes := fewestNodes(m, j.Job)
		needs := load{cores: j.Cores, shards: j.Shards * nodes, mps: j.MPS * nodes}
		needs.gpus = float64(j.GPUsMin*nodes) + shards.gpusOf(needs.shards) + mps.gpusOf(needs.mps)
		add := func(t float64, sign int) {
			at := change[t]
			change[t] = load{at.cores + sign*needs.cores, at.shards + sign*needs.shards, at.mps + sign*needs.mps, at.gpus + float64(sign)*needs.gpus}
		}
		add(j.Submit, 1)
		// One that is cancelled while it waits has no run time.
		add(j.Submit+float64(j.Runtime), -1)
	}
	var all load
	for _, t := range slices.Sorted(maps.Keys(change)) {
		all.cores, all.shards, all.mps, all.gpus = all.cores+change[t].cores, all.shards+change[t].shards, all.mps+change[t].mps, all.gpus+change[t].gpus
		if all.cores > m.AllCores() || rounded(all.gpus) > float64(m.AllGPUs()) || all.shards > shards.parts || all.mps > mps.parts {
			return t, t < last
		}
	}
	return 0, false
}

// inUse are the parts of all cores and GPUs in use from one time to another, 0 of GPUs on a machine without.
func inUse(m workloads.Machine, jobs []trace.FinishedJob, from, to float64) (cpu, gpu float64) {
	gpus := GPUsOf(m)
	for _, j := range trace.Started(jobs) {
		seconds := max(0, min(j.Finish, to)-max(j.Start, from))
		cpu += float64(j.AllocCores) * seconds
		gpu += gpus(j) * seconds
	}
	cpu /= float64(m.AllCores()) * (to - from)
	if m.AllGPUs() > 0 {
		gpu /= float64(m.AllGPUs()) * (to - from)
	}
	// Rounding alone can lift a full machine above 1; checkCapacity has excluded every other reason.
	return min(1, cpu), min(1, gpu)
}
