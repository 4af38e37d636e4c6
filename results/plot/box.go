package plot

import (
	"image/color"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// fewValues is the largest number of values that a box shows one by one.
const fewValues = 12

// box shows values as one box: the middle half of them, the median, and whiskers to
// the least and the largest value. Up to fewValues values are drawn as dots with
// the median, because quartiles of so few mean little. The box stands at x and is
// width wide, in units of the x axis.
type box struct {
	x, width float64
	values   []float64
	colour   color.NRGBA
}

// quantile interpolates between sorted values (Hyndman and Fan's type 7).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}

// Plot implements the plotter of gonum.
func (b box) Plot(c draw.Canvas, p *gonum.Plot) {
	if len(b.values) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(b.values))
	x := func(v float64) vg.Length { return round(c.X(p.X.Norm(v))) }
	y := func(v float64) vg.Length { return round(c.Y(p.Y.Norm(v))) }
	left, middle, right := x(b.x-b.width/2), x(b.x), x(b.x+b.width/2)
	line := draw.LineStyle{Color: b.colour, Width: 1}
	c.StrokeLine2(line, middle, y(sorted[0]), middle, y(sorted[len(sorted)-1]))
	if len(sorted) > fewValues {
		for _, end := range []float64{sorted[0], sorted[len(sorted)-1]} {
			c.StrokeLine2(line, (left+middle)/2, y(end), (middle+right)/2, y(end))
		}
		low, high := y(quantile(sorted, 0.25)), y(quantile(sorted, 0.75))
		c.SetColor(light(b.colour))
		c.Fill(rectangle(nil, left, low, right, max(high, low+thinnest)))
	} else {
		c.SetColor(b.colour)
		for _, v := range sorted {
			c.Fill(rectangle(nil, middle-2, y(v)-2, middle+2, y(v)+2))
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: b.colour, Width: 2.2}, left, y(quantile(sorted, 0.5)), right, y(quantile(sorted, 0.5)))
}

// light mixes three eighths of the colour with five eighths of white.
func light(c color.NRGBA) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8((3*int(v) + 5*0xFF) / 8) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xFF}
}

// boxColour is the colour of the i-th policy, the same as for its lines.
func boxColour(i int) color.NRGBA {
	colours := lineColours()
	return colours[i%len(colours)]
}

// boxLegend names the policies.
func boxLegend(policies []string) []legendEntry {
	var out []legendEntry
	for i, name := range policies {
		out = append(out, legendEntry{label: name, swatches: []color.NRGBA{boxColour(i)}})
	}
	return out
}

// categories are axes with names instead of numbers on x: the i-th stands at i.
func categories(names []string, xLabel, yLabel string, low, high float64, yTicks gonum.ConstantTicks) *gonum.Plot {
	p := axes("", 1, yLabel, high, yTicks)
	p.Y.Min = low
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	var ticks gonum.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, gonum.Tick{Value: float64(i), Label: name})
	}
	p.X.Tick.Marker = ticks
	p.X.Label.Text = xLabel
	return p
}
