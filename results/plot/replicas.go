package plot

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"

	"github.com/slurmlab/slurmlab/results/metric"
)

// ReplicaSet is all replicas of one side of a comparison.
type ReplicaSet struct {
	Name    string
	Metrics []metric.Metrics
}

// NewReplicaSet is that of complete runs.
func NewReplicaSet(name string, runs []metric.Result) ReplicaSet {
	s := ReplicaSet{Name: name}
	for _, r := range runs {
		s.Metrics = append(s.Metrics, *r.Metrics)
	}
	return s
}

// replicaKeys are the measures that Replicas draws.
func replicaKeys() []string {
	return []string{
		"makespan_s", "cpu_utilization", "gpu_utilization", "waiting_s", "bounded_slowdown", "fragmentation", "spread", "gpu_fragmentation.fgd",
	}
}

// replicaColumns is the number of panels side by side.
const replicaColumns = 4

// Replicas draws the main metrics of several replicas per set, a panel per metric
// and a box or dots per set. A metric that is unknown in some run is
// left out. It is an error when there is no run.
func Replicas(w io.Writer, sets ...ReplicaSet) error {
	var names []string
	for _, s := range sets {
		if len(s.Metrics) == 0 {
			return fmt.Errorf("draw replicas: no run of %q", s.Name)
		}
		names = append(names, s.Name)
	}
	if len(sets) == 0 {
		return errors.New("draw replicas: no runs")
	}
	var panels []panel
	for _, key := range replicaKeys() {
		if p, known := replicaPanel(metric.FindMeasure(key), sets); known {
			panels = append(panels, p)
		}
	}
	return figure(w, "Metrics over replicas: "+strings.Join(names, ", "), 120, replicaColumns, panels)
}

// replicaPanel is false when the measure is unknown in some run.
func replicaPanel(m metric.Measure, sets []ReplicaSet) (panel, bool) {
	low, high := math.Inf(1), math.Inf(-1)
	var boxes []gonum.Plotter
	var names []string
	for i, s := range sets {
		b := box{x: float64(i), width: 0.5, colour: boxColour(i)}
		for _, run := range s.Metrics {
			v, known := m.Value(run)
			if !known {
				return panel{}, false
			}
			v = m.Unit.InTable(v)
			b.values = append(b.values, v)
			low, high = math.Min(low, v), math.Max(high, v)
		}
		boxes, names = append(boxes, b), append(names, s.Name)
	}
	// An axis from 0 would show replicas that lie close together as one line.
	margin := math.Max((high-low)/8, 1e-3*math.Max(1, math.Abs(high)))
	low, high = low-margin, high+margin
	p := categories(names, "", "", low, high, rangeTicks(low, high))
	p.Add(grid{levelsOnly: true})
	p.Add(boxes...)
	return panel{plot: p, title: m.Heading()}, true
}

// rangeTicks labels about four round values between low and high.
func rangeTicks(low, high float64) gonum.ConstantTicks {
	power := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	step := firstStep((high-low)/4/power, []float64{1, 2, 5}) * power
	var out gonum.ConstantTicks
	for k := math.Ceil(low / step); k*step <= high; k++ {
		out = append(out, gonum.Tick{Value: k * step, Label: roundLabel(k*step, step)})
	}
	return slices.Clip(out)
}

// roundLabel writes v with the digits that the step has.
func roundLabel(v, step float64) string {
	decimals := max(0, int(math.Ceil(-math.Log10(step)-1e-9)))
	if v == 0 {
		// Zero may have a sign.
		v = 0
	}
	return fmt.Sprintf("%.*f", decimals, v)
}
