package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"regexp"

	xfont "golang.org/x/image/font"
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes of every picture, in points. The width is the text width of a README or a paper.
const (
	figureWidth  = 720 * vg.Length(1)
	titleSize    = 10.5 * vg.Length(1)
	textSize     = 9 * vg.Length(1)
	headerHeight = 21 * vg.Length(1)
	panelGap     = 12 * vg.Length(1)
	margin       = 8 * vg.Length(1)
)

// wider is how many times as wide as measured a text may become where a viewer has none of the
// fonts that encode asks for. DejaVu Sans, which then stands in on most systems, makes the
// names of the scenarios of DJSB 1.15 to 1.19 times as wide as Liberation Sans.
const wider = 1.2

// legendGap is between the entries of a legend.
const legendGap = 14 * vg.Length(1)

// panel is one set of axes with a line above it: a bold title at the left, a
// note beside it and the legend at the right. With inside the legend is a
// column in the lower right corner of the axes.
type panel struct {
	plot   *gonum.Plot
	title  string
	note   string
	legend []legendEntry
	inside bool
}

// legendEntry is a label with either swatches (a family of fills) or a line.
type legendEntry struct {
	label    string
	swatches []color.NRGBA
	line     draw.LineStyle
}

// figure draws panels of equal size below each other, in one or more columns, and
// writes the SVG.
// Description is its accessible name. The bytes depend on the arguments only.
func figure(w io.Writer, description string, panelHeight vg.Length, columns int, panels []panel) error {
	n := vg.Length((len(panels) + columns - 1) / columns)
	height := 2*margin + n*(panelHeight+headerHeight) + (n-1)*panelGap
	canvas := vgsvg.New(figureWidth, height)
	area := draw.New(canvas)
	area.SetColor(color.White)
	area.Fill(area.Path())

	rows := make([][]*gonum.Plot, int(n))
	for i := range rows {
		rows[i] = make([]*gonum.Plot, columns)
	}
	for i, p := range panels {
		rows[i/columns][i%columns] = p.plot
	}
	tiles := draw.Tiles{
		Rows: len(rows), Cols: columns,
		PadTop: margin + headerHeight, PadBottom: margin, PadLeft: margin, PadRight: margin,
		PadX: panelGap, PadY: panelGap + headerHeight,
	}
	canvases := gonum.Align(rows, tiles, area)
	for i, p := range panels {
		c := canvases[i/columns][i%columns]
		p.plot.Draw(c)
		data := p.plot.DataCanvas(c)
		p.drawHeader(data)
		p.drawLegend(data)
	}
	return encode(w, canvas, description)
}

// drawHeader writes the line above the data area.
func (p panel) drawHeader(data draw.Canvas) {
	baseline := data.Max.Y + 7
	bold := textStyle(titleSize)
	bold.Font.Weight = xfont.WeightBold
	data.FillText(bold, vg.Point{X: data.Min.X, Y: baseline}, p.title)
	plain := textStyle(textSize)
	data.FillText(plain, vg.Point{X: data.Min.X + wider*bold.Width(p.title) + 8, Y: baseline}, p.note)
}

func (p panel) drawLegend(data draw.Canvas) {
	if p.inside {
		p.drawLegendInside(data)
		return
	}
	x, baseline := data.Max.X, data.Max.Y+7
	for i := len(p.legend) - 1; i >= 0; i-- {
		x = p.legend[i].draw(data, x, baseline) - legendGap
	}
}

func (p panel) drawLegendInside(data draw.Canvas) {
	const line, gap = 13 * vg.Length(1), 8 * vg.Length(1)
	style := textStyle(textSize)
	widest := vg.Length(0)
	for _, e := range p.legend {
		widest = max(widest, wider*style.Width(e.label))
	}
	right, top := data.Max.X-gap, data.Min.Y+gap+line*vg.Length(len(p.legend))
	data.SetColor(color.NRGBA{0xFF, 0xFF, 0xFF, 0xDD})
	data.Fill(rectangle(nil, right-widest-26, data.Min.Y+gap-4, right+4, top))
	for i, e := range p.legend {
		e.draw(data, right-widest+wider*style.Width(e.label), top-line*vg.Length(i+1))
	}
}

// draw writes the entry so that it ends at x in the widest font, and returns where it begins.
func (e legendEntry) draw(c draw.Canvas, x, baseline vg.Length) vg.Length {
	const side, gap = 8 * vg.Length(1), 4 * vg.Length(1)
	style := textStyle(textSize)
	x -= wider * style.Width(e.label)
	c.FillText(style, vg.Point{X: x, Y: baseline}, e.label)
	x -= gap
	if len(e.swatches) == 0 {
		const length = 18 * vg.Length(1)
		x -= length
		c.StrokeLine2(e.line, x, baseline+3, x+length, baseline+3)
		return x
	}
	x -= side * vg.Length(len(e.swatches))
	for i, s := range e.swatches {
		left := x + side*vg.Length(i)
		c.SetColor(s)
		c.Fill(rectangle(nil, left, baseline-0.5, left+side, baseline-0.5+side))
	}
	return x
}

// textStyle is the one text style of the pictures: dark grey, left aligned on
// its baseline.
func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{
		Color:   ink(),
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign:  draw.XLeft,
		YAlign:  draw.YBottom,
		Handler: gonum.DefaultTextHandler,
	}
}

func ink() color.NRGBA      { return color.NRGBA{0x22, 0x26, 0x2B, 0xFF} }
func hairline() color.NRGBA { return color.NRGBA{0xD9, 0xDC, 0xE0, 0xFF} }

// rectangle appends a closed rectangle to path.
func rectangle(path vg.Path, x0, y0, x1, y1 vg.Length) vg.Path {
	path.Move(vg.Point{X: x0, Y: y0})
	path.Line(vg.Point{X: x1, Y: y0})
	path.Line(vg.Point{X: x1, Y: y1})
	path.Line(vg.Point{X: x0, Y: y1})
	path.Close()
	return path
}

// encode writes the canvas as an SVG document that needs nothing else. It has an accessible name. Where the
// Liberation fonts that were measured are not installed, it asks for fonts of the same widths.
func encode(w io.Writer, canvas *vgsvg.Canvas, description string) error {
	var raw bytes.Buffer
	if _, err := canvas.WriteTo(&raw); err != nil {
		return fmt.Errorf("encode picture: %w", err)
	}
	body := raw.Bytes()
	body = body[bytes.Index(body, []byte("<g transform")):]
	for _, weight := range []string{"normal", "bold"} {
		body = bytes.ReplaceAll(body,
			[]byte(`style="font-family:Liberation Sans;font-variant:normal;font-weight:`+weight+`;font-style:normal;`),
			[]byte(`style="font-weight:`+weight+`;`))
	}

	// Every closed path of four lines is a filled rectangle with sides along the
	// axes. SVG's commands H and V write it in two thirds of the space, and a fill
	// needs no command to close the path.
	body = regexp.MustCompile(`M([\d.]+),([\d.]+)L([\d.]+),[\d.]+L[\d.]+,([\d.]+)L[\d.]+,[\d.]+Z`).
		ReplaceAll(body, []byte("M$1,${2}H${3}V${4}H${1}"))

	var title bytes.Buffer
	if err := xml.EscapeText(&title, []byte(description)); err != nil {
		return fmt.Errorf("encode picture title: %w", err)
	}
	width, height := canvas.Size()
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%gpt" height="%gpt" viewBox="0 0 %g %g" font-family="'Liberation Sans', Arial, Helvetica, sans-serif">
<title>%s</title>
%s`, width.Points(), height.Points(), width.Points(), height.Points(), title.Bytes(), body)
	if err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}
