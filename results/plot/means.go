package plot

import (
	"fmt"
	"io"
	"math"
	"strconv"

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
	// Note is beside the title.
	Note  string
	Lines [][]Mean
	// Bounds are values to compare each line with, drawn as dashed levels; NaN for none.
	Bounds []float64
	// Log makes equal factors equally high. Means and bounds must then be positive; an interval
	// that goes down to 0 or below begins at the axis.
	Log bool
}

// MeansOver draws panels of means over whole numbers, such as jobs, which xLabel names, below
// each other. The names of the lines are spread over the panels. Each panel has a line and a
// bound for each name; means at the same number stand a little beside each other, so that their
// intervals can be told apart. It is an error when a panel has no mean.
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
				widen(p.Y, p.High)
				if !m.Log || p.Low > 0 {
					widen(p.Low)
				}
				most = max(most, p.X)
			}
		}
		if most == 0 || math.IsInf(low, 1) {
			return fmt.Errorf("draw means: %s: no mean over a positive number", m.Title)
		}
		p := axes("", float64(most)+0.5, "", 1, nil)
		if m.Log {
			if low <= 0 {
				return fmt.Errorf("draw means: %s: %g has no logarithm, allowed are positive values", m.Title, low)
			}
			low, high = low/1.1, high*1.1
			p.Y.Scale, p.Y.Tick.Marker = gonum.LogScale{}, factorTicks(low, high)
		} else {
			margin := math.Max((high-low)/8, 1e-2)
			low, high = low-margin, high+margin
			p.Y.Tick.Marker = rangeTicks(low, high)
		}
		p.Y.Min, p.Y.Max = low, high
		p.X.Label.Text, p.X.Tick.Marker = xLabel, countTicks(float64(most))
		p.Add(grid{levelsOnly: true})
		for i, line := range m.Lines {
			aside := 3 * vg.Length(float64(i)-float64(len(m.Lines)-1)/2)
			p.Add(meansLine{line, m.Bounds[i], aside, meansStyle(i)})
		}
		drawn = append(drawn, panel{plot: p, title: m.Title, note: m.Note})
	}
	var legend []legendEntry
	for i, name := range names {
		legend = append(legend, legendEntry{label: name, line: meansStyle(i)})
	}
	spreadLegend(drawn, legend)
	return figure(w, description, 130, 1, drawn)
}

// meansStyle is the style of the i-th line: dashes are for bounds, so that it is the width that
// changes when the colours are used up.
func meansStyle(i int) draw.LineStyle {
	colours := lineColours()
	return draw.LineStyle{Color: colours[i%len(colours)], Width: vg.Length(1.3 + 1.3*float64(i/len(colours)))}
}

// factorTicks labels 1, 2, 5, 10, 20, ... between low and high.
func factorTicks(low, high float64) gonum.ConstantTicks {
	var out gonum.ConstantTicks
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, step := range []float64{1, 2, 5} {
			if v := step * power; v >= low && v <= high {
				out = append(out, gonum.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return out
}

// meansLine joins means, with an upright line for each interval.
type meansLine struct {
	means []Mean
	bound float64
	// aside is how far to the right of their numbers the means stand.
	aside vg.Length
	style draw.LineStyle
}

// Plot implements the plotter of gonum.
func (l meansLine) Plot(c draw.Canvas, p *gonum.Plot) {
	x := func(v int) vg.Length { return round(c.X(p.X.Norm(float64(v))) + l.aside) }
	y := func(v float64) vg.Length { return round(c.Y(p.Y.Norm(v))) }
	for i, m := range l.means {
		if i > 0 {
			before := l.means[i-1]
			c.StrokeLine2(l.style, x(before.X), y(before.Y), x(m.X), y(m.Y))
		}
		c.SetColor(l.style.Color)
		c.Fill(rectangle(nil, x(m.X)-2, y(m.Y)-2, x(m.X)+2, y(m.Y)+2))
		if !math.IsNaN(m.Low) && !math.IsNaN(m.High) {
			c.StrokeLine2(draw.LineStyle{Color: l.style.Color, Width: 0.8}, x(m.X), y(math.Max(m.Low, p.Y.Min)), x(m.X), y(m.High))
		}
	}
	if !math.IsNaN(l.bound) {
		dashed := draw.LineStyle{Color: l.style.Color, Width: 0.8, Dashes: []vg.Length{4, 2}}
		c.StrokeLine2(dashed, c.Min.X, y(l.bound), c.Max.X, y(l.bound))
	}
}
