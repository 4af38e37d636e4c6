package workloads

import (
	"fmt"
	"math"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/input"
)

// longest bounds a job's run time and a workload's theoretical runtime. With
// the largest limit factor and addend a limit stays below maxSeconds.
const longest = 720 * time.Hour

// Duration is a time.Duration that is text like "4h0m0s" in JSON.
type Duration struct{ time.Duration }

// MarshalText writes Go's form of a duration, which a spec file accepts too.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err == nil {
		d.Duration = parsed
	}
	return err
}

// Wanted says what a file may have.
func (d *Duration) Wanted() string { return "a duration with its unit, like 90s, 10m or 4h" }

// Spec describes a workload that is drawn from a seed, with the inputs of the
// generator of AUCSCHED section 6.1. Its JSON form is itself a valid spec file.
// Fractions have at most six decimals.
type Spec struct {
	Name string `json:"name" about:"{Name}"`
	// MaxCores bounds the cores of one job, as a fraction of all cores of the
	// machine; a whole node is always allowed.
	MaxCores float64 `json:"max_cores" about:"cores of the largest job as a part of all cores of the machine; a whole node is always allowed; 0.2 without it"`
	// Jobs is the number of jobs; 0 takes as many as EstimatedRuntime needs.
	Jobs int `json:"jobs,omitempty" about:"number of jobs, 0 to {MaxJobs}; as many as 'theoretical_runtime' needs without it"`
	// EstimatedRuntime is the theoretical runtime to reach: the sum of run time
	// times cores over all jobs, divided by all cores. Whole seconds. With Jobs,
	// run times are scaled to it, and 0 leaves them as they were drawn.
	EstimatedRuntime Duration `json:"estimated_runtime" yaml:"theoretical_runtime" was:"estimated_runtime" about:"theoretical runtime, the sum of run time × cores over all cores; 4h without it and 'jobs'. With 'jobs', run times are scaled to it"`
	Runtime          Runtime  `json:"runtime" about:"[run times](#runtime); 60s to 600s without it"`
	// Contiguous is the fraction of jobs that ask for contiguous nodes.
	Contiguous float64   `json:"contiguous" about:"part of the jobs that ask for neighbouring nodes, 0 to 1; 0 without it"`
	Types      []JobType `json:"types" about:"list of [types of jobs](#an-entry-of-types)" need:"yes"`
	Arrival    Arrival   `json:"arrival" about:"{Arrival}"`
	Limit      Limit     `json:"limit" about:"{Limit}"`
}

// defaultSpec has the paper's figures where it gives them (section 6.1), see
// specs/V.yaml for those that are ours.
func defaultSpec(name string) Spec {
	return Spec{
		Name:             name,
		MaxCores:         0.2,
		EstimatedRuntime: Duration{4 * time.Hour},
		Runtime:          Runtime{Min: Duration{time.Minute}, Max: Duration{10 * time.Minute}},
		Arrival:          Arrival{Process: AtOnce},
		Limit:            defaultLimit(),
	}
}

const million = 1_000_000

// ppm turns a fraction into millionths. Generation uses integers only, because
// floating point may differ in the last bit between platforms.
func ppm(fraction float64) int64 { return int64(math.Round(fraction * million)) }

// ParseSpec reads a spec from YAML; file is for messages, and its base name is
// the default of the spec's name. The error lists all faults with their lines.
func ParseSpec(file string, data []byte) (Spec, error) {
	doc := openYAML(file, data)
	s := defaultSpec(input.BaseName(file))
	doc.Root().ReadAll(&s)
	if err := doc.Err(s.faults()); err != nil {
		return Spec{}, err
	}
	return s, nil
}

// Settle implements input.Settler: of so many jobs the run times stay as they were drawn.
func (s *Spec) Settle(m *input.Mapping) {
	if s.Jobs > 0 && !m.Has("theoretical_runtime") && !m.Has("estimated_runtime") {
		s.EstimatedRuntime = Duration{}
	}
}

// faults are the broken rules that hold on every machine, by YAML path.
func (s Spec) faults() []faults.Fault {
	var out []faults.Fault
	if !input.IsName(s.Name) {
		out = append(out, faults.At("name", faults.Got(s.Name), input.NameRule))
	}
	if s.MaxCores == 0 || !isFraction(s.MaxCores) {
		out = append(out, faults.At("max_cores", faults.Got(s.MaxCores), "more than 0 to 1, with at most 6 decimals"))
	}
	out = append(out, faults.Outside("jobs", s.Jobs, 0, MaxJobs)...)
	if s.Jobs == 0 || s.EstimatedRuntime.Duration != 0 {
		out = append(out, s.EstimatedRuntime.Outside("theoretical_runtime", time.Second, longest, time.Second)...)
	}
	out = append(out, s.Runtime.faults()...)
	if !isFraction(s.Contiguous) {
		out = append(out, faults.At("contiguous", faults.Got(s.Contiguous), "0..1, with at most 6 decimals"))
	}
	out = append(out, s.typeFaults()...)
	out = append(out, s.Arrival.faults()...)
	return append(out, s.Limit.faults()...)
}

// Outside returns a fault when d is not in low..high or not a multiple of unit.
func (d Duration) Outside(field string, low, high, unit time.Duration) []faults.Fault {
	if d.Duration >= low && d.Duration <= high && d.Duration%unit == 0 {
		return nil
	}
	return []faults.Fault{faults.At(field, faults.Got(d), fmt.Sprintf("%s..%s in steps of %s", low, high, unit))}
}

// isFraction is false for NaN and for what ppm would have to round.
func isFraction(f float64) bool {
	return f >= 0 && f <= 1 && float64(ppm(f))/million == f
}
