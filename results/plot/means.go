package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Mean is a mean at X with its interval; without one both ends are NaN.
type Mean struct {
	X            int
	Y, Low, High float64
}

// Means are the means of one panel, a line for each name.
type Means struct {
	Title string
	Lines [][]Mean
	// Bounds are values to compare each line with, drawn as dashed levels; NaN for none.
	Bounds []float64
}

// MeansOver draws panels of means over whole numbers, such as jobs, which xLabel names, below
// each other. The legend is above the first panel. Each panel has a line and a bound for each
// name. It is an error when a panel has no mean.
func MeansOver(w io.Writer, description, xLabel string, names []string, panels ...Means) error {
	var drawn []panel
	for _, m := range panels {
		low, high, most := math.Inf(1), math.Inf(-1), 0
		widen := func(values ...float64) {
			for _, v := range values {
				if !math.IsNaN(v) {
					low, high = math.Min(low, v), math.Max(high, v)
				}
			}
		}
		widen(m.Bounds...)
		for _, line := range m.Lines {
			for _, p := range line {
				widen(p.Y, p.Low, p.High)
				most = max(most, p.X)
			}
		}
		if most == 0 || math.IsInf(low, 1) {
			return fmt.Errorf("draw means: %s: no mean over a positive number", m.Title)
		}
		margin := math.Max((high-low)/8, 1e-2)
		low, high = low-margin, high+margin
		p := axes("", float64(most)+0.5, "", high, rangeTicks(low, high))
		p.Y.Min = low
		p.X.Label.Text, p.X.Tick.Marker = xLabel, countTicks(float64(most))
		p.Add(grid{levelsOnly: true})
		for i, line := range m.Lines {
			p.Add(meansLine{line, m.Bounds[i], boxColour(i)})
		}
		drawn = append(drawn, panel{plot: p, title: m.Title})
	}
	for i, name := range names {
		drawn[0].legend = append(drawn[0].legend, legendEntry{label: name, line: draw.LineStyle{Color: boxColour(i), Width: 1.3}})
	}
	return figure(w, description, 130, 1, drawn)
}

// meansLine joins means, with an upright line for each interval.
type meansLine struct {
	means  []Mean
	bound  float64
	colour color.NRGBA
}

// Plot implements the plotter of gonum.
func (l meansLine) Plot(c draw.Canvas, p *gonum.Plot) {
	x := func(v int) vg.Length { return round(c.X(p.X.Norm(float64(v)))) }
	y := func(v float64) vg.Length { return round(c.Y(p.Y.Norm(v))) }
	style := draw.LineStyle{Color: l.colour, Width: 1.3}
	for i, m := range l.means {
		if i > 0 {
			before := l.means[i-1]
			c.StrokeLine2(style, x(before.X), y(before.Y), x(m.X), y(m.Y))
		}
		c.SetColor(l.colour)
		c.Fill(rectangle(nil, x(m.X)-2, y(m.Y)-2, x(m.X)+2, y(m.Y)+2))
		if !math.IsNaN(m.Low) && !math.IsNaN(m.High) {
			c.StrokeLine2(draw.LineStyle{Color: l.colour, Width: 0.8}, x(m.X), y(m.Low), x(m.X), y(m.High))
		}
	}
	if !math.IsNaN(l.bound) {
		dashed := draw.LineStyle{Color: l.colour, Width: 0.8, Dashes: []vg.Length{4, 2}}
		c.StrokeLine2(dashed, c.Min.X, y(l.bound), c.Max.X, y(l.bound))
	}
}
