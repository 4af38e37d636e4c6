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
	each := (len(names) + len(panels) - 1) / max(1, len(panels))
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
		out := curvePanel(lines.Title, p, curves)
		out.legend = out.legend[min(i*each, len(names)):min((i+1)*each, len(names))]
		drawn = append(drawn, out)
	}
	return figure(w, description+", "+strconv.Itoa(most)+" "+xLabel, 120, 1, drawn)
}
