package plot

import (
	"cmp"
	"errors"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SettingPanel is a metric over the values of a setting, a line for each name of the legend.
type SettingPanel struct {
	Title, Note string
	Lines       [][]SettingPoint
	// Zero draws the level 0, from which differences are read.
	Zero bool
}

// SettingPoint is a mean at a value of the setting with its interval; without one both ends are
// NaN.
type SettingPoint struct {
	Value        string
	Y, Low, High float64
}

// OverSetting draws panels of metrics over the values of a setting, which xLabel names, in so many columns. Where all
// values are numbers or times the points of a line are joined, with their intervals as a band. Then the axis has
// equal steps for equal factors if the values are closer to these than to equal differences. Other values stand
// beside each other in the order in which they come. It is an error when there is no panel or one of them has no
// mean.
func OverSetting(w io.Writer, description, xLabel string, columns int, names []string, panels ...SettingPanel) error {
	if len(panels) == 0 {
		return errors.New("draw setting: no panel")
	}
	axis := newSettingAxis(panels)
	var drawn []panel
	for _, of := range panels {
		var ys []float64
		for _, line := range of.Lines {
			for _, q := range line {
				ys = append(ys, q.Y, q.Low, q.High)
			}
		}
		if !slices.ContainsFunc(ys, func(y float64) bool { return !math.IsNaN(y) }) {
			return errors.New("draw setting: " + of.Title + ": no mean")
		}
		if of.Zero {
			ys = append(ys, 0)
		}
		p := axes("", 1, "", 1, nil)
		axis.apply(p, columns)
		p.X.Label.Text = xLabel
		p.Y.Min, p.Y.Max = around(ys)
		p.Y.Tick.Marker = rangeTicks(p.Y.Min, p.Y.Max)
		p.Add(grid{levelsOnly: true})
		if of.Zero {
			p.Add(level(0))
		}
		var lines []settingLine
		for i, line := range of.Lines {
			aside := 5 * vg.Length(float64(i)-float64(len(of.Lines)-1)/2)
			if axis.numbers {
				aside = 0
			}
			lines = append(lines, settingLine{line, axis, aside, meansStyle(i)})
		}
		if axis.numbers {
			for _, line := range lines {
				p.Add(settingBand(line))
			}
		}
		for _, line := range lines {
			p.Add(line)
		}
		drawn = append(drawn, panel{plot: p, title: of.Title, note: of.Note})
	}
	var legend []legendEntry
	for i, name := range names {
		legend = append(legend, legendEntry{label: name, line: meansStyle(i)})
	}
	if len(names) > 1 {
		spreadLegend(drawn, legend)
	}
	return figure(w, description, 170, columns, drawn)
}

// settingAxis says where the values of a setting stand.
type settingAxis struct {
	words   []string
	at      []float64
	numbers bool
	log     bool
}

func newSettingAxis(panels []SettingPanel) settingAxis {
	a := settingAxis{numbers: true}
	for _, p := range panels {
		for _, line := range p.Lines {
			for _, q := range line {
				if !slices.Contains(a.words, q.Value) {
					a.words = append(a.words, q.Value)
				}
			}
		}
	}
	for _, word := range a.words {
		x, is := number(word)
		a.at, a.numbers = append(a.at, x), a.numbers && is
	}
	if !a.numbers {
		for i := range a.at {
			a.at[i] = float64(i)
		}
		return a
	}
	a.log = geometric(a.at)
	return a
}

// number is a value that is a number, or the seconds of a time such as 30s.
func number(word string) (float64, bool) {
	x, err := strconv.ParseFloat(word, 64)
	if err == nil {
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	d, err := time.ParseDuration(word)
	return d.Seconds(), err == nil
}

// geometric says that the steps between at least three positive values are more alike as factors than as
// differences.
func geometric(values []float64) bool {
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	if len(sorted) < 3 || sorted[0] <= 0 {
		return false
	}
	unevenness := func(scale func(float64) float64) float64 {
		least, most := math.Inf(1), 0.0
		for i := range len(sorted) - 1 {
			step := scale(sorted[i+1]) - scale(sorted[i])
			least, most = math.Min(least, step), math.Max(most, step)
		}
		return most / least
	}
	return unevenness(math.Log) < unevenness(func(x float64) float64 { return x })
}

func (a settingAxis) x(word string) float64 { return a.at[slices.Index(a.words, word)] }

// apply gives a plot the axis. Words that would cover the one at their left are left out.
func (a settingAxis) apply(p *gonum.Plot, columns int) {
	low, high := slices.Min(a.at), slices.Max(a.at)
	switch {
	case a.log:
		margin := math.Pow(high/low, 0.05)
		p.X.Min, p.X.Max = low/margin, high*margin
		p.X.Scale = gonum.LogScale{}
	case a.numbers:
		margin := math.Max((high-low)/20, 1e-6*math.Max(1, math.Abs(high)))
		p.X.Min, p.X.Max = low-margin, high+margin
	default:
		p.X.Min, p.X.Max = -0.5, high+0.5
	}
	order := make([]int, len(a.words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.at[i], a.at[j]) })
	// The axis of values at the left takes about 50 points.
	width := figureWidth/vg.Length(columns) - 50
	end := vg.Length(math.Inf(-1))
	var ticks gonum.ConstantTicks
	for _, i := range order {
		middle := width * vg.Length(p.X.Norm(a.at[i]))
		half := wider * textStyle(textSize).Width(a.words[i]) / 2
		tick := gonum.Tick{Value: a.at[i]}
		if middle-half > end {
			tick.Label, end = a.words[i], middle+half+3
		}
		ticks = append(ticks, tick)
	}
	p.X.Tick.Marker = ticks
}

// level is a horizontal line.
type level float64

// Plot implements the plotter of gonum.
func (l level) Plot(c draw.Canvas, p *gonum.Plot) {
	y := round(c.Y(p.Y.Norm(float64(l))))
	c.StrokeLine2(draw.LineStyle{Color: ink(), Width: 0.8, Dashes: []vg.Length{4, 2}}, c.Min.X, y, c.Max.X, y)
}

// settingLine is a line of a SettingPanel.
type settingLine struct {
	points []SettingPoint
	axis   settingAxis
	// aside is how far to the right of their values the points stand.
	aside vg.Length
	style draw.LineStyle
}

// pointsOn is where the points of the line stand on a canvas, and known are those that have a mean, from left to right.
func (l settingLine) pointsOn(c draw.Canvas, p *gonum.Plot) (x func(SettingPoint) vg.Length, y func(float64) vg.Length, known []SettingPoint) {
	x = func(q SettingPoint) vg.Length { return round(c.X(p.X.Norm(l.axis.x(q.Value))) + l.aside) }
	y = func(v float64) vg.Length { return round(c.Y(p.Y.Norm(v))) }
	known = slices.DeleteFunc(slices.Clone(l.points), func(q SettingPoint) bool { return math.IsNaN(q.Y) })
	slices.SortStableFunc(known, func(a, b SettingPoint) int { return cmp.Compare(l.axis.x(a.Value), l.axis.x(b.Value)) })
	return x, y, known
}

// Plot implements the plotter of gonum.
func (l settingLine) Plot(c draw.Canvas, p *gonum.Plot) {
	x, y, known := l.pointsOn(c, p)
	for i, q := range known {
		if i > 0 && l.axis.numbers {
			c.StrokeLine2(l.style, x(known[i-1]), y(known[i-1].Y), x(q), y(q.Y))
		}
		c.SetColor(l.style.Color)
		c.Fill(rectangle(nil, x(q)-2.5, y(q.Y)-2.5, x(q)+2.5, y(q.Y)+2.5))
		if !math.IsNaN(q.Low) && !math.IsNaN(q.High) {
			c.StrokeLine2(draw.LineStyle{Color: l.style.Color, Width: 0.8}, x(q), y(q.Low), x(q), y(q.High))
		}
	}
}

// settingBand fills what lies between the ends of the intervals of a line.
type settingBand settingLine

// Plot implements the plotter of gonum.
func (b settingBand) Plot(c draw.Canvas, p *gonum.Plot) {
	x, y, points := settingLine(b).pointsOn(c, p)
	points = slices.DeleteFunc(points, func(q SettingPoint) bool { return math.IsNaN(q.Low) || math.IsNaN(q.High) })
	if len(points) < 2 {
		return
	}
	var path vg.Path
	path.Move(vg.Point{X: x(points[0]), Y: y(points[0].Low)})
	for _, q := range points[1:] {
		path.Line(vg.Point{X: x(q), Y: y(q.Low)})
	}
	for _, q := range slices.Backward(points) {
		path.Line(vg.Point{X: x(q), Y: y(q.High)})
	}
	// The first point once more: encode takes a path of four points for a rectangle.
	path.Line(vg.Point{X: x(points[0]), Y: y(points[0].Low)})
	path.Close()
	red, green, blue, _ := b.style.Color.RGBA()
	c.SetColor(color.NRGBA{uint8(red >> 8), uint8(green >> 8), uint8(blue >> 8), 0x2A})
	c.Fill(path)
}
