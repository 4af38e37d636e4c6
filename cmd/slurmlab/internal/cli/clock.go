package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/clock"
)

// clockFlags are the flags that choose a clock.
type clockFlags struct {
	kind       string
	timeScale  float64
	thinkScale float64
	start      string
	changed    func(name string) bool
}

// defaultTimeScale is a time scale at which Slurm still schedules much as in real
// time (docs/design/003).
const defaultTimeScale = 20

func (c *clockFlags) flags(cmd *cobra.Command, kind clock.Kind) {
	declare(cmd, headClock,
		flag("clock", &c.kind, string(kind), "virtual time: "+alternatives(clock.Kinds())).completes(ofChoices(clock.Kinds()...)),
		flag("time-scale", &c.timeScale, defaultTimeScale, "clock scaled: virtual seconds per real second"),
		flag("think-scale", &c.thinkScale, 1, "clock jump: speed of the emulated cluster's processors, this machine's is 1"),
		flag("start", &c.start, clock.DefaultStart().Format(time.RFC3339), "clock jump: virtual date and time of the start"),
	)
	c.changed = cmd.Flags().Changed
}

// settings checks the flags together: one that the chosen clock does not take
// is a fault and not ignored.
func (c *clockFlags) settings() (clock.Settings, error) {
	s := clock.Settings{Kind: clock.Kind(c.kind), TimeScale: 1, ThinkScale: 1}
	var faults []error
	taken := map[string]clock.Kind{"time-scale": clock.KindScaled, "think-scale": clock.KindJump, "start": clock.KindJump}
	for _, name := range []string{"time-scale", "think-scale", "start"} {
		if c.changed(name) && s.Kind != taken[name] {
			faults = append(faults, fmt.Errorf("%s: clock %s does not take it, only clock %s does", name, s.Kind, taken[name]))
		}
	}
	switch s.Kind {
	case clock.KindScaled:
		s.TimeScale = c.timeScale
	case clock.KindJump:
		s.ThinkScale = c.thinkScale
		start, err := time.Parse(time.RFC3339, c.start)
		if err != nil {
			faults = append(faults, fmt.Errorf("start: %q is not allowed, want a date and time such as %s",
				c.start, clock.DefaultStart().Format(time.RFC3339)))
		}
		s.Start = start.UTC()
	}
	if len(faults) == 0 {
		faults = append(faults, s.Validate())
	}
	return s, errors.Join(faults...)
}
