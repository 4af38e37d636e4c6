package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/packing"
	"github.com/slurmlab/slurmlab/slurmctl/hostlist"
)

// resolution is bf_resolution of our slurm.conf.
const resolution = time.Minute

// dearest is the number of rows that a bid lists.
const dearest = 3

// detail adds what takes time: prices, the count of bids cut, and the model of
// backfill.
func (x *scene) detail() {
	if x.job < 0 || x.cycle.Outcome == Outside {
		return
	}
	x.cycle.Cut = auction.Cut(x.entry.Snapshot, x.entry.Options)[x.job]
	x.prices()
	s := x.entry.Snapshot
	x.cycle.Backfill = model(backfill.State{
		Now: x.entry.Time, Nodes: s.Nodes, Running: x.entry.Running, Queue: s.Jobs, Licences: s.Licences,
	}, x.job)
}

// rounding is what sums of prices lose; a bid so close to its job's best is one of
// the best.
const rounding = 1e-9

// prices prices the job's bids.
func (x *scene) prices() {
	if len(x.cycle.Bids) == 0 {
		return
	}
	p, value := x.result.Problem, x.result.Assignment.Objective
	prices := packing.NewPrices(p, value)
	x.cycle.Relaxed = &Relaxed{Bound: prices.Bound, Value: value}
	if value > 0 {
		x.cycle.Relaxed.Gap = max(0, prices.Bound-value) / value
	}
	first := slices.IndexFunc(x.result.Bids, func(b auction.Bid) bool { return b.Job == x.job })
	for k := range x.cycle.Bids {
		if reduced := prices.Reduced[first+k]; reduced < -rounding {
			x.cycle.Bids[k].Reduced = reduced
		}
	}
	for r, row := range p.Rows {
		if prices.Rows[r] == 0 {
			continue
		}
		for t, column := range row.Columns {
			if k := column - first; k >= 0 && k < len(x.cycle.Bids) {
				paid := prices.Rows[r] * float64(row.Coefficients[t])
				b := &x.cycle.Bids[k]
				b.Price += paid
				b.Dearest = append(b.Dearest, Priced{rowText(row.Name), paid})
			}
		}
	}
	for k := range x.cycle.Bids {
		b := &x.cycle.Bids[k]
		slices.SortStableFunc(b.Dearest, func(a, b Priced) int { return cmp.Compare(b.Price, a.Price) })
		b.Dearest = b.Dearest[:min(dearest, len(b.Dearest))]
	}
}

// rowText says what a row of auction.Formulate is about.
func rowText(name string) string {
	equation, of, _ := strings.Cut(name, " ")
	switch equation {
	case "(3)":
		return "cores of " + of
	case "(4)":
		return "GPUs of " + of
	default:
		return strings.Trim(equation, "()") + " of " + of
	}
}

// model plans the queue up to a job, by its index.
func model(s backfill.State, job int) []Backfill {
	var all []Backfill
	ignored := ""
	if s.Queue[job].Options.Switches > 0 {
		ignored = "--switches"
	}
	for _, m := range []struct {
		name         string
		reservations int
	}{{"conservative", 0}, {"easy", 1}} {
		starts := backfill.Plan(s, backfill.Options{Reservations: m.reservations, Resolution: resolution}, job+1)
		start := starts[job]
		b := Backfill{Model: m.name, Ignores: ignored, Time: s.Now.Seconds(), After: start.After, Behind: start.Behind}
		if !start.Never {
			at := start.At.Seconds()
			b.Start = &at
		}
		names := make([]string, len(start.Nodes))
		for i, n := range start.Nodes {
			names[i] = s.Nodes[n].Name
		}
		b.Nodes = hostlist.Compress(names)
		all = append(all, b)
	}
	return all
}
