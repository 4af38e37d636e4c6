package plot

import (
	"cmp"
	"errors"
	"image/color"
	"io"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ParetoPoint is a policy by two metrics. The ends of the intervals are NaN where there are none.
type ParetoPoint struct {
	Name           string
	X, LowX, HighX float64
	Y, LowY, HighY float64
	// Dominated says that another point is better.
	Dominated bool
}

// ParetoPanel is the points of one panel, under a title and a note.
type ParetoPanel struct {
	Title, Note string
	Points      []ParetoPoint
}

// Pareto draws policies by two metrics, which the labels name: a point each with the cross of its intervals, in
// grey and hollow where it is dominated. It is an error when there is no panel or a panel has no point.
func Pareto(w io.Writer, description, xLabel, yLabel string, panels ...ParetoPanel) error {
	if len(panels) == 0 || slices.ContainsFunc(panels, func(p ParetoPanel) bool { return len(p.Points) == 0 }) {
		return errors.New("draw Pareto front: no point")
	}
	var drawn []panel
	for _, of := range panels {
		var xs, ys []float64
		for _, p := range of.Points {
			xs, ys = append(xs, p.X, p.LowX, p.HighX), append(ys, p.Y, p.LowY, p.HighY)
		}
		p := axes("", 1, yLabel, 1, nil)
		p.X.Label.Text = xLabel
		p.X.Min, p.X.Max = around(xs)
		p.Y.Min, p.Y.Max = around(ys)
		// Names stand at the right of their points.
		p.X.Max += (p.X.Max - p.X.Min) / 3
		p.X.Tick.Marker, p.Y.Tick.Marker = rangeTicks(p.X.Min, p.X.Max), rangeTicks(p.Y.Min, p.Y.Max)
		p.Add(grid{}, paretoPoints(of.Points))
		drawn = append(drawn, panel{
			plot: p, title: of.Title, note: of.Note,
			legend: []legendEntry{
				{label: "not dominated", line: draw.LineStyle{Color: lineColours()[1], Width: 2}},
				{label: "dominated", line: draw.LineStyle{Color: dominatedColour(), Width: 2}},
			},
		})
	}
	return figure(w, description, 220, 1, drawn)
}

// around are the ends of an axis that has all the values, of which some may be NaN.
func around(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	margin := math.Max((high-low)/10, 1e-3*math.Max(1, math.Abs(high)))
	return low - margin, high + margin
}

func dominatedColour() color.NRGBA { return color.NRGBA{0x8A, 0x8F, 0x96, 0xFF} }

// paretoPoints draws points with their crosses and names.
type paretoPoints []ParetoPoint

// Plot implements the plotter of gonum.
func (points paretoPoints) Plot(c draw.Canvas, p *gonum.Plot) {
	x := func(v float64) vg.Length { return round(c.X(p.X.Norm(v))) }
	y := func(v float64) vg.Length { return round(c.Y(p.Y.Norm(v))) }
	const side, line = 3.5 * vg.Length(1), 11 * vg.Length(1)
	colour := func(q ParetoPoint) color.NRGBA {
		if q.Dominated {
			return dominatedColour()
		}
		return lineColours()[1]
	}
	for _, q := range points {
		thin := draw.LineStyle{Color: colour(q), Width: 0.6}
		if !math.IsNaN(q.LowX) && !math.IsNaN(q.HighX) {
			c.StrokeLine2(thin, x(q.LowX), y(q.Y), x(q.HighX), y(q.Y))
		}
		if !math.IsNaN(q.LowY) && !math.IsNaN(q.HighY) {
			c.StrokeLine2(thin, x(q.X), y(q.LowY), x(q.X), y(q.HighY))
		}
	}
	// Where points coincide, each later one is a ring around those before it.
	rings := map[vg.Point]vg.Length{}
	around := func(q ParetoPoint) vg.Length { return rings[vg.Point{X: x(q.X), Y: y(q.Y)}] }
	half := make([]vg.Length, len(points))
	for i, q := range points {
		half[i] = side + 3*around(q)
		rings[vg.Point{X: x(q.X), Y: y(q.Y)}]++
	}
	square := func(q ParetoPoint, half vg.Length, fill color.Color) {
		c.SetColor(fill)
		c.Fill(rectangle(nil, x(q.X)-half, y(q.Y)-half, x(q.X)+half, y(q.Y)+half))
	}
	for i, q := range slices.Backward(points) {
		square(q, half[i], colour(q))
		if q.Dominated || half[i] > side {
			square(q, half[i]-1, color.White)
		}
	}
	// From the lowest to the highest, so that a name that would cover another one moves up.
	byHeight := slices.SortedStableFunc(slices.Values(points), func(a, b ParetoPoint) int {
		return cmp.Compare(y(a.Y), y(b.Y))
	})
	style := textStyle(textSize)
	var written []vg.Rectangle
	for _, q := range byHeight {
		at := vg.Point{X: x(q.X) + side + 3*around(q), Y: y(q.Y) + 2}
		box := func() vg.Rectangle {
			return vg.Rectangle{Min: at, Max: vg.Point{X: at.X + wider*style.Width(q.Name), Y: at.Y + line}}
		}
		for slices.ContainsFunc(written, func(other vg.Rectangle) bool { return overlap(box(), other) }) {
			at.Y++
		}
		written = append(written, box())
		c.FillText(style, at, q.Name)
	}
}

// overlap says that two rectangles have an area in common.
func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
