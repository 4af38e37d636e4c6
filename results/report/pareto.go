package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/plot"
)

// paretoName is the picture of a campaign's policies by two metrics.
const paretoName = "pareto.svg"

// TwoMetrics reads the value of --pareto.
func TwoMetrics(text string) (x, y metric.Measure, err error) {
	words := strings.Split(text, ",")
	if len(words) != 2 {
		return x, y, fmt.Errorf("pareto: got %q, want two metrics with a comma between them, such as waiting,utilisation", text)
	}
	if x, err = metric.Find(words[0]); err == nil {
		y, err = metric.Find(words[1])
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

// paretoPicture shows the policies by two metrics. draw is nil where no two policies have a replica in
// common, and lines say which policies are ahead of which.
type paretoPicture struct {
	caption string
	lines   []string
	draw    func(io.Writer) error
}

func (f Folder) front(x, y metric.Measure) paretoPicture {
	fronts := compare.Fronts(f.Runs, x, y, f.label)
	if len(fronts) == 0 {
		return paretoPicture{}
	}
	var panels []plot.ParetoPanel
	picture := paretoPicture{caption: "Policies by " + compare.Words(x) + " and " + compare.Words(y)}
	for _, front := range fronts {
		panel := plot.ParetoPanel{
			Title: fmt.Sprintf("%s on %s", front.Name, front.Machine),
			Note:  fmt.Sprintf("Backend %s, means of %s with 95 %% intervals", front.Backend.BackendName(), text.Plural(front.Replicas, "replica")),
		}
		for _, p := range front.Points {
			panel.Points = append(panel.Points, plot.ParetoPoint{
				Name: p.Policy, Dominated: p.Dominated,
				X: p.X, LowX: p.IntervalX.LowEnd(), HighX: p.IntervalX.HighEnd(), Y: p.Y, LowY: p.IntervalY.LowEnd(), HighY: p.IntervalY.HighEnd(),
			})
		}
		if finding := front.Finding(x, y); finding != "" {
			picture.lines = append(picture.lines, finding)
		}
		panels = append(panels, panel)
	}
	label := func(m metric.Measure) string { return m.Heading() + ", " + m.Better.String() + " is better" }
	picture.draw = func(w io.Writer) error { return plot.Pareto(w, picture.caption, label(x), label(y), panels...) }
	return picture
}
