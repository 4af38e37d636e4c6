package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
)

// eventsImport is what "machine events" is asked for.
type eventsImport struct {
	machine, out string
	from, until  interchange.Moment
	skipBad      bool
}

func machineEventsCommand(s *State) *cobra.Command {
	var r eventsImport
	cmd := &cobra.Command{
		Use:   "events FILE",
		Short: "Make a file of events of a cluster's record of its nodes",
		Long: `Reads what "sacctmgr -P show event" printed of a cluster and writes a file of
events for runs (--events): when nodes went down or were drained, and when they
came back. The machine file has to say what the nodes are called at the site
(key hosts), as one of "slurmlab machine import" does.

--from is the beginning of the run: the --from of "slurmlab workload import", or
the Submit of the first job; with --keep-state a minute earlier. What had begun
before happens in the first second. Nodes that the machine does not have, and
states that keep no job from a node, are counted and left out.`,
		Example: `  sacctmgr -P show event start=2026-03-01 end=2026-03-08 >events.txt
  slurmlab machine events events.txt --machine mine.yaml \
    --from 2026-03-01 --until 2026-03-08 --out events.csv`,
		ValidArgsFunction: ofFiles().first().cobra,
		Args:              cobra.ExactArgs(1),
		RunE:              func(_ *cobra.Command, args []string) error { return r.run(s, args[0]) },
	}
	declare(cmd, headFlags, flag("machine", &r.machine, "", "machine file with the site's names of its nodes (required)").completes(ofMachines()))
	declare(cmd, headFlags, flagOf("from", &moment{&r.from}, "beginning of the run, a date (2026-03-01, 2026-03-01T12:00:00; required)"))
	declare(cmd, headFlags, flagOf("until", &moment{&r.until}, "leave out what happens then or later, a date"))
	declare(cmd, headFlags, flag("skip-bad", &r.skipBad, false, "leave out bad rows and count them"))
	declare(cmd, headResults, flag("out", &r.out, "", "file of events to write (default: standard output)").completes(ofFiles(".csv")))
	return cmd
}

// window is the window of the flags; the error has all their faults.
func (r eventsImport) window() (events.Options, error) {
	var faults []error
	if r.from.Date.IsZero() {
		faults = append(faults, errors.New("from: got no date, allowed the beginning of the run, such as 2026-03-01T12:00:00"))
	}
	switch {
	case r.until == (interchange.Moment{}):
	case r.until.Date.IsZero():
		faults = append(faults, fmt.Errorf("until: got %s, allowed a date such as 2026-03-08", r.until))
	case !r.until.Date.After(r.from.Date):
		faults = append(faults, fmt.Errorf("until: got %s, allowed a date after %s", r.until, r.from))
	}
	return events.Options{From: r.from.Date, Until: r.until.Date, SkipBad: r.skipBad}, errors.Join(faults...)
}

func (r eventsImport) run(s *State, path string) error {
	w, windowErr := r.window()
	m, machineErr := workloads.LoadMachine(r.machine)
	if r.machine == "" {
		machineErr = errors.New(`machine: got "", allowed a machine file whose groups have the key hosts`)
	}
	text, readErr := readSite(path)
	if err := errors.Join(windowErr, machineErr, readErr, checkWorkloadOut(r.out)); err != nil {
		return usage(err)
	}
	found, err := events.Import(strings.NewReader(text), path, m, w)
	switch {
	case err != nil && found.Skipped > 0 && !r.skipBad:
		return usage(errors.Join(err, fmt.Errorf("%s: --skip-bad leaves out the rows with faults (%d) and counts them", path, found.Skipped)))
	case err != nil:
		return usage(err)
	}
	notes := found.Notes(filepath.Base(r.machine), r.from.String())
	if len(found.Events) == 0 {
		return usage(fmt.Errorf("%s: no node was out of service from %s on, so that there is no event to write; %s", path, r.from, strings.Join(notes, "; ")))
	}
	var file bytes.Buffer
	_, _ = fmt.Fprintf(&file, "# made by slurmlab machine events of %s; 0 s is %s\n", filepath.Base(path), r.from)
	// A buffer takes everything.
	_ = events.Write(&file, found.Events)
	if err = writeOut(s, r.out, func(w io.Writer) error { _, wrong := w.Write(file.Bytes()); return wrong }); err != nil {
		return err
	}
	for _, note := range notes {
		if _, err = fmt.Fprintf(s.Stderr, "slurmlab: %s\n", note); err != nil {
			return err
		}
	}
	return nil
}
