package plot

import (
	"io"
	"math"
	"strconv"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Lines are some labelled lines in one panel.
type Lines struct {
	// Title is above the panel, Unit beside its upright axis.
	Title, Unit string
	Lines       []Line
}

// Line is one of them, as a step function over whole numbers.
type Line struct {
	Name   string
	Points []metric.Point
}

// Curves draws panels of lines over whole numbers from 0 to most, such as jobs that have
// ended, which xLabel names.
func Curves(w io.Writer, description, xLabel string, most int, panels ...Lines) error {
	var drawn []panel
	for i, lines := range panels {
		top := 1.0
		var curves []curve
		for k, l := range lines.Lines {
			for _, p := range l.Points {
				top = math.Max(top, p.V)
			}
			curves = append(curves, curve{l.Name, l.Points, lineStyle(k)})
		}
		p := axes("", visibleSpan(float64(most)), lines.Unit, 1.05*top, countTicks(top))
		p.X.Tick.Marker = countTicks(float64(most))
		if i == len(panels)-1 {
			p.X.Label.Text = xLabel
		}
		drawn = append(drawn, curvePanel(lines.Title, p, curves))
	}
	return figure(w, description+", "+strconv.Itoa(most)+" "+xLabel, 120, 1, drawn)
}
