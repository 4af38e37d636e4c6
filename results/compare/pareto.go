package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Front is the policies of one machine, workload and backend by two metrics.
type Front struct {
	Machine, Name string
	Backend       trace.Backend
	// Replicas counts the seeds or windows that every policy has, over which the means are.
	Replicas int
	Points   []Point
}

// Point is one policy of a Front: its means in the units of tables, with their 95 % intervals, nil for one replica.
type Point struct {
	Policy    string
	X, Y      float64
	IntervalX *Interval
	IntervalY *Interval
	// Dominated says that another policy is at least as good by both means and better by one.
	Dominated bool
	// Ahead are the policies that this one dominates, none where it is dominated itself.
	Ahead []string
}

// Fronts weighs the policies against each other by two measures, once for each machine, workload and backend where at
// least two policies have a replica in common. Runs in which a measure is unknown are left out. name returns the
// workload's name of a run. The fronts and their points come in the order of the runs.
func Fronts(runs []metric.Result, x, y metric.Measure, name func(metric.Result) string) []Front {
	var setups []setup
	of := map[setup][]metric.Result{}
	for _, r := range runs {
		_, knownX := x.Value(*r.Metrics)
		_, knownY := y.Value(*r.Metrics)
		if !knownX || !knownY {
			continue
		}
		p := setup{r.Run.Machine.Name, name(r), r.Run.EventsLabel(), r.Run.Backend}
		if of[p] == nil {
			setups = append(setups, p)
		}
		of[p] = append(of[p], r)
	}
	var fronts []Front
	for _, p := range setups {
		f := newFront(of[p], x, y)
		f.Machine, f.Name, f.Backend = p.machine, p.workload, p.backend
		if len(f.Points) > 1 && f.Replicas > 0 {
			fronts = append(fronts, f)
		}
	}
	return fronts
}

func newFront(runs []metric.Result, x, y metric.Measure) Front {
	var policies []string
	has := map[replica]int{}
	for _, r := range inOrder(runs) {
		has[replica{r.Run.Seed, r.Run.Window}]++
	}
	for _, r := range runs {
		if !slices.Contains(policies, r.Run.Policy) {
			policies = append(policies, r.Run.Policy)
		}
	}
	var f Front
	for _, policy := range policies {
		var ofX, ofY []float64
		for _, r := range inOrder(runs) {
			if r.Run.Policy == policy && has[replica{r.Run.Seed, r.Run.Window}] == len(policies) {
				valueX, _ := x.Value(*r.Metrics)
				valueY, _ := y.Value(*r.Metrics)
				ofX, ofY = append(ofX, x.Unit.InTable(valueX)), append(ofY, y.Unit.InTable(valueY))
			}
		}
		point := Point{Policy: policy}
		point.X, point.IntervalX = MeanInterval(ofX)
		point.Y, point.IntervalY = MeanInterval(ofY)
		f.Points, f.Replicas = append(f.Points, point), len(ofX)
	}
	dominates := func(q, p Point) bool {
		return !worse(x, q.X, p.X) && !worse(y, q.Y, p.Y) && (q.X != p.X || q.Y != p.Y)
	}
	for i, p := range f.Points {
		f.Points[i].Dominated = slices.ContainsFunc(f.Points, func(q Point) bool { return dominates(q, p) })
	}
	for i, q := range f.Points {
		for _, p := range f.Points {
			if !q.Dominated && dominates(q, p) {
				f.Points[i].Ahead = append(f.Points[i].Ahead, p.Policy)
			}
		}
	}
	return f
}

// Finding says which policies are ahead of which by the two means, empty where none is. Means alone are no test.
func (f Front) Finding(x, y metric.Measure) string {
	var ahead []string
	for _, p := range f.Points {
		if len(p.Ahead) > 0 {
			ahead = append(ahead, fmt.Sprintf("%s is ahead of %s", p.Policy, enumerate(p.Ahead)))
		}
	}
	if len(ahead) == 0 {
		return ""
	}
	return fmt.Sprintf("By the means of %s and %s on %s, machine %s, backend %s, %s. This is no test: see the verdicts.",
		Words(x), Words(y), f.Name, f.Machine, f.Backend.BackendName(), strings.Join(ahead, "; "))
}

// worse says that a is worse than b. A measure without a direction is taken as better when it is lower.
func worse(m metric.Measure, a, b float64) bool {
	if m.Better == metric.Higher {
		return a < b
	}
	return a > b
}
