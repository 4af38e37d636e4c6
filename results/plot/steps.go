package plot

import (
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/slurmlab/slurmlab/results/metric"
)

// curve is one labelled line of a panel: a step function drawn as steps.
type curve struct {
	label  string
	points []metric.Point
	style  draw.LineStyle
}

// curvePanel adds a grid and curves to p, the first curve on top.
func curvePanel(title string, p *gonum.Plot, curves []curve) panel {
	out := panel{plot: p, title: title}
	p.Add(grid{})
	for i := len(curves) - 1; i >= 0; i-- {
		p.Add(curves[i])
	}
	for _, c := range curves {
		out.legend = append(out.legend, legendEntry{label: c.label, line: c.style})
	}
	return out
}

// lineStyle is the style of the i-th line of a panel; when the colours are
// used up they repeat dashed.
func lineStyle(i int) draw.LineStyle {
	colours := lineColours()
	style := draw.LineStyle{Color: colours[i%len(colours)], Width: 1.3}
	if i >= len(colours) {
		style.Dashes = []vg.Length{4, 2}
	}
	return style
}

// Plot implements the plotter of gonum. Steps that fall into the same third of a point are drawn as one upright line
// over their values. So the size of the file depends on the width of the picture and not on the number of steps.
func (c curve) Plot(canvas draw.Canvas, p *gonum.Plot) {
	if len(c.points) == 0 {
		return
	}
	const column = vg.Length(1) / 3
	x := func(i int) vg.Length { return round(canvas.X(p.X.Norm(c.points[i].T))) }
	y := func(i int) vg.Length { return round(canvas.Y(p.Y.Norm(c.points[i].V))) }

	level := y(0)
	var path vg.Path
	path.Move(vg.Point{X: x(0), Y: level})
	for i := 1; i < len(c.points); {
		left, low, high, last := x(i), level, level, level
		for ; i < len(c.points) && x(i)-left < column; i++ {
			last = y(i)
			low, high = min(low, last), max(high, last)
		}
		path.Line(vg.Point{X: left, Y: level})
		if low < min(level, last) {
			path.Line(vg.Point{X: left, Y: low})
		}
		if high > max(level, last) {
			path.Line(vg.Point{X: left, Y: high})
		}
		if last != level || low < high {
			path.Line(vg.Point{X: left, Y: last})
		}
		level = last
	}
	canvas.SetLineStyle(c.style)
	canvas.Stroke(path)
}
