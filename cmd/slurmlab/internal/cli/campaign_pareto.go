package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/format"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
	"github.com/slurmlab/slurmlab/results/trace"
)

// paretoName is the picture of a campaign's policies by two metrics.
const paretoName = "pareto.svg"

// twoMetrics reads the value of --pareto.
func twoMetrics(text string) (x, y metric.Measure, err error) {
	words := strings.Split(text, ",")
	if len(words) != 2 {
		return x, y, fmt.Errorf("pareto: got %q, want two metrics with a comma between them, such as waiting,utilisation", text)
	}
	if x, err = namedMetric(words[0]); err == nil {
		y, err = namedMetric(words[1])
	}
	switch {
	case err != nil:
		return x, y, fmt.Errorf("pareto: %w", err)
	case x.Key == y.Key:
		return x, y, fmt.Errorf("pareto: got %s twice, want two different metrics", x.Short())
	}
	for _, m := range []metric.Measure{x, y} {
		if m.Better == metric.Neither {
			return x, y, fmt.Errorf("pareto: %s does not say which policy is better, want a metric that does", m.Short())
		}
	}
	return x, y, nil
}

// drawPareto draws the policies by two metrics, and says in a line each which are dominated where. Nothing is drawn
// where no two policies have a replica in common.
func (g gathered) drawPareto(folder string, x, y metric.Measure) ([]string, error) {
	fronts := compare.Fronts(g.runs, x, y, func(r metric.Result) string { return g.labels[trace.Unarchived(r.Path)] })
	if len(fronts) == 0 {
		return nil, nil
	}
	var panels []plot.ParetoPanel
	var lines []string
	for _, f := range fronts {
		panel := plot.ParetoPanel{
			Title: fmt.Sprintf("%s on %s", f.Name, f.Machine),
			Note:  fmt.Sprintf("Slurm %s, means of %s with 95 %% intervals", f.Slurm, format.Plural(f.Replicas, "replica")),
		}
		var dominated []string
		for _, p := range f.Points {
			if p.Dominated {
				dominated = append(dominated, p.Policy)
			}
			panel.Points = append(panel.Points, plot.ParetoPoint{
				Name: p.Policy, Dominated: p.Dominated,
				X: p.X, LowX: p.IntervalX.LowEnd(), HighX: p.IntervalX.HighEnd(), Y: p.Y, LowY: p.IntervalY.LowEnd(), HighY: p.IntervalY.HighEnd(),
			})
		}
		if len(dominated) > 0 {
			lines = append(lines, fmt.Sprintf("By the means of %s and %s on %s, machine %s, Slurm %s, another policy is better than %s.",
				compare.Words(x), compare.Words(y), f.Name, f.Machine, f.Slurm, strings.Join(dominated, ", ")))
		}
		panels = append(panels, panel)
	}
	label := func(m metric.Measure) string { return m.Heading() + ", " + m.Better.String() + " is better" }
	return lines, writeFile(filepath.Join(folder, paretoName), func(w io.Writer) error {
		return plot.Pareto(w, "Policies by "+compare.Words(x)+" and "+compare.Words(y), label(x), label(y), panels...)
	})
}
