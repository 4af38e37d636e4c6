package boot

import (
	"context"
	"errors"
	"fmt"

	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// Settings are the lines of slurm.conf of a policy, as the booted Slurm has them.
type Settings struct {
	// Effective are the values as "scontrol show config" shows them, by key.
	Effective map[string]string `json:"effective,omitempty"`
	// Notes are sentences on values that differ from the policy's.
	Notes []string `json:"notes,omitempty"`
}

// readSettings holds lines of slurm.conf against what "scontrol show config" printed. A line that
// came to nothing is an error.
func readSettings(lines conf.Lines, shown string) (Settings, error) {
	effective, differences := conf.CompareLines(lines, conf.Shown(shown))
	found := Settings{Effective: effective}
	var missing []error
	for _, d := range differences {
		if d.Missing() {
			missing = append(missing, errors.New(d.String()))
			continue
		}
		found.Notes = append(found.Notes, d.String()+".")
	}
	return found, errors.Join(missing...)
}

// checkSettings asks the Slurm that serves for the settings of the policy: Slurm leaves out some
// lines, and changes others, with a word in its log at most.
func (c *Daemons) checkSettings(ctx context.Context) error {
	var notes []string
	if c.State.Spec.WeightsIdle() {
		notes = append(notes, fmt.Sprintf("priority_weights of the machine have no effect where the order of the queue is %s; --set priority=multifactor has them.", c.State.Spec.Priority))
	}
	if c.State.Spec.UsageIdle() {
		notes = append(notes, "usage of the machine's users has no effect where fair share has no weight; PriorityWeightFairshare under --set priority=multifactor gives it one.")
	}
	if len(notes) > 0 {
		if err := c.update(func(s *State) { s.Settings.Notes = append(s.Settings.Notes, notes...) }); err != nil {
			return err
		}
	}
	lines := c.State.Spec.Scheduler.Asked(c.State.Spec.Priority)
	if len(lines) == 0 {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, askLimit)
	defer done()
	out, err := c.command(ctx, "scontrol", "show", "config").Output()
	if err != nil {
		return fmt.Errorf("ask Slurm for its configuration: %w", err)
	}
	found, err := readSettings(lines, string(out))
	if err != nil {
		return err
	}
	return c.update(func(s *State) {
		found.Notes = append(s.Settings.Notes, found.Notes...)
		s.Settings = found
	})
}
