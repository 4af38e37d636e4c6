package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// leaveDown takes the nodes that are out of service from the machine, as the record of outages says when nodes are.
func (f *siteMachine) leaveDown(record string) {
	var lists []string
	for _, d := range f.machine.Layout.Down {
		lists = append(lists, d.Nodes)
	}
	if len(lists) == 0 {
		return
	}
	f.machine.Layout.Down = nil
	f.ofMachine = append(f.ofMachine, fmt.Sprintf("down_nodes left out (%s): %s says when nodes are out of service", strings.Join(lists, ","), filepath.Base(record)))
}

// twinScript runs the first day of the study under the site's scheduler and compares it with the record. Recorded outages
// happen in the run.
func (i starting) twinScript(s *State, dump string, of campaign.Starter, outages site.File) (string, error) {
	day, err := time.Parse(time.DateOnly, of.Days()[0])
	if err != nil {
		return "", err
	}
	next := day.AddDate(0, 0, 1)
	begins, err := i.twinBegins(s, dump, of.Machine, day, next)
	if err != nil {
		return "", err
	}
	skip := ""
	if i.skipBad {
		skip = " --skip-bad"
	}
	record, made, asked := "", "", ""
	if outages.Name != "" {
		found, err := events.Import(strings.NewReader(outages.Text), outages.Name, of.Machine, events.Options{From: begins, SkipBad: i.skipBad})
		if err != nil {
			return "", err
		}
		record = fmt.Sprintf("\n# %s has no outage from its beginning on.", of.Events)
		if len(found.Events) > 0 {
			// The twin has what happened after the day as well: its last jobs met it.
			record, asked = "\n# Recorded outages happen; the run begins a minute before its window.", " --events twin-check-events.csv"
			made = fmt.Sprintf("slurmlab machine events %s --machine %s --from %s%s --out twin-check-events.csv\n",
				text.ShellWord(of.Events), of.MachineFile, begins.Format("2006-01-02T15:04:05"), skip)
		}
	}
	return fmt.Sprintf(`#!/bin/sh
# Runs the jobs of %[1]s under the site's own scheduler, and compares their waits with the record's.%[2]s
set -eu
cd "$(dirname "$0")"
rm -rf twin-check twin-check.csv twin-check-events.csv
slurmlab workload import %[3]s --format sacct --machine %[4]s --from %[1]s --until %[5]s --keep-state%[6]s --out twin-check.csv
%[7]sslurmlab run --machine %[4]s --workload twin-check.csv --policy-file %[8]s --policy site%[9]s --out twin-check "$@"
slurmlab twin check twin-check %[3]s --format sacct
`, day.Format(time.DateOnly), record, text.ShellWord(of.Trace), of.MachineFile, next.Format(time.DateOnly), skip, made, of.PolicyFile, asked), nil
}

// twinBegins is when the run of a day begins: before the day, or before the first job of a record that begins later.
func (i starting) twinBegins(s *State, dump string, m workloads.Machine, day, next time.Time) (time.Time, error) {
	summary, err := interchange.Import(traceSource(s, dump), "sacct", io.Discard, interchange.ImportOptions{
		Machine: m, KeepState: true, SkipBad: i.skipBad,
		Rescale: interchange.Rescale{From: interchange.Moment{Date: day}, Until: interchange.Moment{Date: next}, SizeFactor: 1, ArrivalFactor: 1},
	})
	return day.Add(time.Duration(summary.Began)*time.Second - workloads.HeadStart*time.Second), err
}
