package metric

import (
	"math"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

const (
	// boundedSlowdownThreshold is, in seconds, the execution time below which
	// a job counts as this long in the bounded slowdown. Feitelson's usual 10 s
	// ("Metrics for Parallel Job Scheduling and Their Convergence", 2001).
	boundedSlowdownThreshold = 10
	// accountingResolution is the smallest time, in seconds, that Slurm
	// accounts. A job that ended in the second of its start ran at most so long.
	accountingResolution = 1
)

// count is the number of jobs of which is says so.
func count(jobs []trace.FinishedJob, is func(trace.FinishedJob) bool) int {
	n := 0
	for _, j := range jobs {
		if is(j) {
			n++
		}
	}
	return n
}

// makespan is max(end) - min(submission) in seconds over all jobs, the runtime of AUCSCHED 6.2:
// "The time it takes to schedule all jobs in workload." The end of a job that is cancelled
// because it waits is none, started or not: a policy that starts it would be charged with
// its late arrival.
func makespan(jobs []trace.FinishedJob) float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, j := range jobs {
		first = min(first, j.Submit)
		if j.Outcome != workloads.CancelledPending {
			last = max(last, j.Finish)
		}
	}
	return last - first
}

// theoreticalRuntime is sum(run time x cores) / all cores in seconds. AUCSCHED
// 6.2: "the summation of duration of each job times its requested core count,
// all divided by the total number of cores." Of a job with a range of GPUs the
// run time on the least number counts, whatever the job got: AUCSCHED2 Table 3
// has one theoretical runtime for all methods.
func theoreticalRuntime(m workloads.Machine, jobs []workloads.Job) float64 {
	coreSeconds := 0.0
	for _, j := range jobs {
		coreSeconds += float64(j.Runtime) * float64(j.Cores)
	}
	return coreSeconds / float64(m.AllCores())
}

// cpuUtilization is theoretical runtime / makespan (AUCSCHED 6.2). It is cut at
// 1: it counts the work asked for, and jobs that ended early, by whole-second
// accounting or because they failed, can have done less than that.
func cpuUtilization(m workloads.Machine, jobs []workloads.Job, makespan float64) float64 {
	return min(1, theoreticalRuntime(m, jobs)/makespan)
}

// cancelledPending is nil for jobs of which none is planned to be cancelled while it waits.
func cancelledPending(jobs []trace.FinishedJob) *CancelledPending {
	planned := func(j trace.FinishedJob) bool { return j.Outcome == workloads.CancelledPending }
	all := count(jobs, planned)
	if all == 0 {
		return nil
	}
	return &CancelledPending{all, count(jobs, func(j trace.FinishedJob) bool { return planned(j) && !j.Started() })}
}

// espEfficiency is ESP's published minimum / makespan. It is nil for a workload without one, and when a job did not
// complete, because ESP's elapsed time includes all its jobs. README of ESP-2.2.1: efficiency = 10773 / elapsed time.
func espEfficiency(run trace.Run, jobs []trace.FinishedJob, makespan float64) *float64 {
	minimum, published := workloads.MinimumRuntime(run.WorkloadSpec)
	if !published || count(jobs, trace.FinishedJob.Completed) < len(jobs) {
		return nil
	}
	efficiency := minimum.Seconds() / makespan
	return &efficiency
}

// gpuUtilization is sum(allocated GPUs x execution) / (GPUs x makespan), 0 on a
// machine without GPUs. AUCSCHED2 section 4: "The ratio of the total allocated
// GPU time to the total available GPU time." Parts of GPUs count as parts.
func gpuUtilization(m workloads.Machine, started []trace.FinishedJob, makespan float64) float64 {
	if m.AllGPUs() == 0 {
		return 0
	}
	gpuSeconds, gpus := 0.0, GPUsOf(m)
	for _, j := range started {
		gpuSeconds += gpus(j) * j.Execution()
	}
	// Rounding alone can lift a fully used machine above 1; checkCapacity has
	// excluded every other reason.
	return min(1, gpuSeconds/(float64(m.AllGPUs())*makespan))
}

// turnaround is end - submission in seconds, and what the job had waited when the workload began.
func turnaround(j trace.FinishedJob) float64 { return j.Finish - j.Submit + float64(j.Waited) }

// Slowdown is turnaround / execution. AUCSCHED 6.2: "The ratio of the a job's
// turnaround time to execution time." An execution shorter than Slurm accounts
// counts as one second.
func Slowdown(j trace.FinishedJob) float64 {
	return turnaround(j) / max(j.Execution(), accountingResolution)
}

// boundedSlowdown is max(1, turnaround / max(execution, 10 s)), so that very
// short jobs do not rule the mean.
func boundedSlowdown(j trace.FinishedJob) float64 {
	return max(1, turnaround(j)/max(j.Execution(), boundedSlowdownThreshold))
}

// elapsedError is the mean and maximum of |execution - run time| in seconds over the jobs that ended as planned at
// the end of their run time, with the run time on the GPUs that each job got. It has the numbers of jobs that are
// exact and at most a second off. It shows how truly the emulation kept the run times of the workload.
func elapsedError(jobs []trace.FinishedJob) ElapsedError {
	var errs []float64
	var e ElapsedError
	for _, j := range jobs {
		if !j.Timed() {
			continue
		}
		off := math.Abs(j.Execution() - float64(j.Expected()))
		errs = append(errs, off)
		e.Max = max(e.Max, off)
		if off == 0 {
			e.Exact++
		}
		if off <= accountingResolution {
			e.WithinSecond++
		}
	}
	e.Mean = meanStd(errs).Mean
	return e
}

// speed is virtual seconds per real second; nil when the real time is unknown.
func speed(virtual, realSeconds float64) *float64 {
	if realSeconds <= 0 {
		return nil
	}
	v := virtual / realSeconds
	return &v
}

func each(jobs []trace.FinishedJob, value func(trace.FinishedJob) float64) []float64 {
	values := make([]float64, len(jobs))
	for i, j := range jobs {
		values[i] = value(j)
	}
	return values
}

// meanStd returns the mean and the population standard deviation, 0 and 0 of no
// values. The deviation is taken from the mean in a second pass, which does not
// lose digits as the difference of squares does.
func meanStd(values []float64) MeanStd {
	if len(values) == 0 {
		return MeanStd{}
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	n := float64(len(values))
	mean := sum / n
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return MeanStd{Mean: mean, Std: math.Sqrt(squares / n)}
}
