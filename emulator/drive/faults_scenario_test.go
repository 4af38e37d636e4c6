package drive_test

import (
	"math/rand/v2"
	"time"

	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/slurmtest"
	"github.com/slurmlab/slurmlab/workloads"
)

// scenario is what a seed stands for.
type scenario struct {
	seed    uint64
	machine workloads.Machine
	jobs    []workloads.Job
	mishaps map[string]slurmtest.Mishap // by the job's name
	// interval of the agent's cycles.
	interval time.Duration
	// kept says that the cluster is kept for people; else there is a run.
	kept bool
	// rate is the chance of a fault for each command, and calm when they cease, since
	// the beginning.
	rate float64
	calm time.Duration
	// ghosts says that the directories of jobs that have ended stay in slurmd's spool.
	ghosts bool
	// twins is a fault of the cluster itself, for the test of the checker.
	twins bool
	// quota bounds the faults; 0 means no bound.
	quota int
}

// forEver is longer than any run.
const forEver = 365 * 24 * time.Hour

// newScenario draws a scenario. Jobs are small and few: what breaks, breaks with a few.
func newScenario(seed uint64) scenario {
	r := rand.New(rand.NewPCG(seed, 1))
	s := scenario{
		seed: seed, kept: r.IntN(3) > 0, interval: time.Duration(5+r.IntN(4)*10) * time.Second,
		machine: workloads.Machine{Name: "mini", Nodes: 2 + r.IntN(3), Cores: 4, GPUs: r.IntN(3)},
		mishaps: map[string]slurmtest.Mishap{},
	}
	arrival := 0
	for id := 1; id <= 3+r.IntN(6); id++ {
		arrival += r.IntN(90)
		job := drawJob(r, s.machine)
		job.ID, job.Arrival = id, arrival
		s.jobs = append(s.jobs, job)
		if r.IntN(4) == 0 {
			s.mishaps[name(job)] = drawMishap(r, job)
		}
	}
	s.calm = time.Duration(arrival+r.IntN(300)) * time.Second
	s.rate = []float64{0.02, 0.1, 0.3}[r.IntN(3)]
	if !s.kept {
		// A run ends at its first fault but for a few kinds; some have none.
		s.rate, s.quota = []float64{0, 0.01, 0.03}[r.IntN(3)], 1+r.IntN(2)
		s.ghosts = r.IntN(4) == 0
		if r.IntN(10) == 0 {
			s.mishaps[name(s.jobs[r.IntN(len(s.jobs))])] = slurmtest.Mishap{Completing: forEver}
		}
	}
	return s
}

func drawJob(r *rand.Rand, m workloads.Machine) workloads.Job {
	job := workloads.Job{Runtime: 5 + r.IntN(200), Class: "a"}
	job.Limit = workloads.WholeMinutes(job.Runtime + r.IntN(120) + 60)
	switch r.IntN(3) {
	case 0:
		job.Cores = 1 + r.IntN(m.Nodes*m.Cores)
	case 1:
		job.Nodes = 1 + r.IntN(m.Nodes)
		job.Cores = job.Nodes + r.IntN(job.Nodes*(m.Cores-1)+1)
	default:
		job.Nodes, job.CoresPerNode = 1+r.IntN(m.Nodes), 1+r.IntN(m.Cores)
		job.Cores = job.Nodes * job.CoresPerNode
	}
	if m.GPUs > 0 && r.IntN(2) == 0 {
		job.GPUsMin = 1 + r.IntN(m.GPUs)
		job.GPUsMax = job.GPUsMin + r.IntN(m.GPUs-job.GPUsMin+1)
	}
	return job
}

func drawMishap(r *rand.Rand, job workloads.Job) slurmtest.Mishap {
	seconds := func(most int) time.Duration { return time.Duration(r.IntN(most)) * time.Second }
	switch r.IntN(5) {
	case 4:
		// Longer than the agent's patience, each time.
		return slurmtest.Mishap{Lags: seconds(300)}
	case 0:
		return slurmtest.Mishap{Completing: seconds(1800)}
	case 1:
		states := []slurmctl.JobState{slurmctl.JobFailed, slurmctl.JobState("NODE_FAIL"), slurmctl.JobTimeout}
		return slurmtest.Mishap{State: states[r.IntN(len(states))], After: seconds(job.Runtime)}
	case 2:
		return slurmtest.Mishap{Waits: seconds(60)}
	default:
		return slurmtest.Mishap{Waits: seconds(5)}
	}
}

// stuck says that a job keeps its nodes COMPLETING without end.
func (s scenario) stuck() bool {
	for _, m := range s.mishaps {
		if m.Completing == forEver {
			return true
		}
	}
	return false
}

// patience is how long the jobs may take when nothing fails: one after the other, each
// waiting for COMPLETING nodes and for some cycles, and an hour.
func (s scenario) patience() time.Duration {
	total := time.Hour
	for _, job := range s.jobs {
		total += time.Duration(job.Limit)*time.Second + 10*s.interval
		if completing := s.mishaps[name(job)].Completing; completing < forEver {
			total += completing
		}
	}
	return total
}
