package benchmark

import (
	"errors"
	"fmt"
)

// Contention has the parameters.
type Contention struct {
	// Saturating is the part of a node's cores that draws its whole memory bandwidth.
	Saturating float64 `json:"saturating"`
	// SwitchLoss is the part of its speed that a job loses while it shares cores.
	SwitchLoss float64 `json:"switch_loss"`
	// PressureNone and PressureFull are the filled parts of a node's memory at which the
	// loss begins and is complete, PressureLoss is the complete loss.
	PressureNone float64 `json:"pressure_none"`
	PressureFull float64 `json:"pressure_full"`
	PressureLoss float64 `json:"pressure_loss"`
}

// DefaultContention returns the parameters that a run has unless it is given others.
//
// Saturating is 1/2: on a socket of MareNostrum III's kind about half of the cores saturate the
// memory in STREAM. It is no measurement of ours.
//
// SwitchLoss is assumed. Figure 3 of the paper brackets it: by this model the analytics' loss of
// 214 % under oversubscription needs 0.04, the simulation's of 50 % with six analytics 0.33.
//
// The pressure is read off figures 3 and 4, which therefore do not confirm it. With "less than 15% of the total node
// memory" analytics beside a suspended simulation lose nothing. At 50 % they suffer "almost a double performance
// loss".
func DefaultContention() Contention {
	return Contention{Saturating: 0.5, SwitchLoss: 0.15, PressureNone: 0.15, PressureFull: 0.5, PressureLoss: 0.5}
}

// Validate reports every fault of the parameters.
func (m Contention) Validate() error {
	var faults []error
	check := func(name string, value, low, high float64) {
		// Not a number is in no range.
		if !(value >= low && value <= high) {
			faults = append(faults, fmt.Errorf("%s: got %v, allowed %v..%v", name, value, low, high))
		}
	}
	check("saturating", m.Saturating, 0.01, 1)
	check("switch_loss", m.SwitchLoss, 0, 0.99)
	check("pressure_none", m.PressureNone, 0, 1)
	check("pressure_full", m.PressureFull, m.PressureNone, 1)
	check("pressure_loss", m.PressureLoss, 0, 0.99)
	return errors.Join(faults...)
}

// Node is what each node has.
type Node struct {
	Cores int
	// Memory is in bytes.
	Memory int64
}

// Load is a job on its nodes.
type Load struct {
	Nodes []string
	// Threads and Memory, in bytes, are those on each of its nodes.
	Threads int
	Memory  int64
	// Lends makes the job leave its cores, as many as they need, to jobs that come and that
	// do not lend; it goes on with fewer threads on the others.
	Lends bool
	// Suspended jobs have memory, and compute nothing.
	Suspended bool
}

// byNode has the indices of the jobs on each node.
func byNode(jobs []Load) map[string][]int {
	on := map[string][]int{}
	for i, j := range jobs {
		for _, name := range j.Nodes {
			on[name] = append(on[name], i)
		}
	}
	return on
}

// Rates returns the speed of each job compared with its speed alone on its nodes.
func (m Contention) Rates(node Node, jobs []Load) []float64 {
	on := byNode(jobs)
	rates := make([]float64, len(jobs))
	for i := range rates {
		rates[i] = 1
	}
	for _, here := range on {
		for k, rate := range m.rates(node, jobs, here) {
			rates[here[k]] = min(rates[here[k]], rate)
		}
	}
	return rates
}

// Cores returns the cores that each job computes on, in time and on all of its nodes: of a core
// that is shared each thread has its part.
func Cores(node Node, jobs []Load) []float64 {
	on := byNode(jobs)
	cores := make([]float64, len(jobs))
	for _, here := range on {
		threads := shrunk(node.Cores, jobs, here)
		time := coreTime(node, threads)
		for k, i := range here {
			cores[i] += float64(threads[k]) * time
		}
	}
	return cores
}

// Threads returns the threads that each job computes with on each of its nodes, on the one
// where it has fewest: of a job that lends those that the others leave it.
func Threads(node Node, jobs []Load) []int {
	threads := make([]int, len(jobs))
	for i, j := range jobs {
		threads[i] = j.Threads
	}
	for _, here := range byNode(jobs) {
		for k, t := range shrunk(node.Cores, jobs, here) {
			threads[here[k]] = min(threads[here[k]], t)
		}
	}
	return threads
}

// coreTime is the part of its time that a thread has a core for.
func coreTime(node Node, threads []int) float64 {
	all := 0
	for _, t := range threads {
		all += t
	}
	return min(1, float64(node.Cores)/float64(max(1, all)))
}

// Speed is how fast a job of so many threads on each of so many nodes is alone, in nodes whose
// whole memory bandwidth it draws. A job on other nodes takes longer by the inverse.
func (m Contention) Speed(node Node, nodes, threads int) float64 {
	return float64(nodes) * min(1, float64(threads)/(m.Saturating*float64(node.Cores)))
}

// rates returns the rates on one node of the jobs in here.
func (m Contention) rates(node Node, jobs []Load, here []int) []float64 {
	rates := make([]float64, len(here))
	active, memory := 0, int64(0)
	for _, i := range here {
		memory += jobs[i].Memory
		if !jobs[i].Suspended {
			active++
		}
	}
	if active == 0 {
		return rates
	}
	threads := shrunk(node.Cores, jobs, here)
	time, loss := coreTime(node, threads), 0.0
	if time < 1 {
		loss = m.SwitchLoss
	}
	saturating := m.Saturating * float64(node.Cores)
	wanted := 0.0
	for _, t := range threads {
		wanted += float64(t) * time / saturating
	}
	for k, i := range here {
		if jobs[i].Suspended || threads[k] == 0 {
			continue
		}
		alone := m.Speed(node, 1, jobs[i].Threads)
		drawn := float64(threads[k]) * time / saturating / max(1, wanted)
		rates[k] = min(1, drawn/alone) * (1 - loss)
		if len(here) > 1 {
			rates[k] *= 1 - m.pressure(float64(memory)/float64(node.Memory))
		}
	}
	return rates
}

// shrunk returns the threads that each job computes with: none of a suspended one, and of one
// that lends those that the others leave it.
func shrunk(cores int, jobs []Load, here []int) []int {
	threads := make([]int, len(here))
	free := cores
	for k, i := range here {
		if !jobs[i].Suspended && !jobs[i].Lends {
			threads[k] = jobs[i].Threads
			free -= jobs[i].Threads
		}
	}
	for k, i := range here {
		if !jobs[i].Suspended && jobs[i].Lends {
			threads[k] = max(0, min(jobs[i].Threads, free))
			free -= threads[k]
		}
	}
	return threads
}

// pressure is the part of the speed that is lost when so much of the memory is filled.
func (m Contention) pressure(filled float64) float64 {
	switch {
	case filled <= m.PressureNone:
		return 0
	case filled >= m.PressureFull:
		return m.PressureLoss
	default:
		return m.PressureLoss * (filled - m.PressureNone) / (m.PressureFull - m.PressureNone)
	}
}
