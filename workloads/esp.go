package workloads

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// ESP is a workload of a fixed set of jobs whose sizes are fractions of the machine. It is ESP-2 (Effective System
// Performance, version 2.2.1, its README) or the CPU-GPU workload that IPSCHED section V derives from it. Its JSON
// form is itself a valid spec file.
type ESP struct {
	// Generator is "esp"; it distinguishes the spec file from a Spec's.
	Generator string    `json:"generator" about:"'esp'" need:"yes"`
	Name      string    `json:"name" about:"{Name}"`
	Types     []ESPType `json:"types" about:"list of [types of ESP jobs](#an-entry-of-types-of-an-esp-workload)" need:"yes"`
	// GPUCopies, if not 0, adds a copy of each job but the late ones. The copy asks for so many GPUs per node as
	// well: "we simply duplicated all the ESP jobs with the exception of Z-jobs". Its class ends in "-gpu".
	GPUCopies int `json:"gpu_copies,omitempty" about:"GPUs on each node of a copy that each job gets, but for those with 'earliest'; no copies without it"`
	// SizeChange adds a uniform number of -SizeChange..SizeChange cores to each
	// job: "SYSTEM_SIZE * JOB_FRACTION + RAND(-4,4)", within the machine.
	SizeChange int `json:"size_change,omitempty" about:"the most cores by which the size of a job is changed, up or down, as the seed says" default:"0"`
	// MinimumRuntime is the published run time on a machine without an idle
	// core, which ESP's efficiency compares the elapsed time with. 0 means that
	// none is published.
	MinimumRuntime Duration `json:"minimum_runtime,omitzero" about:"published run time on a machine without an idle core, for ESP's efficiency; none without it"`
	Arrival        Arrival  `json:"arrival" about:"{Arrival}"`
	Limit          Limit    `json:"limit" about:"{Limit}"`
}

// ESPType is a row of the table of ESP jobs.
type ESPType struct {
	Class string `json:"class" about:"{Class}" need:"yes"`
	// Size is the fraction of all cores of the machine, with at most six decimals.
	Size float64 `json:"size" about:"cores of a job as a part of all cores of the machine"`
	// Count is the number of such jobs.
	Count   int      `json:"count" about:"number of such jobs"`
	Runtime Duration `json:"runtime" about:"run time of such a job"`
	// Earliest makes the jobs late ones, one for each entry: they are submitted in
	// this order after all others, and not before that time (Z jobs). Whole seconds.
	Earliest []Duration `json:"earliest,omitempty" about:"list with an earliest submission for each of the jobs, which come after all others in this order"`
}

const espGenerator = "esp"

// ParseESP reads an ESP spec from YAML; file is for messages, and its base name
// is the default of the spec's name. The error lists all faults with their lines.
func ParseESP(file string, data []byte) (ESP, error) {
	doc := openYAML(file, data)
	e := ESP{
		Name:    input.BaseName(file),
		Arrival: Arrival{Process: AtOnce},
		Limit:   defaultLimit(),
	}
	doc.Root().ReadAll(&e)
	if err := doc.Err(e.faults()); err != nil {
		return ESP{}, err
	}
	return e, nil
}

// faults are the broken rules that hold on every machine, by YAML path.
func (e ESP) faults() []faults.Fault {
	var out []faults.Fault
	if e.Generator != espGenerator {
		out = append(out, faults.At("generator", faults.Got(e.Generator), espGenerator+", or no key for the generator of AUCSCHED"))
	}
	if !input.IsName(e.Name) {
		out = append(out, faults.At("name", faults.Got(e.Name), input.NameRule))
	}
	if len(e.Types) == 0 {
		out = append(out, faults.At("types", "got none", "at least one job type"))
	}
	jobs := 0
	for i, t := range e.Types {
		for _, f := range t.faults() {
			f.Field = fmt.Sprintf("types[%d].%s", i, f.Field)
			out = append(out, f)
		}
		jobs += max(0, min(t.Count, MaxJobs))
	}
	if len(out) == 0 && 2*jobs > MaxJobs {
		out = append(out, faults.At("types", fmt.Sprintf("got %d jobs", jobs), faults.Between(1, MaxJobs/2)))
	}
	out = append(out, faults.Outside("gpu_copies", e.GPUCopies, 0, maxGPUs)...)
	out = append(out, faults.Outside("size_change", e.SizeChange, 0, maxCores)...)
	if e.MinimumRuntime != (Duration{}) {
		out = append(out, e.MinimumRuntime.Outside("minimum_runtime", time.Second, longest, time.Second)...)
	}
	out = append(out, e.Arrival.faults()...)
	return append(out, e.Limit.faults()...)
}

func (t ESPType) faults() []faults.Fault {
	var out []faults.Fault
	// The class of a job's copy is longer by "-gpu" (GPUCopies).
	if t.Class == "" || !isClass(t.Class+gpuCopy) {
		out = append(out, faults.At("class", faults.Got(t.Class), "1..28 of letters, digits, -, _ and ."))
	}
	if t.Size == 0 || !isFraction(t.Size) {
		out = append(out, faults.At("size", faults.Got(t.Size), "more than 0 to 1, with at most 6 decimals"))
	}
	out = append(out, faults.Outside("count", t.Count, 1, MaxJobs)...)
	out = append(out, t.Runtime.Outside("runtime", time.Second, longest, time.Second)...)
	if n := len(t.Earliest); n > 0 && n != t.Count {
		out = append(out, faults.At("earliest", faults.Got(n)+" durations", fmt.Sprintf("count=%d", t.Count)))
	}
	for i, d := range t.Earliest {
		out = append(out, d.Outside(fmt.Sprintf("earliest[%d]", i), 0, longest, time.Second)...)
	}
	return out
}

// MinimumRuntime returns the MinimumRuntime of an ESP, given in its JSON form as
// run.json has it. false means that spec is no ESP, or an ESP without this value.
func MinimumRuntime(spec []byte) (time.Duration, bool) {
	var e struct {
		Generator      string   `json:"generator"`
		MinimumRuntime Duration `json:"minimum_runtime"`
	}
	err := json.Unmarshal(spec, &e)
	return e.MinimumRuntime.Duration, err == nil && e.Generator == espGenerator && e.MinimumRuntime.Duration > 0
}

const gpuCopy = "-gpu"

// Generate makes the jobs of the machine, numbered from 1 in the order of
// arrival. The seed gives the order of the jobs that are not late, the changes
// of sizes and the gaps, each from a stream of its own.
func (e ESP) Generate(m Machine, seed uint64) ([]Job, error) {
	rep := faults.List{Name: fmt.Sprintf("workload %s on machine %s", e.Name, m.Name)}
	if err := m.check(); err != nil {
		return nil, err
	}
	for _, f := range e.faults() {
		rep.Add(0, f)
	}
	if e.GPUCopies > m.GPUs {
		rep.Add(0, faults.At("gpu_copies", faults.Got(e.GPUCopies), fmt.Sprintf("up to %d (GPUs of a node)", m.GPUs)))
	}
	if err := rep.Err(); err != nil {
		return nil, err
	}
	jobs, late, earliest := e.jobs(m)
	draw := newStream(seed, jobStream)
	for i := len(jobs) - 1; i > 0; i-- { // Fisher and Yates
		k := draw.between(0, i)
		jobs[i], jobs[k] = jobs[k], jobs[i]
	}
	arrivals, err := e.Arrival.times(len(jobs), seed)
	if err != nil {
		return nil, fmt.Errorf("generate workload %s on machine %s: %w", e.Name, m.Name, err)
	}
	last := 0
	for i := range jobs {
		jobs[i].Arrival = arrivals[i]
		last = arrivals[i]
	}
	for i := range late {
		last = max(last, earliest[i])
		late[i].Arrival = last
	}
	jobs = append(jobs, late...)
	sizes, limits := newStream(seed, sizeStream), newStream(seed, limitStream)
	for i := range jobs {
		j := &jobs[i]
		j.ID = i + 1
		j.Cores = max(1, min(m.AllCores(), j.Cores+sizes.between(-e.SizeChange, e.SizeChange)))
		j.Limit = e.Limit.draw(limits, j.Runtime)
	}
	return jobs, nil
}

// jobs returns the jobs before they are put in order, the late ones apart with
// their earliest arrivals in seconds. Jobs ask for cores, not for nodes: "ESP
// jobs do not have the concept of node request" (IPSCHED section VI).
func (e ESP) jobs(m Machine) (regular, late []Job, earliest []int) {
	for _, t := range e.Types {
		cores := (int64(m.AllCores())*ppm(t.Size) + million/2) / million
		job := Job{Runtime: int(t.Runtime.Seconds()), Cores: int(cores), Class: t.Class}
		for i := range t.Count {
			if len(t.Earliest) > 0 {
				late = append(late, job)
				earliest = append(earliest, int(t.Earliest[i].Seconds()))
				continue
			}
			regular = append(regular, job)
			if e.GPUCopies > 0 {
				twin := job
				twin.Class += gpuCopy
				twin.GPUsMin, twin.GPUsMax = e.GPUCopies, e.GPUCopies
				regular = append(regular, twin)
			}
		}
	}
	return regular, late, earliest
}
