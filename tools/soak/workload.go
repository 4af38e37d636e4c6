package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/slurmlab/slurmlab/workloads"
)

// load is the part of the machine's cores that the jobs keep busy on the average, so that
// the queue is short at times and never grows without end.
const load = 0.7

// jobs draws jobs of one to sixteen nodes and one to sixty minutes, some with GPUs. Their
// arrivals are spread evenly, by chance, over the time in which the machine can do them.
func jobs(m workloads.Machine, n int, seed uint64) []workloads.Job {
	chance := rand.New(rand.NewPCG(seed, 0))
	all, work := make([]workloads.Job, n), 0.0
	for i := range all {
		nodes, cores, minutes := 1<<chance.IntN(5), 1+chance.IntN(m.Cores), 1+chance.IntN(60)
		all[i] = workloads.Job{
			Runtime: 60 * minutes, Limit: 120 * minutes, Nodes: nodes, CoresPerNode: cores, Cores: nodes * cores, Class: "soak",
		}
		if m.GPUs > 0 && chance.IntN(3) == 0 {
			gpus := 1 + chance.IntN(m.GPUs)
			all[i].GPUsMin, all[i].GPUsMax = gpus, gpus
		}
		work += float64(all[i].Cores * all[i].Runtime)
	}
	span := int(work / (load * float64(m.Nodes*m.Cores)))
	for i := range all {
		all[i].Arrival = chance.IntN(span + 1)
	}
	slices.SortStableFunc(all, func(a, b workloads.Job) int { return a.Arrival - b.Arrival })
	for i := range all {
		all[i].ID = i + 1
	}
	return all
}

func writeJobs(path string, all []workloads.Job) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write workload: %w", err)
	}
	if err = workloads.WriteCSV(file, all); err != nil {
		return err
	}
	return file.Close()
}
