package metric

import "github.com/slurmlab/slurmlab/results/trace"

// CycleTotals is what the agent's passes of a run add up to.
type CycleTotals struct {
	Released, Deferred, BidsCut int
	// Failures counts the cycles whose solver was lost or failed, Causes the same by
	// cause.
	Failures        int
	Causes          map[string]int
	Refused, Reheld []trace.Refusal
	// Faults counts what the program of a policy "exec:FILE" or "host:FILE" did wrong, by kind. Restarts
	// is how often it was started again, InOrder the number of cycles that started jobs in
	// the order of the queue without it.
	Faults            map[string]int
	Restarts, InOrder int
	Mismatches        []Mismatch
}

// Mismatch is a job that Slurm placed elsewhere than planned, and the cycle that
// found this out.
type Mismatch struct {
	Cycle int
	trace.Placement
}

// inOrder is the status of a cycle that started jobs without the program.
const inOrder = "in_order"

// TotalCycles adds up the cycles of a run.
func TotalCycles(cycles []trace.Cycle) CycleTotals {
	t := CycleTotals{Causes: map[string]int{}, Faults: map[string]int{}}
	for _, c := range cycles {
		t.Released += len(c.Released)
		t.Deferred += len(c.Deferred)
		t.BidsCut += c.BidsCut
		if c.SolverCause != "" {
			t.Failures++
			t.Causes[c.SolverCause]++
		}
		if p := c.Program; p != nil {
			t.Restarts = p.Starts - 1
			for _, f := range p.Faults {
				t.Faults[f.Kind]++
			}
			if c.Solver == inOrder {
				t.InOrder++
			}
		}
		t.Refused = append(t.Refused, c.Refused...)
		t.Reheld = append(t.Reheld, c.Reheld...)
		for _, p := range c.Checked {
			if !p.Exact {
				t.Mismatches = append(t.Mismatches, Mismatch{c.Cycle, p})
			}
		}
	}
	return t
}

// Reasons counts refusals by their reason.
func Reasons(refusals []trace.Refusal) map[string]int {
	out := make(map[string]int)
	for _, r := range refusals {
		out[r.Reason]++
	}
	return out
}
