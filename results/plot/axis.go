package plot

import (
	"math"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/slurmlab/slurmlab/workloads"
)

// timeUnit is the unit that a time axis is labelled in.
type timeUnit struct {
	name    string
	seconds float64
	// steps are the distances between ticks that read well in this unit.
	steps []float64
}

// unitFor chooses the unit for a span of seconds so that the largest label
// has at most three digits.
func unitFor(span float64) timeUnit {
	const minute, hour, day = 60, 3600, 86400
	switch {
	case span <= 10*minute:
		return timeUnit{"s", 1, []float64{1, 2, 5}}
	case span <= 3*hour:
		return timeUnit{"min", minute, []float64{1, 2, 5, 10, 15, 20, 30}}
	case span <= 4*day:
		return timeUnit{"h", hour, []float64{0.5, 1, 2, 3, 4, 6, 12}}
	default:
		return timeUnit{"d", day, []float64{0.5, 1, 2, 5}}
	}
}

// ticks returns labelled ticks from 0 to span seconds, at most most+1 of them.
func (u timeUnit) ticks(span float64, most int) gonum.ConstantTicks {
	return evenTicks(span/u.seconds, most, u.steps, u.seconds)
}

// evenTicks labels 0, step, 2 step, ... up to top with the smallest step that
// gives no more than most intervals. A tick's value is its label times scale.
func evenTicks(top float64, most int, steps []float64, scale float64) gonum.ConstantTicks {
	step := firstStep(top/float64(most), steps)
	var out gonum.ConstantTicks
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		v := float64(i) * step
		out = append(out, gonum.Tick{Value: v * scale, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return out
}

// firstStep returns the first of steps, 10 x steps, 100 x steps, ... that is not
// smaller than least.
func firstStep(least float64, steps []float64) float64 {
	for power := 1.0; ; power *= 10 {
		for _, s := range steps {
			if s*power >= least {
				return s * power
			}
		}
	}
}

// nodeAxis has the ticks of a node axis and its name. Where the nodes have names at a site, the first of each group stands at its
// row, if the one below leaves room.
func nodeAxis(m workloads.Machine) (gonum.ConstantTicks, string) {
	const most = 16
	names := m.Layout.SiteNames()
	if names == nil {
		return nodeTicks(m.Nodes), "node index"
	}
	var ticks gonum.ConstantTicks
	for i := range m.Layout.Groups {
		first := m.Layout.First(i) - 1
		at := float64(first)
		if len(ticks) == 0 || at-ticks[len(ticks)-1].Value >= float64(m.Nodes)/most {
			ticks = append(ticks, gonum.Tick{Value: at, Label: names[first]})
		}
	}
	return ticks, "node"
}

// nodeTicks labels a node axis at multiples of a power of two, as machines
// are built.
func nodeTicks(nodes int) gonum.ConstantTicks {
	step := 1
	for nodes/step > 8 {
		step *= 2
	}
	var out gonum.ConstantTicks
	for n := 0; n <= nodes; n += step {
		out = append(out, gonum.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return out
}

// percentTicks labels an axis of fractions of 1.
func percentTicks() gonum.ConstantTicks {
	return gonum.ConstantTicks{
		{Value: 0, Label: "0"}, {Value: 0.25, Label: "25"}, {Value: 0.5, Label: "50"},
		{Value: 0.75, Label: "75"}, {Value: 1, Label: "100"},
	}
}

// countTicks labels an axis of whole numbers up to top.
func countTicks(top float64) gonum.ConstantTicks {
	return evenTicks(top, 5, []float64{1, 2, 5}, 1)
}

// axes is a set of axes without data: time from 0 to span seconds, y from 0
// to top. An empty xLabel leaves the label of the time axis to the panel
// below.
func axes(xLabel string, span float64, yLabel string, top float64, yTicks gonum.ConstantTicks) *gonum.Plot {
	p := gonum.New()
	p.BackgroundColor = nil
	unit := unitFor(span)
	p.X.Min, p.X.Max = 0, span
	p.Y.Min, p.Y.Max = 0, top
	p.X.Tick.Marker = unit.ticks(span, 10)
	p.Y.Tick.Marker = yTicks
	if xLabel != "" {
		p.X.Label.Text = xLabel + " [" + unit.name + "]"
	}
	p.Y.Label.Text = yLabel
	for _, a := range []*gonum.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: ink(), Width: 0.6}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 4
		a.Label.Padding = 3
		label, tick := textStyle(textSize), textStyle(textSize)
		label.XAlign, label.YAlign = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		tick.XAlign, tick.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Label.TextStyle, a.Tick.Label = label, tick
	}
	return p
}

// visibleSpan is the length of a time axis. It is never 0, so that an empty
// schedule has axes too.
func visibleSpan(seconds float64) float64 { return math.Max(seconds, 1) }

// grid draws hairlines at the labelled ticks, behind the data; with levelsOnly only at the ticks of the y axis.
type grid struct{ levelsOnly bool }

// Plot implements the plotter of gonum.
func (g grid) Plot(c draw.Canvas, p *gonum.Plot) {
	style := draw.LineStyle{Color: hairline(), Width: 0.5}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(t.Value)); t.Value > p.Y.Min {
			c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		}
	}
	if g.levelsOnly {
		return
	}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if x := c.X(p.X.Norm(t.Value)); t.Value > p.X.Min {
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		}
	}
}

// round rounds a coordinate to a tenth of a point: the difference cannot be seen,
// and the numbers in the file are short.
func round(x vg.Length) vg.Length { return vg.Length(math.Round(float64(x)*10) / 10) }
