package serve

import (
	"math"

	"github.com/slurmlab/slurmlab/results/trace"
)

// turn is what the cycles of an agent say of a job: the same outcome with the same reason, in cycles that follow
// each other among those that name the job.
type turn struct {
	What   string  `json:"what"`
	Why    string  `json:"why,omitempty"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Cycles int     `json:"cycles"`
}

// turnsOf are the turns of each job, by its id. What is said of a loser is not in cycles.jsonl; explanations
// have it.
func turnsOf(jobs []trace.FinishedJob, cycles []trace.Cycle) map[int][]turn {
	// Cycles count from the start of the run, the page from the first submission.
	first := math.Inf(1)
	for _, j := range jobs {
		first = min(first, float64(j.Arrival)-j.Submit)
	}
	of := map[int][]turn{}
	for _, c := range cycles {
		at := c.Time - first
		add := func(job int, what, why string) {
			turns := of[job]
			if n := len(turns); n > 0 && turns[n-1].What == what && turns[n-1].Why == why {
				turns[n-1].To, turns[n-1].Cycles = at, turns[n-1].Cycles+1
				return
			}
			of[job] = append(turns, turn{What: what, Why: why, From: at, To: at, Cycles: 1})
		}
		for _, r := range c.Released {
			what := "won"
			// F is the class of programs without bids.
			if r.Class != "" && r.Class != "F" {
				what += " with a bid of class " + r.Class
			}
			add(r.Job, what, "")
		}
		for _, list := range []struct {
			what string
			of   []trace.Refusal
		}{
			{"won, refused by Slurm", c.Refused}, {"won, left for a later cycle", c.Deferred},
			{"did not start in time, held again", c.Reheld}, {"cannot be scheduled", c.Unplaced}, {"narrowed", c.Narrowed},
		} {
			for _, r := range list.of {
				add(r.Job, list.what, r.Reason)
			}
		}
	}
	return of
}
