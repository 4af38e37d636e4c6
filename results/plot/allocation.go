package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Allocation draws which job has which nodes and cores at some instants, a panel per instant and schedule, as
// AUCSCHED figures 4 and 5 do. The node index goes to the right, cores of each node upwards; the schedules of an
// instant stand below each other. The jobs of a node are stacked in the order of their starts, in the colours of
// Gantt. Slurm's accounting does not say which cores of a node a job has, nor how many; the picture shows an even
// share (metric.EvenShare).
//
// The error lists every fault in the schedules, and instants that are no numbers.
func Allocation(w io.Writer, instants []float64, schedules ...Schedule) error {
	if err := validateAll(schedules); err != nil {
		return err
	}
	if len(instants) == 0 {
		return errors.New("draw allocation: no instant given")
	}
	const hues = 4
	index := colourIndex(schedules, hues)
	var panels []panel
	name := ""
	for _, at := range instants {
		if math.IsNaN(at) || math.IsInf(at, 0) {
			return fmt.Errorf("draw allocation: instant %g is not finite", at)
		}
		for _, s := range schedules {
			a := newAllocation(s, at, index)
			p := axes("", float64(s.Machine.Nodes), "cores", float64(s.Machine.Cores), evenTicks(float64(s.Machine.Cores), 6, []float64{1, 2, 3, 4, 6, 12}, 1))
			p.X.Tick.Marker, name = nodeAxis(s.Machine)
			p.Add(a)
			panels = append(panels, panel{plot: p, title: s.Name, note: a.note()})
		}
	}
	panels[len(panels)-1].plot.X.Label.Text = name
	panels[0].legend = familyLegend(schedules)
	return figure(w, "Nodes and cores of the running jobs: "+policies(schedules), 110, 1, panels)
}

// Quarters are the instants at a quarter, half and three quarters of the shortest
// schedule, in whole seconds. At each of them every schedule still has jobs that
// run or wait.
func Quarters(schedules ...Schedule) []float64 {
	shortest := math.Inf(1)
	for _, s := range schedules {
		shortest = math.Min(shortest, end([]Schedule{s}))
	}
	return slices.Compact([]float64{math.Floor(shortest / 4), math.Floor(shortest / 2), math.Floor(shortest * 3 / 4)})
}

// edged is the width, in points, from which on a rectangle has an edge.
const edged = 3 * vg.Length(1)

// allocation is the plotter of a schedule at an instant.
type allocation struct {
	schedule Schedule
	at       float64
	running  []trace.FinishedJob
	index    map[int]int
	// levels has for each running job, node by node, where its cores begin and
	// end.
	levels [][]span
}

func newAllocation(s Schedule, at float64, index map[int]int) allocation {
	a := allocation{schedule: s, at: at, index: index}
	height, sizes := make([]int, s.Machine.Nodes), s.Machine.Sizes()
	for _, j := range byStart(s.Jobs) {
		if !j.Started() || j.Start > at || at >= j.Finish {
			continue
		}
		levels := make([]span, len(j.Allocated))
		for i, cores := range metric.EvenShare(j.AllocCores, j.Allocated, sizes) {
			n := j.Allocated[i]
			low := height[n]
			height[n] = min(sizes[n].Cores, low+cores)
			levels[i] = span{float64(low), float64(height[n])}
		}
		a.running, a.levels = append(a.running, j), append(a.levels, levels)
	}
	return a
}

// note says when, how many jobs run, how full the machine is and how many wait.
func (a allocation) note() string {
	waiting, cores := 0, 0
	for _, j := range a.schedule.Jobs {
		if j.Submit <= a.at && (j.Started() && a.at < j.Start || !j.Started() && a.at < j.Finish) {
			waiting++
		}
	}
	for _, j := range a.running {
		cores += j.AllocCores
	}
	m := a.schedule.Machine
	return fmt.Sprintf("after %s: %s running on %.0f %% of the cores, %d waiting", text.Duration(a.at), text.Plural(len(a.running), "job"),
		100*float64(cores)/float64(m.AllCores()), waiting)
}

// Plot implements the plotter of gonum. Neighbouring nodes of a job at the same
// height are one rectangle.
func (a allocation) Plot(c draw.Canvas, p *gonum.Plot) {
	c.SetColor(color.NRGBA{0xF1, 0xF2, 0xF4, 0xFF})
	c.Fill(c.Path())
	for k, j := range a.running {
		var path, edges vg.Path
		var widest vg.Rectangle
		for first := 0; first < len(j.Allocated); {
			last := first
			for last+1 < len(j.Allocated) && j.Allocated[last+1] == j.Allocated[last]+1 && a.levels[k][last+1] == a.levels[k][first] {
				last++
			}
			r := vg.Rectangle{
				Min: vg.Point{X: round(c.X(p.X.Norm(float64(j.Allocated[first])))), Y: round(c.Y(p.Y.Norm(a.levels[k][first].lo)))},
				Max: vg.Point{X: round(c.X(p.X.Norm(float64(j.Allocated[last] + 1)))), Y: round(c.Y(p.Y.Norm(a.levels[k][first].hi)))},
			}
			path = rectangle(path, r.Min.X, r.Min.Y, max(r.Max.X, r.Min.X+thinnest), r.Max.Y)
			if r.Max.X-r.Min.X > edged {
				edges = rectangle(edges, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
			}
			if r.Max.X-r.Min.X > widest.Max.X-widest.Min.X {
				widest = r
			}
			first = last + 1
		}
		hues := familyOf(j).hues()
		c.SetColor(hues[a.index[j.ID]%len(hues)])
		c.Fill(path)
		// A thin edge keeps neighbours of one colour apart.
		c.SetLineStyle(draw.LineStyle{Color: color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}, Width: 0.3})
		if len(edges) > 0 {
			c.Stroke(edges)
		}
		if box, fits := labelBox(widest, jobLabel(j)); fits {
			drawLabel(c, box, jobLabel(j))
		}
	}
}
