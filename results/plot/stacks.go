package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/slurmlab/slurmlab/results/metric"
)

// Stack is what several things have of one resource over time, in one panel.
type Stack struct {
	// Title is above the panel, Note beside it.
	Title, Note string
	// Parts has a step function of seconds for each name; before its first point a part has
	// nothing, and its last point holds until the end.
	Parts [][]metric.Point
	// Marks are moments with a small mark at the top.
	Marks []float64
}

// Stacks draws panels below each other on one time axis, from 0 to span seconds. In each the
// parts are stacked in the order of names, up to top, which is all of the resource that yLabel
// names. It is an error when there is no panel, or when one has not a part for each name.
func Stacks(w io.Writer, description, yLabel string, span, top float64, names []string, panels ...Stack) error {
	if len(panels) == 0 {
		return fmt.Errorf("draw stacks: %s: no panel", description)
	}
	var drawn []panel
	for i, s := range panels {
		if len(s.Parts) != len(names) {
			return fmt.Errorf("draw stacks: %s: %d parts of %d names", s.Title, len(s.Parts), len(names))
		}
		xLabel := ""
		if i == len(panels)-1 {
			xLabel = "time"
		}
		p := axes(xLabel, visibleSpan(span), yLabel, top, countTicks(top))
		p.Add(stackParts{s.Parts}, grid{levelsOnly: true}, marks(s.Marks))
		drawn = append(drawn, panel{plot: p, title: s.Title, note: s.Note})
	}
	for i, name := range names {
		drawn[0].legend = append(drawn[0].legend, legendEntry{label: name, swatches: []color.NRGBA{stackColour(i)}})
	}
	return figure(w, description, 84, 1, drawn)
}

// stackColour is the colour of the i-th part: cool and warm in turn.
func stackColour(i int) color.NRGBA {
	hues := cpuJob.hues()
	if i%2 == 1 {
		hues = gpuJob.hues()
	}
	return hues[i/2%len(hues)]
}

// stackParts is the plotter of one panel.
type stackParts struct{ parts [][]metric.Point }

// Plot implements the plotter of gonum.
func (s stackParts) Plot(c draw.Canvas, p *gonum.Plot) {
	c.SetColor(color.NRGBA{0xF1, 0xF2, 0xF4, 0xFF})
	c.Fill(c.Path())
	times := []float64{p.X.Min, p.X.Max}
	for _, points := range s.parts {
		for _, at := range points {
			times = append(times, math.Min(math.Max(at.T, p.X.Min), p.X.Max))
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	x := func(t float64) vg.Length { return round(c.X(p.X.Norm(t))) }
	y := func(v float64) vg.Length { return round(c.Y(p.Y.Norm(math.Min(v, p.Y.Max)))) }
	paths := make([]vg.Path, len(s.parts))
	for i := range len(times) - 1 {
		level := 0.0
		for k, points := range s.parts {
			v := valueAt(points, times[i])
			if v > 0 {
				paths[k] = rectangle(paths[k], x(times[i]), y(level), max(x(times[i+1]), x(times[i])+thinnest), y(level+v))
			}
			level += v
		}
	}
	for k, path := range paths {
		if len(path) > 0 {
			c.SetColor(stackColour(k))
			c.Fill(path)
		}
	}
}

// valueAt is the value of a step function.
func valueAt(points []metric.Point, t float64) float64 {
	v := 0.0
	for _, p := range points {
		if p.T > t {
			break
		}
		v = p.V
	}
	return v
}

// marks are the plotter of moments.
type marks []float64

// Plot implements the plotter of gonum.
func (m marks) Plot(c draw.Canvas, p *gonum.Plot) {
	style := draw.LineStyle{Color: ink(), Width: 1.2}
	for _, t := range m {
		if t >= p.X.Min && t <= p.X.Max {
			x := round(c.X(p.X.Norm(t)))
			c.StrokeLine2(style, x, c.Max.Y, x, c.Max.Y-7)
		}
	}
}
