package plot

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/slurmlab/slurmlab/results/metric"
)

// WaitingBySize draws for each class of job sizes a box of the waiting times per
// schedule, as IPSCHED figure 3b compares the sizes of its benchmark. A size is
// the cores asked for as part of the machine, in the classes of
// metric.SizeClass, smallest first; under it stands how many jobs started.
// Of machines that differ in size the first one counts, so that a job is in one
// class in all schedules.
//
// The error lists every fault in the schedules.
func WaitingBySize(w io.Writer, schedules ...Schedule) error {
	if err := validateAll(schedules); err != nil {
		return err
	}
	m := schedules[0].Machine
	waits, ranks := map[int][][]float64{}, map[int]string{}
	longest := 0.0
	of := "the machine"
	for i, s := range schedules {
		if s.Machine.AllCores() != m.AllCores() {
			of = "machine " + m.Name
		}
		for _, j := range s.Jobs {
			if !j.Counted() {
				continue
			}
			rank, name := metric.SizeClass(m, j.Job)
			if ranks[rank] = name; waits[rank] == nil {
				waits[rank] = make([][]float64, len(schedules))
			}
			waits[rank][i] = append(waits[rank][i], j.TotalWait())
			longest = math.Max(longest, j.TotalWait())
		}
	}
	var order []int
	for rank := range ranks {
		order = append(order, rank)
	}
	slices.Sort(order)
	var names []string
	for _, rank := range order {
		names = append(names, fmt.Sprintf("%s (%d)", ranks[rank], len(slices.MaxFunc(waits[rank], func(a, b []float64) int { return len(a) - len(b) }))))
	}
	top := visibleSpan(longest * 1.04)
	unit := unitFor(top)
	p := categories(names, "cores asked for, as part of "+of+" (jobs)", "waiting time ["+unit.name+"]", 0, top, unit.ticks(top, 6))
	p.Add(grid{levelsOnly: true})
	width := 0.7 / float64(len(schedules))
	for k, rank := range order {
		for i, values := range waits[rank] {
			at := float64(k) + (float64(i)-float64(len(schedules)-1)/2)*width
			p.Add(box{x: at, width: 0.8 * width, values: values, colour: boxColour(i)})
		}
	}
	labels := make([]string, len(schedules))
	for i, s := range schedules {
		labels[i] = s.Name
	}
	sizes := panel{plot: p, title: "Waiting time by job size", note: "box: middle half, line: median, whiskers: all", legend: boxLegend(labels)}
	return figure(w, "Waiting time by job size: "+policies(schedules), vg.Length(230), 1, []panel{sizes})
}
