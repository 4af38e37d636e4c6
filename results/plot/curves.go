package plot

import (
	"io"
	"math"
	"strconv"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Lines are step functions over whole numbers in one panel, one for each name.
type Lines struct {
	// Title is above the panel, Unit beside its upright axis.
	Title, Unit string
	Points      [][]metric.Point
}

// Curves draws panels of lines over whole numbers from 0 to most, such as jobs that have
// ended, which xLabel names. The names of the lines are spread over the panels, as each
// line has the same style in all of them.
func Curves(w io.Writer, description, xLabel string, most int, names []string, panels ...Lines) error {
	var drawn []panel
	for i, lines := range panels {
		top := 1.0
		var curves []curve
		for k, points := range lines.Points {
			for _, p := range points {
				top = math.Max(top, p.V)
			}
			curves = append(curves, curve{names[k], points, lineStyle(k)})
		}
		p := axes("", visibleSpan(float64(most)), lines.Unit, 1.05*top, countTicks(top))
		p.X.Tick.Marker = countTicks(float64(most))
		if i == len(panels)-1 {
			p.X.Label.Text = xLabel
		}
		drawn = append(drawn, curvePanel(lines.Title, p, curves))
	}
	if len(drawn) > 0 {
		spreadLegend(drawn, drawn[0].legend)
	}
	return figure(w, description+", "+strconv.Itoa(most)+" "+xLabel, 120, 1, drawn)
}

// spreadLegend puts the entries of a legend that holds for all panels above them, as many above
// each.
func spreadLegend(panels []panel, entries []legendEntry) {
	each := (len(entries) + len(panels) - 1) / max(1, len(panels))
	for i := range panels {
		panels[i].legend = entries[min(i*each, len(entries)):min((i+1)*each, len(entries))]
	}
}
