package workloads

import (
	"strings"
	"time"
)

// Arrival says when jobs are submitted. The first job arrives at 0.
type Arrival struct {
	Process Process `json:"process"`
	// Interval is the gap between two jobs, or its mean. Arrivals are rounded
	// down to whole seconds, after summation.
	Interval Duration `json:"interval,omitzero"`
}

// Process is the law of the gaps between arrivals.
type Process string

// The arrival processes.
const (
	// AtOnce submits all jobs at 0, as the paper's tests do.
	AtOnce Process = "at-once"
	// Fixed submits a job every interval.
	Fixed Process = "fixed"
	// Poisson has exponential gaps with the interval as mean.
	Poisson Process = "poisson"
)

func (a Arrival) faults() []fault {
	switch a.Process {
	case AtOnce:
		if a.Interval.Duration != 0 {
			return []fault{{"arrival.interval", got(a.Interval), "none for process " + string(AtOnce)}}
		}
		return nil
	case Fixed, Poisson:
		return a.Interval.outside("arrival.interval", time.Millisecond, 24*time.Hour, time.Millisecond)
	}
	all := []string{string(AtOnce), string(Fixed), string(Poisson)}
	return []fault{{"arrival.process", got(string(a.Process)), strings.Join(all, ", ")}}
}

// gap is the time to the next arrival in nanoseconds.
func (a Arrival) gap(from stream) int64 {
	switch a.Process {
	case Fixed:
		return int64(a.Interval.Duration)
	case Poisson:
		return from.exponential(int64(a.Interval.Duration))
	default:
		return 0
	}
}
