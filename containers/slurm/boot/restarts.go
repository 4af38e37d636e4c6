package boot

import "time"

// Restart is a daemon that died and serves again.
type Restart struct {
	Daemon string `json:"daemon"`
	// How it died: "exit status 1" or "signal: killed".
	How string `json:"how"`
	// Died is virtual.
	Died time.Time `json:"died"`
	// Outage is the real time from its death until it served again, Virtual the virtual
	// time.
	Outage  time.Duration `json:"outage_ns"`
	Virtual time.Duration `json:"virtual_outage_ns"`
}

// mostDeaths of one daemon within deathWindow of real time are mishaps; one more is a
// crash loop, which no restart ends.
const (
	mostDeaths  = 5
	deathWindow = 10 * time.Minute
)

// deaths are the real times at which one daemon died, the last ones.
type deaths []time.Time

// loop adds a death and says whether it makes a crash loop.
func (d *deaths) loop(now time.Time) bool {
	recent := (*d)[:0]
	for _, at := range *d {
		if now.Sub(at) < deathWindow {
			recent = append(recent, at)
		}
	}
	*d = append(recent, now)
	return len(*d) > mostDeaths
}
