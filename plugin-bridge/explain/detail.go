package explain

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/plugin-bridge/backfill"
	"github.com/slurmlab/slurmlab/plugin-bridge/bidding"
	"github.com/slurmlab/slurmlab/plugin-bridge/machine"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver/packing"
	"github.com/slurmlab/slurmlab/slurmctl/values"
)

// resolution is bf_resolution of the slurm.conf in the image.
const resolution = time.Minute

// dearest is the number of rows that a bid lists.
const dearest = 3

// detail adds what takes time: prices, the count of bids dropped, and the model of
// backfill.
func (x *scene) detail() {
	if x.job < 0 || x.cycle.Outcome == Outside {
		return
	}
	x.cycle.Dropped = x.dropped()
	x.prices()
	s := x.entry.Snapshot
	x.cycle.Backfill = model(backfill.State{
		Now: s.Now, Nodes: s.Nodes, Running: x.entry.Running, Queue: s.Jobs, Licences: s.Licences,
	}, x.job)
}

// rounding is the error of sums of prices: a bid whose reduced value is no more than
// this below the best one of its job counts as one of the best.
const rounding = 1e-9

// prices adds to each bid of the job what it would pay for all that it takes.
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
	first := slices.IndexFunc(x.result.Bids, func(b bidding.Bid) bool { return b.Job == x.job })
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
				b.Dearest = append(b.Dearest, Priced{rowText(row), paid})
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
func rowText(r auction.Constraint) string {
	switch r.Kind {
	case auction.CoresRow:
		return "cores of " + r.Of
	case auction.GPUsRow:
		return "GPUs of " + r.Of
	case auction.MemoryRow:
		return "memory of " + r.Of
	case auction.LicencesRow:
		return "licences of " + r.Of
	case auction.ReservedCoresRow:
		return fmt.Sprintf("cores of %s kept for job %d", r.Of, r.Job)
	case auction.ReservedGPUsRow:
		return fmt.Sprintf("GPUs of %s kept for job %d", r.Of, r.Job)
	case auction.ReservedMemoryRow:
		return fmt.Sprintf("memory of %s kept for job %d", r.Of, r.Job)
	default:
		return r.Name()
	}
}

// model says when and where two kinds of backfill would start a job of the queue,
// by its index.
func model(s backfill.State, job int) []Backfill {
	var all []Backfill
	ignored := ""
	switch o := s.Queue[job].Options; {
	case len(o.Barred) > 0:
		ignored = "the ends of Slurm's reservations"
	case o.Switches > 0:
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
		b.Nodes = values.CompressHosts(machine.Names(s.Nodes, start.Nodes))
		all = append(all, b)
	}
	return all
}
