package trace

import (
	"fmt"
	"math"
)

// Restart is a daemon of the cluster that died during a run and was started again.
type Restart struct {
	Daemon string `json:"daemon"`
	// How it died, "signal: killed" or "exit status 1".
	How string `json:"how"`
	// Time is its death in virtual seconds since the start of the run, below 0 before it.
	Time float64 `json:"time_s"`
	// Seconds are the virtual seconds for which it did not serve, RealSeconds the real
	// ones.
	Seconds     float64 `json:"outage_s"`
	RealSeconds float64 `json:"outage_real_s"`
}

// Text says it in a sentence.
func (r Restart) Text() string {
	when := "after"
	if r.Time < 0 {
		when = "before"
	}
	return fmt.Sprintf("%s died (%s) %.0f s %s the start of the run and was started again; it did not serve for %.1f s of virtual time",
		r.Daemon, r.How, math.Abs(r.Time), when, r.Seconds)
}
