package workloads

import (
	"fmt"
	"math"
	"time"
)

// longest bounds a job's run time and a workload's estimated run time. With
// the largest limit factor and addend a limit stays below maxSeconds.
const longest = 720 * time.Hour

// Duration is a time.Duration that is text like "4h0m0s" in JSON.
type Duration struct{ time.Duration }

// MarshalText writes Go's form of a duration, which a spec file accepts too.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Duration) UnmarshalText(text []byte) error {
	var err error
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

// Spec describes a workload that is drawn from a seed, with the inputs of the
// generator of AUCSCHED section 6.1. Its JSON form is itself a valid spec file.
// Fractions have at most six decimals.
type Spec struct {
	Name string `json:"name"`
	// MaxCores bounds the cores of one job, as a fraction of all cores of the
	// machine; a whole node is always allowed.
	MaxCores float64 `json:"max_cores"`
	// Jobs is the number of jobs; 0 takes as many as EstimatedRuntime needs.
	Jobs int `json:"jobs,omitempty"`
	// EstimatedRuntime is the theoretical run time to reach: the sum of run time
	// times cores over all jobs, divided by all cores. Whole seconds. With Jobs,
	// run times are scaled to it, and 0 leaves them as they were drawn.
	EstimatedRuntime Duration `json:"estimated_runtime"`
	Runtime          Runtime  `json:"runtime"`
	// Contiguous is the fraction of jobs that ask for contiguous nodes.
	Contiguous float64   `json:"contiguous"`
	Types      []JobType `json:"types"`
	Arrival    Arrival   `json:"arrival"`
	Limit      Limit     `json:"limit"`
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
	s := defaultSpec(baseName(file))
	root := doc.root
	root.text("name", &s.Name)
	root.decimal("max_cores", &s.MaxCores)
	root.integer("jobs", &s.Jobs)
	if s.Jobs > 0 {
		s.EstimatedRuntime = Duration{}
	}
	root.duration("estimated_runtime", &s.EstimatedRuntime)
	s.Runtime.read(root.child("runtime"))
	root.decimal("contiguous", &s.Contiguous)
	for _, item := range root.children("types") {
		s.Types = append(s.Types, readJobType(item))
	}
	s.Arrival.read(root.child("arrival"))
	s.Limit.read(root.child("limit"))
	root.done()
	if err := doc.err(s.faults()); err != nil {
		return Spec{}, err
	}
	return s, nil
}

// faults are the broken rules that hold on every machine, by YAML path.
func (s Spec) faults() []fault {
	var out []fault
	if !isName(s.Name) {
		out = append(out, faultAt("name", got(s.Name), nameRule))
	}
	if s.MaxCores == 0 || !isFraction(s.MaxCores) {
		out = append(out, faultAt("max_cores", got(s.MaxCores), "more than 0 to 1, with at most 6 decimals"))
	}
	out = append(out, outside("jobs", s.Jobs, 0, MaxJobs)...)
	if s.Jobs == 0 || s.EstimatedRuntime.Duration != 0 {
		out = append(out, s.EstimatedRuntime.outside("estimated_runtime", time.Second, longest, time.Second)...)
	}
	out = append(out, s.Runtime.faults()...)
	if !isFraction(s.Contiguous) {
		out = append(out, faultAt("contiguous", got(s.Contiguous), "0..1, with at most 6 decimals"))
	}
	out = append(out, s.typeFaults()...)
	out = append(out, s.Arrival.faults()...)
	return append(out, s.Limit.faults()...)
}

// outside returns a fault when d is not in low..high or not a multiple of unit.
func (d Duration) outside(field string, low, high, unit time.Duration) []fault {
	if d.Duration >= low && d.Duration <= high && d.Duration%unit == 0 {
		return nil
	}
	return []fault{faultAt(field, got(d), fmt.Sprintf("%s..%s in steps of %s", low, high, unit))}
}

// isFraction is false for NaN and for what ppm would have to round.
func isFraction(f float64) bool {
	return f >= 0 && f <= 1 && float64(ppm(f))/million == f
}
