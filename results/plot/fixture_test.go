package plot

import (
	"math/rand/v2"
	"sort"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// fcfs places jobs of random shape on a machine, first come first served, so that
// pictures can be tested without a run. With skip, jobs that do not
// fit let later ones pass. Stride 1 fills the machine from its low end, larger
// strides scatter.
func fcfs(m workloads.Machine, jobs int, seed uint64, stride int, skip bool) []trace.FinishedJob {
	r := rand.New(rand.NewPCG(seed, 1))
	queue := make([]trace.FinishedJob, jobs)
	arrival := 0.0
	for i := range queue {
		nodes := max(1, m.Nodes/64) << r.IntN(6)
		j := trace.FinishedJob{State: "COMPLETED", Submit: arrival}
		j.ID = i + 1
		j.Nodes = min(nodes, m.Nodes)
		j.CoresPerNode = []int{m.Cores, m.Cores, (m.Cores + 1) / 2, (m.Cores + 3) / 4}[r.IntN(4)]
		j.Runtime = 60 + r.IntN(541)
		if m.GPUs > 0 && r.IntN(2) == 0 {
			j.GPUsMax = 1 + r.IntN(m.GPUs)
		}
		queue[i] = j
		arrival += float64(r.IntN(30))
	}

	cores, gpus := make([]int, m.Nodes), make([]int, m.Nodes)
	for i := range cores {
		cores[i], gpus[i] = m.Cores, m.GPUs
	}
	var running, done []trace.FinishedJob
	for now := 0.0; len(done) < jobs; {
		for i := 0; i < len(queue); i++ {
			j := queue[i]
			if j.Submit > now {
				break
			}
			var fit []int
			for offset := range stride {
				for n := offset; n < m.Nodes; n += stride {
					if cores[n] >= j.CoresPerNode && gpus[n] >= j.GPUsMax && len(fit) < j.Nodes {
						fit = append(fit, n)
					}
				}
			}
			if len(fit) < j.Nodes {
				if skip {
					continue
				}
				break
			}
			for _, n := range fit {
				cores[n] -= j.CoresPerNode
				gpus[n] -= j.GPUsMax
			}
			sort.Ints(fit)
			j.Allocated, j.Start, j.Finish = fit, now, now+float64(j.Runtime)
			j.AllocCores, j.AllocGPUs = j.CoresPerNode*j.Nodes, j.GPUsMax*j.Nodes
			running = append(running, j)
			queue = append(queue[:i], queue[i+1:]...)
			i--
		}
		sort.SliceStable(running, func(a, b int) bool { return running[a].Finish < running[b].Finish })
		if len(running) == 0 || len(queue) > 0 && queue[0].Submit > now && queue[0].Submit < running[0].Finish {
			now = queue[0].Submit
			continue
		}
		j := running[0]
		running = running[1:]
		now = j.Finish
		for _, n := range j.Allocated {
			cores[n] += j.CoresPerNode
			gpus[n] += j.GPUsMax
		}
		done = append(done, j)
	}
	return done
}

func machineS() workloads.Machine { return workloads.Machine{Name: "S", Nodes: 128, Cores: 8, GPUs: 2} }

func machineTSUBAME() workloads.Machine {
	return workloads.Machine{Name: "tsubame", Nodes: 1408, Cores: 12, GPUs: 3}
}
