package workloads

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/internal/faults"
)

// Arrival says when jobs are submitted. The first job arrives at 0, except from
// a trace.
type Arrival struct {
	Process Process `json:"process" about:"'at-once', 'fixed', 'gaussian', 'poisson' or 'trace'"`
	// Interval is the gap between two jobs, or its mean. Arrivals are rounded
	// down to whole seconds, after summation.
	Interval Duration `json:"interval,omitzero" about:"gap between two jobs, or its mean; 'fixed', 'gaussian' and 'poisson' need it"`
	// Deviation is the standard deviation of a Gaussian gap.
	Deviation Duration `json:"deviation,omitzero" about:"standard deviation of the gap; 'gaussian' needs it"`
	// First is the number of jobs that arrive together at 0, before the gaps
	// begin (50 in ESP-2). 0 means 1.
	First int `json:"first,omitempty" about:"number of jobs that arrive together before the gaps begin"`
	// Times are the arrivals of a trace in whole seconds, in order. There may be
	// more than jobs.
	Times []int `json:"times,omitempty" about:"list of seconds at which jobs arrive; 'trace' needs it"`
}

// Process is the law of the gaps between arrivals.
type Process string

// The arrival processes.
const (
	// AtOnce submits all jobs at 0, as the paper's tests do.
	AtOnce Process = "at-once"
	// Fixed submits a job every interval.
	Fixed Process = "fixed"
	// Gaussian has normally distributed gaps, a negative one cut to 0.
	Gaussian Process = "gaussian"
	// Poisson has exponential gaps with the interval as mean.
	Poisson Process = "poisson"
	// FromTrace submits jobs at given times.
	FromTrace Process = "trace"
)

func processes() []Process { return []Process{AtOnce, Fixed, Gaussian, Poisson, FromTrace} }

func (a Arrival) faults() []faults.Fault {
	if !slices.Contains(processes(), a.Process) {
		var all []string
		for _, p := range processes() {
			all = append(all, string(p))
		}
		return []faults.Fault{faults.At("arrival.process", faults.Got(string(a.Process)), strings.Join(all, ", "))}
	}
	gaps := a.Process != AtOnce && a.Process != FromTrace
	none := "none for process " + string(a.Process)
	var out []faults.Fault
	switch {
	case gaps:
		out = append(out, a.Interval.Outside("arrival.interval", time.Millisecond, 24*time.Hour, time.Millisecond)...)
		out = append(out, faults.Outside("arrival.first", a.First, 0, MaxJobs)...)
	default:
		if a.Interval.Duration != 0 {
			out = append(out, faults.At("arrival.interval", faults.Got(a.Interval), none))
		}
		if a.First != 0 {
			out = append(out, faults.At("arrival.first", faults.Got(a.First), none))
		}
	}
	switch {
	case a.Process == Gaussian:
		out = append(out, a.Deviation.Outside("arrival.deviation", time.Millisecond, max(a.Interval.Duration, time.Millisecond), time.Millisecond)...)
	case a.Deviation.Duration != 0:
		out = append(out, faults.At("arrival.deviation", faults.Got(a.Deviation), none))
	}
	return append(out, a.timeFaults(none)...)
}

func (a Arrival) timeFaults(none string) []faults.Fault {
	switch {
	case a.Process != FromTrace && len(a.Times) > 0:
		return []faults.Fault{faults.At("arrival.times", faults.Got(len(a.Times))+" times", none)}
	case a.Process == FromTrace && len(a.Times) == 0:
		return []faults.Fault{faults.At("arrival.times", "got none", "at least one number of seconds")}
	}
	var out []faults.Fault
	earliest := 0
	for i, t := range a.Times {
		out = append(out, faults.Outside(fmt.Sprintf("arrival.times[%d]", i), t, earliest, maxSeconds)...)
		earliest = max(earliest, t)
	}
	return out
}

// times returns the arrivals of n jobs in whole seconds.
func (a Arrival) times(n int, seed uint64) ([]int, error) {
	if a.Process == FromTrace {
		if n > len(a.Times) {
			return nil, fmt.Errorf("got %d jobs, allowed %d (the number of arrival.times)", n, len(a.Times))
		}
		return a.Times[:n], nil
	}
	from := newStream(seed, arrivalStream)
	out := make([]int, n)
	var at int64 // nanoseconds
	for i := range out {
		if i >= max(1, a.First) {
			at += a.gap(from)
		}
		if out[i] = int(at / int64(time.Second)); out[i] > maxSeconds {
			return nil, fmt.Errorf("got an arrival at %d s, allowed %d (lower arrival.interval)", out[i], maxSeconds)
		}
	}
	return out, nil
}

// gap is the time to the next arrival in nanoseconds.
func (a Arrival) gap(from stream) int64 {
	switch a.Process {
	case Fixed:
		return int64(a.Interval.Duration)
	case Gaussian:
		return max(0, int64(a.Interval.Duration)+from.normal(int64(a.Deviation.Duration)))
	case Poisson:
		return from.exponential(int64(a.Interval.Duration))
	default:
		return 0
	}
}
