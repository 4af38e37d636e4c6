package workloads

import (
	"cmp"
	"slices"
)

const (
	// idleShare is the part of a machine in use below which it is called idle.
	idleShare = 0.1
	// crowdedShare is the part of the jobs that may find an idle machine full.
	crowdedShare = 0.05
)

// Idle says whether the jobs leave the machine idle, so that hardly any job has to wait for another one. Two
// conditions must hold if each job starts when it arrives. On average less than a tenth of the cores and of the GPUs
// are in use, and at most one job in 20 finds too few cores or GPUs free. The utilisation is the larger one of the
// two parts, from the first arrival to the last end; no schedule has a higher one. There must be a job.
func Idle(m Machine, jobs []Job) (utilisation float64, idle bool) {
	type change struct{ at, cores, gpus, arriving int }
	var changes []change
	var coreSum, gpuSum float64
	for _, j := range jobs {
		gpus := j.leastGPUs(m)
		coreSum += j.CoreSeconds()
		gpuSum += float64(gpus) * float64(j.Runtime)
		changes = append(changes, change{j.Arrival, j.Cores, gpus, 1}, change{j.Arrival + j.Runtime, -j.Cores, -gpus, 0})
	}
	// At the same instant ends come first.
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.arriving, b.arriving)) })
	allGPUs := m.AllGPUs()
	cores, gpus, crowded := 0, 0, 0
	for _, c := range changes {
		cores, gpus = cores+c.cores, gpus+c.gpus
		if c.arriving == 1 && (cores > m.AllCores() || gpus > allGPUs) {
			crowded++
		}
	}
	span := float64(changes[len(changes)-1].at - changes[0].at)
	utilisation = coreSum / span / float64(m.AllCores())
	if allGPUs > 0 {
		utilisation = max(utilisation, gpuSum/span/float64(allGPUs))
	}
	return utilisation, utilisation < idleShare && float64(crowded) <= crowdedShare*float64(len(jobs))
}

// leastGPUs is the least number of GPUs over all nodes that the job can get. A request
// for cores alone needs as many nodes as hold them.
func (j Job) leastGPUs(m Machine) int {
	nodes := j.Nodes
	if nodes == 0 {
		nodes = (j.Cores + m.Cores - 1) / m.Cores
	}
	return nodes * j.GPUsMin
}
