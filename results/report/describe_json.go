package report

import (
	"time"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/profile"
)

// WorkloadJSON is "workload describe --format json". Times are seconds, loads and parts
// of the whole fractions.
type WorkloadJSON struct {
	Workload    string            `json:"workload"`
	About       string            `json:"about,omitempty"`
	Machine     workloads.Machine `json:"machine"`
	Jobs        int               `json:"jobs"`
	Users       int               `json:"users"`
	Theoretical float64           `json:"theoretical_runtime_s"`
	First       int               `json:"first_arrival_s"`
	Last        int               `json:"last_arrival_s"`
	CoreHours   float64           `json:"core_hours"`
	GPUHours    float64           `json:"gpu_hours"`
	BusiestUser string            `json:"busiest_user,omitempty"`
	BusiestPart float64           `json:"busiest_user_part,omitempty"`
	OddLimits   int               `json:"limits_not_whole_minutes"`
	// Outcomes counts the jobs by how they end.
	Outcomes map[workloads.Outcome]int `json:"outcomes"`
	// Terms counts the jobs that ask for each of the columns account, nice, priority, begin_after_s and dependency,
	// Accounts the different accounts.
	Terms    map[string]int `json:"terms,omitempty"`
	Accounts int            `json:"accounts,omitempty"`
	// Sizes of the jobs, by the words of the text.
	Sizes    map[string]spreadJSON `json:"sizes"`
	Machines []carrierJSON         `json:"machines"`
	// Partitions and GPUTypes are parts of the machine, none of one whose nodes are equal.
	Partitions []partJSON  `json:"partitions,omitempty"`
	GPUTypes   []partJSON  `json:"gpu_types,omitempty"`
	Classes    []classJSON `json:"classes"`
	Origin     []string    `json:"origin,omitempty"`
}

type spreadJSON struct {
	Jobs   int     `json:"jobs"`
	Least  float64 `json:"least"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	Most   float64 `json:"most"`
	Mean   float64 `json:"mean"`
}

// carrierJSON is a machine that may carry the jobs; the loads are null where all jobs
// arrive at once.
type carrierJSON struct {
	Name        string   `json:"name"`
	Nodes       int      `json:"nodes"`
	Cores       int      `json:"cores"`
	GPUs        int      `json:"gpus"`
	Fits        bool     `json:"every_job_fits"`
	CoreLoad    *float64 `json:"load_of_cores"`
	GPULoad     *float64 `json:"load_of_gpus"`
	Theoretical float64  `json:"theoretical_runtime_s"`
}

// partJSON is the load of a partition or of a type of GPUs.
type partJSON struct {
	Name      string  `json:"name"`
	Jobs      int     `json:"jobs"`
	CoreHours float64 `json:"core_hours"`
	GPUHours  float64 `json:"gpu_hours"`
	Cores     int     `json:"cores"`
	GPUs      int     `json:"gpus"`
	// The loads are null where all jobs arrive at once.
	CoreLoad *float64 `json:"load_of_cores"`
	GPULoad  *float64 `json:"load_of_gpus"`
}

func partsJSON(p *profile.Profile, parts []profile.PartLoad) (list []partJSON) {
	for _, l := range parts {
		part := partJSON{l.Name, l.Jobs, l.CoreSeconds / time.Hour.Seconds(), l.GPUSeconds / time.Hour.Seconds(), l.Cores, l.GPUs, nil, nil}
		if p.Last > p.First {
			cores, gpus := l.Load(float64(p.Last - p.First))
			part.CoreLoad = &cores
			if l.GPUs > 0 {
				part.GPULoad = &gpus
			}
		}
		list = append(list, part)
	}
	return list
}

type rangeJSON struct {
	Min  int     `json:"least"`
	Max  int     `json:"most"`
	Mean float64 `json:"mean"`
}

type classJSON struct {
	Class      string    `json:"class"`
	Jobs       int       `json:"jobs"`
	Contiguous int       `json:"contiguous"`
	Cores      rangeJSON `json:"cores"`
	Nodes      rangeJSON `json:"nodes"`
	GPUs       rangeJSON `json:"gpus_per_node"`
	Runtime    rangeJSON `json:"runtime_s"`
	LimitRatio float64   `json:"limit_to_runtime"`
	Work       float64   `json:"part_of_the_work"`
}

// NewWorkloadJSON has in numbers what a Description says in words.
func NewWorkloadJSON(name string, m workloads.Machine, named bool, p *profile.Profile, origin []string) (WorkloadJSON, error) {
	sum := p.Summary(m)
	j := WorkloadJSON{
		Workload: name, About: aboutWorkload(name), Machine: m, Jobs: sum.Jobs, Users: sum.Users, Theoretical: sum.Theoretical,
		First: p.First, Last: p.Last, CoreHours: p.CoreSeconds / time.Hour.Seconds(), GPUHours: p.GPUSeconds / time.Hour.Seconds(),
		OddLimits: p.OddLimits, Outcomes: p.Outcomes, Terms: p.Terms, Accounts: p.Accounts(), Sizes: map[string]spreadJSON{}, Origin: origin,
	}
	j.Partitions, j.GPUTypes = partsJSON(p, p.Partitions(m)), partsJSON(p, p.GPUTypes(m))
	j.BusiestUser, j.BusiestPart = p.BusiestUser()
	for _, s := range []struct {
		name   string
		spread profile.Spread
		unit   float64
	}{
		{"cores", p.Cores, 1},
		{"nodes", p.Nodes, 1},
		{"gpus", p.GPUs, 1},
		{"runtime_s", p.Runtimes, 1},
		{"limit_to_runtime", p.Ratios, 100},
	} {
		at := func(v int) float64 { return float64(v) / s.unit }
		j.Sizes[s.name] = spreadJSON{
			s.spread.Jobs, at(s.spread.Min), at(s.spread.Quantile(0.5)), at(s.spread.Quantile(0.9)), at(s.spread.Max), s.spread.Mean() / s.unit,
		}
	}
	all, err := carriers(m, named, p)
	for _, c := range all {
		carrier := carrierJSON{c.name, c.machine.Nodes, c.machine.Cores, c.machine.GPUs, c.fits, nil, nil, p.Summary(c.machine).Theoretical}
		if cores, gpus, ok := p.Load(c.machine); ok {
			carrier.CoreLoad = &cores
			if c.machine.GPUs > 0 {
				carrier.GPULoad = &gpus
			}
		}
		j.Machines = append(j.Machines, carrier)
	}
	for _, c := range sum.Classes {
		j.Classes = append(j.Classes, classJSON{
			c.Class, c.Jobs, c.Contiguous, rangeJSON(c.Cores), rangeJSON(c.Nodes), rangeJSON(c.GPUs), rangeJSON(c.Runtime), c.LimitRatio, c.Work,
		})
	}
	return j, err
}
