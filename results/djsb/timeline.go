package djsb

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// ErrNoPhases says that nobody watched what the applications computed with.
var ErrNoPhases = errors.New("no sample with phases")

// DrawTimeline draws one sample of each scenario as the paper's figure 2: the cores that
// simulation and analytics compute on, over time. Of a scenario's samples it is the first of
// those with the most analytics that did not fail. It is ErrNoPhases when there is none.
func (r Results) DrawTimeline(w io.Writer) error {
	var panels []plot.Stack
	span := 0.0
	for _, scenario := range r.Record.Config.Scenarios {
		if t, found := r.shown(scenario); found {
			panels = append(panels, stackOf(t))
			for _, job := range append(t.Analyses, t.Simulation) {
				span = math.Max(span, job.End)
			}
		}
	}
	if len(panels) == 0 {
		return fmt.Errorf("draw timeline: %w", ErrNoPhases)
	}
	cores := float64(r.Record.Config.Simulation.CPUs())
	return plot.Stacks(w, "One sample of each scenario of "+r.Record.Config.Name, "cores", span, cores, []string{"simulation", "analytics"}, panels...)
}

// shown is the sample of a scenario that the timeline has.
func (r Results) shown(scenario djsbconfig.Scenario) (Trial, bool) {
	best, found := Trial{}, false
	for _, t := range r.Trials {
		if t.Scenario == scenario && t.Failed == "" && len(t.Phases) > 0 && (!found || t.NumOfDynAnalysis > best.NumOfDynAnalysis) {
			best, found = t, true
		}
	}
	return best, found
}

// stackOf has what the simulation and all analytics of a sample compute on. Nobody computes
// after the end that the scheduler knows.
func stackOf(t Trial) plot.Stack {
	s := plot.Stack{Title: string(t.Scenario), Note: fmt.Sprintf("sample %d, %d analytics; marks are submissions", t.Number, len(t.Analyses)), Parts: make([][]metric.Point, 2)}
	jobs := append([]Times{t.Simulation}, t.Analyses...)
	now := make([]float64, len(jobs))
	set := func(at float64, job int, cores float64) {
		now[job] = cores
		part, sum := min(job, 1), now[0]
		if part == 1 {
			sum = 0
			for _, c := range now[1:] {
				sum += c
			}
		}
		s.Parts[part] = append(s.Parts[part], metric.Point{T: at, V: sum})
	}
	ended := make([]bool, len(jobs))
	end := func(until float64) {
		for {
			next := -1
			for i, j := range jobs {
				if !ended[i] && j.End <= until && (next < 0 || j.End < jobs[next].End) {
					next = i
				}
			}
			if next < 0 {
				return
			}
			ended[next] = true
			set(jobs[next].End, next, 0)
		}
	}
	for _, p := range t.Phases {
		if p.Analysis < 0 || p.Analysis >= len(jobs) {
			continue
		}
		end(p.At)
		if !ended[p.Analysis] {
			set(p.At, p.Analysis, p.Cores)
		}
	}
	end(math.Inf(1))
	for _, a := range t.Analyses {
		s.Marks = append(s.Marks, a.Submit)
	}
	return s
}
