package plot

import (
	"io"
	"math"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
)

// WaitingECDF draws for each schedule the empirical distribution of the waiting times (start - submission) of its
// started jobs. At 60 s it is the part of the jobs that had waited 60 s or less. The legend has the medians.
//
// The error lists every fault in the schedules.
func WaitingECDF(w io.Writer, schedules ...Schedule) error {
	if err := validateAll(schedules); err != nil {
		return err
	}
	var waits []WaitCurve
	for _, s := range schedules {
		waits = append(waits, WaitCurve{s.Name, metric.ECDF(waitingTimes(s))})
	}
	return WaitCurves(w, "Distribution of waiting times: "+policies(schedules), waits...)
}

// WaitCurve is a distribution of waits: at T seconds the part V of the jobs that had waited so long or less.
type WaitCurve struct {
	Name   string
	Points []metric.Point
}

// WaitCurves draws distributions of waits. The legend has the medians, and none of a distribution that stays below a half
// because too many of its jobs never started.
func WaitCurves(w io.Writer, description string, waits ...WaitCurve) error {
	longest := 0.0
	var curves []curve
	for i, s := range waits {
		c := curve{label: s.Name, style: lineStyle(i)}
		if n := len(s.Points); n > 0 {
			if s.Points[n-1].V >= 0.5 {
				c.label += ", median " + text.Duration(median(s.Points))
			}
			// Up from 0 at the left edge.
			c.points = append([]metric.Point{{T: 0, V: 0}}, s.Points...)
			longest = math.Max(longest, s.Points[n-1].T)
		}
		curves = append(curves, c)
	}
	p := axes("waiting time", visibleSpan(longest*1.02), "jobs that waited at most so long [%]", 1, percentTicks())
	ecdf := curvePanel("Waiting times", p, curves)
	ecdf.inside = true
	return figure(w, description, 230, 1, []panel{ecdf})
}

func waitingTimes(s Schedule) []float64 {
	var out []float64
	for _, j := range s.Jobs {
		if j.Counted() {
			out = append(out, j.TotalWait())
		}
	}
	return out
}

// median is the smallest value that at least half of all values do not exceed.
func median(ecdf []metric.Point) float64 {
	for _, p := range ecdf {
		if p.V >= 0.5 {
			return p.T
		}
	}
	return 0
}
