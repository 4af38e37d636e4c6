package profile

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/slurmlab/slurmlab/slurmctl/sbatch"
	"github.com/slurmlab/slurmlab/workloads"
)

// Profile describes any number of jobs, one after the other: memory grows with the
// number of classes and users, not with that of jobs. The zero value has no jobs.
type Profile struct {
	// Demand is what the jobs need of a machine.
	Demand workloads.Demand
	// Cores are the jobs' cores, Nodes the nodes of those that name any, GPUs the GPUs over
	// all nodes (the least of a range) of those that ask for any.
	Cores, Nodes, GPUs Spread
	// Runtimes are in seconds, Ratios are limit / run time in hundredths, both of the jobs
	// that have a run time.
	Runtimes, Ratios Spread
	// Outcomes counts the jobs by how they end.
	Outcomes map[workloads.Outcome]int
	// Terms counts the jobs that ask for each of Terms, by the names of the columns; nil where none does.
	Terms map[string]int
	// CoreSeconds and GPUSeconds are sums of run time times cores or GPUs.
	CoreSeconds, GPUSeconds float64
	// First and Last are the first and the last arrival, in seconds.
	First, Last int
	// OddLimits counts time limits that are not whole minutes.
	OddLimits int

	users   map[string]float64
	charged map[string]bool
	// partitions and types have the work by the partition and by the type of GPUs that jobs name, "" for none.
	partitions, types map[string]*PartLoad
	classes           map[string]*classSums
}

// classSums has the sums behind a ClassSummary.
type classSums struct {
	jobs, contiguous, timed   int
	cores, nodes, gpus, times Range
	mostGPUs                  int
	ratios, coreSeconds       float64
	sumCores, sumNodes        float64
	sumGPUs, sumTimes         float64
}

// Add takes a valid job into account.
func (p *Profile) Add(j workloads.Job) {
	if p.classes == nil {
		p.classes, p.users, p.Outcomes = map[string]*classSums{}, map[string]float64{}, map[workloads.Outcome]int{}
	}
	work := j.CoreSeconds()
	if p.Cores.Jobs == 0 {
		p.First = j.Arrival
	}
	p.First, p.Last = min(p.First, j.Arrival), max(p.Last, j.Arrival)
	p.Demand.Add(j)
	p.CoreSeconds += work
	p.Cores.add(j.Cores)
	p.Outcomes[j.Outcome]++
	if j.Runtime > 0 {
		p.Runtimes.add(j.Runtime)
		p.Ratios.add(int(math.Round(100 * float64(j.Limit) / float64(j.Runtime))))
	}
	if j.Nodes > 0 {
		p.Nodes.add(j.Nodes)
	}
	if j.GPUsMin > 0 {
		// Nobody knows on how many nodes cores alone are; one is the least.
		gpus := j.GPUsMin * max(1, j.Nodes)
		p.GPUs.add(gpus)
		p.GPUSeconds += float64(gpus) * float64(j.Runtime)
	}
	if j.Limit != workloads.WholeMinutes(j.Limit) {
		p.OddLimits++
	}
	if j.User != "" {
		p.users[j.User] += work
	}
	p.terms(j)
	p.addParts(j)
	c := p.classes[j.Class]
	if c == nil {
		c = &classSums{}
		p.classes[j.Class] = c
	}
	c.add(j)
}

func (p *Profile) terms(j workloads.Job) {
	if j.Terms == (workloads.Terms{}) {
		return
	}
	if p.Terms == nil {
		p.Terms, p.charged = map[string]int{}, map[string]bool{}
	}
	columns := sbatch.TermColumns()
	for i := range columns {
		if columns[i].Of(&j.Options, &j.Terms).Asked() {
			p.Terms[columns[i].Name]++
		}
	}
	if j.Account != "" {
		p.charged[j.Account] = true
	}
}

// Accounts is the number of different accounts that jobs name.
func (p *Profile) Accounts() int { return len(p.charged) }

func (c *classSums) add(j workloads.Job) {
	extend := func(r *Range, sum *float64, v, before int) {
		if before == 0 {
			r.Min = v
		}
		r.Min, r.Max = min(r.Min, v), max(r.Max, v)
		*sum += float64(v)
	}
	extend(&c.cores, &c.sumCores, j.Cores, c.jobs)
	extend(&c.nodes, &c.sumNodes, j.Nodes, c.jobs)
	extend(&c.gpus, &c.sumGPUs, j.GPUsMin, c.jobs)
	if j.Runtime > 0 {
		extend(&c.times, &c.sumTimes, j.Runtime, c.timed)
		c.ratios += float64(j.Limit) / float64(j.Runtime)
		c.timed++
	}
	c.mostGPUs = max(c.mostGPUs, j.GPUsMax)
	c.jobs++
	if j.Contiguous {
		c.contiguous++
	}
	c.coreSeconds += j.CoreSeconds()
}

// Summary describes the jobs, at least one, on a machine, class by class in alphabetical
// order.
func (p *Profile) Summary(m workloads.Machine) Summary {
	out := Summary{Jobs: p.Cores.Jobs, LastArrival: p.Last, Users: len(p.users), Theoretical: p.CoreSeconds / float64(m.AllCores())}
	for class, c := range p.classes {
		n, timed := float64(c.jobs), float64(max(1, c.timed))
		c.cores.Mean, c.nodes.Mean, c.gpus.Mean, c.times.Mean = c.sumCores/n, c.sumNodes/n, c.sumGPUs/n, c.sumTimes/timed
		gpus := c.gpus
		gpus.Max = c.mostGPUs
		out.Classes = append(out.Classes, ClassSummary{
			Class: class, Jobs: c.jobs, Contiguous: c.contiguous, Cores: c.cores, Nodes: c.nodes, GPUs: gpus, Runtime: c.times,
			LimitRatio: c.ratios / timed, Work: c.coreSeconds / max(1, p.CoreSeconds),
		})
	}
	slices.SortFunc(out.Classes, func(a, b ClassSummary) int { return cmp.Compare(a.Class, b.Class) })
	return out
}

// Load is the part of a machine's cores and GPUs that the jobs need from the first arrival
// to the last: above 1 the queue grows as long as jobs arrive. Without GPUs of the machine
// gpus is 0; ok is false when all jobs arrive at once, so that there is no such time.
func (p *Profile) Load(m workloads.Machine) (cores, gpus float64, ok bool) {
	span := float64(p.Last - p.First)
	if span == 0 {
		return 0, 0, false
	}
	if m.AllGPUs() > 0 {
		gpus = p.GPUSeconds / span / float64(m.AllGPUs())
	}
	return p.CoreSeconds / span / float64(m.AllCores()), gpus, true
}

// Carrying is the machine of as few nodes like those of least that has a load of at most
// the given part of its cores and GPUs. It is least itself where that is enough, and where
// all jobs arrive at once; ok is false for more nodes than a machine file allows.
func (p *Profile) Carrying(least workloads.Machine, load float64) (m workloads.Machine, ok bool) {
	cores, gpus, spans := p.Load(least)
	if most := max(cores, gpus); spans && most > load {
		least.Nodes = int(float64(least.Nodes)*most/load) + 1
	}
	return least, least.CheckSize("machine") == nil
}

// BusiestUser returns the user with the most core-seconds, and their part of the core-seconds of all jobs. Nobody has
// "".
func (p *Profile) BusiestUser() (name string, part float64) {
	for _, user := range slices.Sorted(maps.Keys(p.users)) {
		if name == "" || p.users[user] > p.users[name] {
			name = user
		}
	}
	return name, p.users[name] / max(1, p.CoreSeconds)
}

// Spread tells how whole numbers of any amount are distributed.
type Spread struct {
	// Jobs is how many numbers there are.
	Jobs     int
	Min, Max int
	sum      float64
	// counts has, for each number cut to its first 8 binary digits, how many there are.
	counts map[int]int
}

func (s *Spread) add(v int) {
	if s.Jobs == 0 {
		s.Min, s.counts = v, map[int]int{}
	}
	s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	s.Jobs++
	s.sum += float64(v)
	low := 0
	for v>>low >= 256 {
		low++
	}
	s.counts[v>>low<<low]++
}

// Mean is 0 for no numbers.
func (s *Spread) Mean() float64 { return s.sum / float64(max(1, s.Jobs)) }

// Quantile is the number below or at which the part q of the numbers lies: exact below
// 256, above that at most 0.8 % too small.
func (s *Spread) Quantile(q float64) int {
	left := q * float64(s.Jobs)
	for _, v := range slices.Sorted(maps.Keys(s.counts)) {
		if left -= float64(s.counts[v]); left <= 0 {
			return max(v, s.Min)
		}
	}
	return s.Max
}
