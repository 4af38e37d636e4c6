package plot

import (
	"fmt"
	"image/color"
)

// Bar is a job in a Gantt chart that somebody else draws, at any size.
type Bar struct {
	// Rects are the parts of the axis of nodes that the job fills from its start to its finish, as pairs from and to,
	// ascending. Node i has the part from i to i+1. They are nil for a job without nodes.
	Rects [][2]float64
	// Colour is an index into the colours of Palette.
	Colour int
}

// Palette are the colours of jobs, family by family.
func Palette() []Family {
	var families []Family
	for _, f := range []familyIndex{cpuJob, gpuJob, failedJob} {
		named := Family{Label: f.label()}
		for _, c := range f.hues() {
			named.Colours = append(named.Colours, css(c))
		}
		families = append(families, named)
	}
	return families
}

// Family is a kind of jobs with its colours, "#rrggbb" each.
type Family struct {
	Label   string   `json:"label"`
	Colours []string `json:"colours"`
}

// LineColours are the colours of the lines of several schedules in one picture.
func LineColours() []string {
	var colours []string
	for _, c := range lineColours() {
		colours = append(colours, css(c))
	}
	return colours
}

func css(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Bars lays out a schedule as Gantt does, but with a row for each node, and returns the
// bar of each job, in the order of the jobs. The error lists every fault of the schedule.
func Bars(s Schedule) ([]Bar, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	hues := len(cpuJob.hues())
	index := colourIndex([]Schedule{s}, hues)
	filled := stripes(s.Machine, s.Jobs, s.Machine.Nodes)
	bars := make([]Bar, len(s.Jobs))
	for i, j := range s.Jobs {
		f := familyOf(j)
		for before := range f {
			bars[i].Colour += len(before.hues())
		}
		bars[i].Colour += index[j.ID] % len(f.hues())
		for _, part := range filled[j.ID] {
			bars[i].Rects = append(bars[i].Rects, [2]float64{part.lo, part.hi})
		}
	}
	return bars, nil
}
