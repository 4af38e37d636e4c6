package plot

import (
	"fmt"
	"image/color"
	"io"
	"strconv"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/trace"
)

// labelledJobs is the largest number of jobs that are labelled with their ids.
const labelledJobs = 60

// labelSize is the size of the jobs' labels.
const labelSize = 8 * vg.Length(1)

// thinnest is the least width and height of a job's rectangle, in points. A job
// that ended at once, or that has one core of thousands, can so be seen without
// looking large.
const thinnest = 0.2 * vg.Length(1)

// Gantt draws schedules below each other on one time axis: time to the right, node index upwards, every job one
// filled path with a rectangle per block of consecutive nodes. A job that has only some cores of its nodes fills that
// part of each row, beside the jobs it shares them with. A row is one node, on machines of more than 64 nodes
// several. A job has the same colour in all panels: cool when it used CPUs only, warm when it used GPUs, grey when it
// did not complete. Jobs without nodes are not drawn.
//
// The error lists every fault in the schedules.
func Gantt(w io.Writer, schedules ...Schedule) error {
	if err := validateAll(schedules); err != nil {
		return err
	}
	const hues = 4
	index := colourIndex(schedules, hues)
	span := visibleSpan(end(schedules))

	panels := make([]panel, 0, len(schedules))
	for i, s := range schedules {
		xLabel := ""
		if i == len(schedules)-1 {
			xLabel = "time since the first submission"
		}
		ticks, name := nodeAxis(s.Machine)
		p := axes(xLabel, span, name, float64(s.Machine.Nodes), ticks)
		p.Add(gantt{schedule: s, index: index})
		panels = append(panels, panel{plot: p, title: s.Name, note: makespanNote(s)})
	}
	panels[0].legend = familyLegend(schedules)
	height := vg.Length(300)
	if len(schedules) > 1 {
		height = 225
	}
	return figure(w, "Gantt chart, nodes by time: "+policies(schedules), height, 1, panels)
}

// makespanNote says how many jobs ran and when the last one ended.
func makespanNote(s Schedule) string {
	return fmt.Sprintf("%s, makespan %s", text.Plural(len(s.Jobs), "job"), text.Duration(end([]Schedule{s})))
}

// familyLegend has an entry for each family among the jobs drawn.
func familyLegend(schedules []Schedule) []legendEntry {
	present := make(map[familyIndex]bool)
	for _, s := range schedules {
		for _, j := range s.Jobs {
			if j.Started() {
				present[familyOf(j)] = true
			}
		}
	}
	var out []legendEntry
	for _, f := range []familyIndex{cpuJob, gpuJob, failedJob} {
		if present[f] {
			out = append(out, legendEntry{label: f.label(), swatches: f.hues()})
		}
	}
	return out
}

// gantt is the plotter of one schedule.
type gantt struct {
	schedule Schedule
	index    map[int]int
}

// Plot implements the plotter of gonum.
func (g gantt) Plot(c draw.Canvas, p *gonum.Plot) {
	c.SetColor(color.NRGBA{0xF1, 0xF2, 0xF4, 0xFF})
	c.Fill(c.Path())

	filled := stripes(g.schedule.Machine, g.schedule.Jobs, maxRows)
	for _, j := range byStart(g.schedule.Jobs) {
		x0, x1 := g.extent(c, p, j)
		var path vg.Path
		for _, s := range filled[j.ID] {
			y0, y1 := round(c.Y(p.Y.Norm(s.lo))), round(c.Y(p.Y.Norm(s.hi)))
			path = rectangle(path, x0, y0, x1, max(y1, y0+thinnest))
		}
		if len(path) > 0 {
			c.SetColor(g.colour(j))
			c.Fill(path)
		}
	}

	makespan := c.X(p.X.Norm(end([]Schedule{g.schedule})))
	c.StrokeLine2(draw.LineStyle{Color: ink(), Width: 0.9, Dashes: []vg.Length{3, 2}},
		makespan, c.Min.Y, makespan, c.Max.Y)
	if len(g.schedule.Jobs) <= labelledJobs {
		g.labels(c, p)
	}
}

// extent is the job's range on the time axis.
func (g gantt) extent(c draw.Canvas, p *gonum.Plot, j trace.FinishedJob) (x0, x1 vg.Length) {
	x0, x1 = round(c.X(p.X.Norm(j.Start))), round(c.X(p.X.Norm(j.Finish)))
	return x0, max(x1, x0+thinnest)
}

func (g gantt) colour(j trace.FinishedJob) color.NRGBA {
	hues := familyOf(j).hues()
	return hues[g.index[j.ID]%len(hues)]
}

// labels writes "J" and the job's id on the largest block of each job where
// there is room for it, later jobs giving way to earlier ones.
func (g gantt) labels(c draw.Canvas, p *gonum.Plot) {
	var placed []vg.Rectangle
	for _, j := range byStart(g.schedule.Jobs) {
		largest := block{0, -1}
		for _, b := range blocks(j.Allocated) {
			if b.last-b.first > largest.last-largest.first {
				largest = b
			}
		}
		x0, x1 := g.extent(c, p, j)
		y0, y1 := c.Y(p.Y.Norm(float64(largest.first))), c.Y(p.Y.Norm(float64(largest.last+1)))
		r := vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
		if box, fits := labelBox(r, jobLabel(j)); fits && !overlapsAny(box, placed) {
			placed = append(placed, box)
			drawLabel(c, box, jobLabel(j))
		}
	}
}

func overlapsAny(box vg.Rectangle, others []vg.Rectangle) bool {
	for _, o := range others {
		if box.Min.X < o.Max.X && o.Min.X < box.Max.X && box.Min.Y < o.Max.Y && o.Min.Y < box.Max.Y {
			return true
		}
	}
	return false
}

func jobLabel(j trace.FinishedJob) string { return "J" + strconv.Itoa(j.ID) }

// labelBox is the box of a label in the middle of r; false where there is no
// room for it.
func labelBox(r vg.Rectangle, text string) (vg.Rectangle, bool) {
	style := textStyle(labelSize)
	width, height := style.Width(text)+6, style.Height("J0")+1
	if r.Max.X-r.Min.X < width+2 || r.Max.Y-r.Min.Y < height+2 {
		return vg.Rectangle{}, false
	}
	x, y := (r.Min.X+r.Max.X)/2, (r.Min.Y+r.Max.Y)/2
	return vg.Rectangle{Min: vg.Point{X: x - width/2, Y: y - height/2}, Max: vg.Point{X: x + width/2, Y: y + height/2}}, true
}

// drawLabel writes the text on white into its box.
func drawLabel(c draw.Canvas, box vg.Rectangle, text string) {
	style := textStyle(labelSize)
	style.XAlign = draw.XCenter
	c.SetColor(color.NRGBA{0xFF, 0xFF, 0xFF, 0xDD})
	c.Fill(rectangle(nil, box.Min.X, box.Min.Y, box.Max.X, box.Max.Y))
	// Half the height of a capital below the middle.
	c.FillText(style, vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y+box.Max.Y)/2 - 2.9}, text)
}
