package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slurmlab/slurmlab/plugin-bridge/auctiontest"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads"
)

// started is a job that the agent has released, and what it holds.
type started struct {
	finish float64
	nodes  []int
	cores  []int
	gpus   int
}

// replay rebuilds what the agent saw in each cycle with bids from what it released and when jobs ended. It keeps only
// cycles whose free cores, free GPUs and number of jobs in the window match their records. Around the end of a job
// Slurm's queue may be a second behind its accounting.
func replay(data trace.Data) ([]auctiontest.State, error) {
	jobs := slices.Clone(data.Jobs)
	slices.SortFunc(jobs, func(a, b trace.FinishedJob) int { return a.SlurmID - b.SlurmID })
	finish := map[int]float64{}
	for _, j := range jobs {
		finish[j.ID] = j.Finish
	}
	running := map[int]started{}
	var states []auctiontest.State
	for _, c := range data.Cycles {
		s := see(data, jobs, running, c)
		if c.Bids > 0 && len(s.Jobs) == c.Window && free(s, 1) == c.FreeCores && free(s, 2) == c.FreeGPUs {
			states = append(states, s)
		}
		for _, r := range c.Reheld {
			delete(running, r.Job)
		}
		for _, r := range c.Released {
			one, err := start(r, finish[r.Job])
			if err != nil {
				return nil, fmt.Errorf("cycle %d, job %d: %w", c.Cycle, r.Job, err)
			}
			running[r.Job] = one
		}
	}
	return states, nil
}

// see is the state at a cycle.
func see(data trace.Data, jobs []trace.FinishedJob, running map[int]started, c trace.Cycle) auctiontest.State {
	machine := data.Run.Machine
	s := auctiontest.State{Run: data.Run.ID, Cycle: c.Cycle, Cores: machine.Cores, GPUs: machine.GPUs}
	cores, gpus := make([]int, machine.Nodes), make([]int, machine.Nodes)
	for _, r := range running {
		if r.finish <= c.Time {
			continue
		}
		for k, n := range r.nodes {
			cores[n] += r.cores[k]
			gpus[n] += r.gpus
		}
	}
	for n := range machine.Nodes {
		now := [3]int{1, machine.Cores - cores[n], machine.GPUs - gpus[n]}
		if last := len(s.Free) - 1; last >= 0 && s.Free[last][1] == now[1] && s.Free[last][2] == now[2] {
			s.Free[last][0]++
			continue
		}
		s.Free = append(s.Free, now)
	}
	for _, j := range jobs {
		if _, known := running[j.ID]; !known && j.Submit <= c.Time && len(s.Jobs) < c.Window {
			s.Jobs = append(s.Jobs, request(j.Job))
		}
	}
	return s
}

func request(j workloads.Job) auctiontest.Request {
	r := auctiontest.Request{
		ID: j.ID, Cores: j.Cores, Nodes: j.Nodes, CoresPerNode: j.CoresPerNode, GPUs: j.GPUsMin,
		Contiguous: j.Contiguous, Limit: j.Limit,
	}
	if j.GPUsMax > j.GPUsMin {
		r.MaxGPUs = j.GPUsMax
	}
	return r
}

// free sums the free cores (1) or GPUs (2).
func free(s auctiontest.State, of int) int {
	n := 0
	for _, run := range s.Free {
		n += run[0] * run[of]
	}
	return n
}

// start reads a release: nodes n1 to nN, cores as in "4(x64),3".
func start(r trace.Release, finish float64) (started, error) {
	s := started{finish: finish, gpus: r.GPUs}
	names, err := values.ExpandHosts(r.Nodes)
	if err != nil {
		return s, err
	}
	for _, name := range names {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
		if err != nil {
			return s, fmt.Errorf("node %q: want n and a number", name)
		}
		s.nodes = append(s.nodes, n-1)
	}
	for word := range strings.SplitSeq(r.Cores, ",") {
		text, times, repeated := strings.Cut(strings.TrimSuffix(word, ")"), "(x")
		count := 1
		cores, err := strconv.Atoi(text)
		if err == nil && repeated {
			count, err = strconv.Atoi(times)
		}
		if err != nil {
			return s, fmt.Errorf("cores %q: want counts as in 4(x64),3", r.Cores)
		}
		s.cores = append(s.cores, slices.Repeat([]int{cores}, count)...)
	}
	if len(s.cores) != len(s.nodes) {
		return s, fmt.Errorf("cores %q: counts for %d nodes, want %d", r.Cores, len(s.cores), len(s.nodes))
	}
	return s, nil
}
