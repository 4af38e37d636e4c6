package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// eventsFile is the value of --events, empty for none.
type eventsFile string

func (e *eventsFile) flag(cmd *cobra.Command) {
	under(cmd, headJobs, func(f *pflag.FlagSet) {
		f.StringVar((*string)(e), "events", "", "CSV file of nodes that go down, are drained and come back, and of settings that change (docs/events.md)")
	})
	completeFlag(cmd, "events", ofFiles(".csv"))
}

// load reads the file for a machine.
func (e eventsFile) load(m workloads.Machine) ([]events.Event, error) {
	if e == "" {
		return nil, nil
	}
	if err := checkDash("events", string(e)); err != nil {
		return nil, err
	}
	return events.ReadFile(string(e), m)
}

// check refuses kinds of cluster on which no events can happen.
func (e eventsFile) check(all ...kindFlags) error {
	var faults []error
	for _, k := range all {
		if e != "" {
			faults = append(faults, backend.All().CheckEvents(k.slurm))
		}
	}
	return errors.Join(faults...)
}
