package interchange

import (
	"errors"
	"fmt"
	"math"

	"github.com/slurmlab/slurmlab/workloads"
)

// Rescale says how a trace is changed to suit another machine. The zero value
// changes nothing.
type Rescale struct {
	// SizeFactor multiplies the number of nodes of each job (cores and GPUs per
	// node stay), or its cores where it has no nodes; rounded half up, never
	// below 1. 0 means 1.
	SizeFactor float64
	// Fit spreads a job that asks for more cores or GPUs per node than the
	// machine's nodes have over as many nodes as it then needs.
	Fit bool
	// ArrivalFactor multiplies the time between arrivals: 0.5 doubles the load.
	// 0 means 1.
	ArrivalFactor float64
	// From and Until bound the window of submissions that are taken. Until itself is
	// outside; the zero Moment means the end. Arrivals count from From.
	From, Until Moment
	// MaxJobs is the number of jobs after which the rest of the trace is left
	// out, in the order of the trace; 0 means all.
	MaxJobs int
}

// most bounds the factors; more than a thousandfold is a typing error.
const most = 1000

// Check lists what is not allowed in r.
func (r Rescale) Check() error {
	var faults []error
	factor := func(name string, f float64) {
		// Written so that NaN is refused as well.
		if f >= 0 && f <= most {
			return
		}
		faults = append(faults, fmt.Errorf("%s: got %g, allowed above 0 up to %d", name, f, most))
	}
	factor("size factor", r.SizeFactor)
	factor("arrival factor", r.ArrivalFactor)
	between := r.Until.After <= r.From.After
	if dates := !r.From.Date.IsZero() && !r.Until.Date.IsZero(); dates {
		between = !r.Until.Date.After(r.From.Date)
	} else if !r.From.Date.IsZero() || !r.Until.Date.IsZero() {
		// Whether a date comes after so much time is known when the trace is read.
		between = false
	}
	if r.From.After < 0 || r.Until.After < 0 || !r.Until.isZero() && between {
		faults = append(faults, fmt.Errorf("time window: got %s to %s, allowed from 0s, the end after the start", r.From, r.Until))
	}
	if r.MaxJobs < 0 {
		faults = append(faults, fmt.Errorf("jobs: got %d, allowed 1 or more, or 0 for all", r.MaxJobs))
	}
	return errors.Join(faults...)
}

func (r Rescale) arrivalFactor() float64 {
	if r.ArrivalFactor == 0 {
		return 1
	}
	return r.ArrivalFactor
}

// scaled is a number of nodes or cores on the other machine.
func (r Rescale) scaled(n int) int {
	if r.SizeFactor == 0 || r.SizeFactor == 1 {
		return n
	}
	return max(1, size(math.Floor(float64(n)*r.SizeFactor+0.5)))
}

// text lists what is scaled and what is chosen, for the record of an import.
func (r Rescale) text(m workloads.Machine) (out, chosen []string) {
	if r.SizeFactor != 0 && r.SizeFactor != 1 {
		out = append(out, fmt.Sprintf("sizes times %g", r.SizeFactor))
	}
	if r.Fit {
		out = append(out, fmt.Sprintf("jobs spread over the nodes of machine %s (%s)", m.Name, m.Size()))
	}
	if r.arrivalFactor() != 1 {
		out = append(out, fmt.Sprintf("time between arrivals times %g", r.ArrivalFactor))
	}
	if !r.From.isZero() || !r.Until.isZero() {
		end := "the end"
		if !r.Until.isZero() {
			end = r.Until.String()
		}
		chosen = append(chosen, fmt.Sprintf("submissions from %s to %s", r.From, end))
	}
	if r.MaxJobs > 0 {
		chosen = append(chosen, fmt.Sprintf("the first %d jobs", r.MaxJobs))
	}
	return out, chosen
}
