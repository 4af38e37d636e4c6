package cli

import (
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// eventsFile is the value of --events, empty for none.
type eventsFile string

// eventsHelp is the help of each flag --events.
const eventsHelp = "CSV file of nodes that go down, are drained and come back, and of settings and limits that change (docs/events.md)"

func (e *eventsFile) flag() flagSpec {
	return flag("events", (*string)(e), "", eventsHelp).completes(ofFiles(".csv"))
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
