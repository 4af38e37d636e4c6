package cli

import (
	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// eventsFile is the value of --events, empty for none.
type eventsFile string

func (e *eventsFile) flag(cmd *cobra.Command) {
	declare(cmd, headJobs, flag("events", (*string)(e), "", "CSV file of nodes that go down, are drained and come back, and of settings that change (docs/events.md)").completes(ofFiles(".csv")))
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
