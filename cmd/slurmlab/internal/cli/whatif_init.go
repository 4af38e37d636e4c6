package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/table"
	"github.com/slurmlab/slurmlab/slurmctl/site"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
	"github.com/slurmlab/slurmlab/workloads/interchange"
	"github.com/slurmlab/slurmlab/workloads/records"
)

// The files that "whatif init" writes, beside the record of the jobs.
const (
	starterMachine = "machine.yaml"
	starterPolicy  = "policy.yaml"
	starterStudy   = "whatif.yaml"
	starterTwin    = "twin-check.sh"
)

// starting is what "whatif init" is asked for.
type starting struct {
	out     string
	skipBad bool
}

func whatIfInitCommand(s *State) *cobra.Command {
	var i starting
	cmd := &cobra.Command{
		Use:   "init FILE FILE...",
		Short: "Begin a what-if study from a cluster's own files",
		Long: `Reads the files of a Slurm cluster that "slurmlab machine import" reads, and a
dump of sacct, in any order, and "sacctmgr -P show event", with which outages
happen as recorded. What each file is shows in its text. It writes a new folder
with

  machine.yaml   nodes, partitions, QOS, accounts
  policy.yaml    the scheduler of slurm.conf, as the policy "site"
  the dump of sacct and the record of outages, as they are
  twin-check.sh  runs the record's first day as it was, with its outages, and
                 compares the waits
  whatif.yaml    the study for "slurmlab whatif", with six questions about the
                 parts of the cluster that its record shows to matter: other
                 bf_ parameters, another MaxTime, a GrpTRES limit on a QOS,
                 eight more GPU nodes, half of a type of GPUs drained, and
                 preemption of a scavenger partition

A question that does not apply is left out, and named with the reason. Days are
the last ones of the record, at most seven, that end after the first job of the
record did and have at least half as many jobs as the median day. The others are
named, with the number of their jobs. Change whatif.yaml as you like.

The record needs the times at which jobs were submitted and started, and the
machine all partitions of its jobs. Nothing is written if a file is at fault.`,
		Example: `  slurmlab whatif init slurm.conf gres.conf qos.txt assoc.cfg sacct.txt \
    --out mine
  sh mine/twin-check.sh
  slurmlab whatif mine/whatif.yaml`,
		ValidArgsFunction: ofFiles().cobra,
		Args:              cobra.MinimumNArgs(2),
		RunE:              func(_ *cobra.Command, args []string) error { return i.run(s, args) },
	}
	declare(cmd, headFlags, flag("skip-bad", &i.skipBad, false, "leave out bad records and count them"))
	declare(cmd, headResults, flag("out", &i.out, "", "folder to write, which must not exist (required)").completes(ofFiles()))
	return cmd
}

func (i starting) run(s *State, files []string) error {
	outErr := errors.New("out: got \"\", allowed the name of a new folder")
	if i.out != "" {
		outErr = checkNew(i.out, "folder")
	}
	dump, others, err := recordAmong(s, files)
	if err = errors.Join(outErr, err); err != nil {
		return stoppedOr(err)
	}
	texts, err := readSiteFiles(others)
	if err != nil {
		return usage(err)
	}
	texts, outages, err := outagesAmong(texts)
	if err != nil {
		return usage(err)
	}
	made := "made by slurmlab whatif init of " + strings.Join(baseNames(files), ", ")
	found, err := siteOf(texts, "", site.ReadOptions{Open: readSite}, made)
	if err == nil {
		err = found.takePolicy()
	}
	if err != nil {
		return usage(err)
	}
	if outages.Name != "" {
		found.leaveDown(outages.Name)
	}
	jobs, never, notes, err := i.lived(s, dump, found.machine)
	if err != nil {
		return stoppedOr(err)
	}
	extent, err := interchange.ExtentOf(traceSource(s, dump), "sacct")
	if err != nil {
		return stoppedOr(err)
	}
	starter := campaign.Starter{
		Machine: found.machine, Policy: found.policy, Jobs: jobs, Never: never, Extent: extent,
		MachineFile: starterMachine, PolicyFile: starterPolicy, Trace: freeName(dump, "sacct-"), SkipBad: i.skipBad,
	}
	written := map[string]string{}
	if outages.Name != "" {
		starter.Events = freeName(outages.Name, "events-", starter.Trace)
		written[starter.Events] = outages.Text
		more, outagesErr := i.outages(outages, starter)
		if outagesErr != nil {
			return usage(outagesErr)
		}
		notes = append(notes, more...)
	}
	study, left := starter.File(made)
	twin, err := i.twinScript(s, dump, starter, outages)
	if err != nil {
		return stoppedOr(err)
	}
	written[starterMachine], written[starterPolicy], written[starterStudy], written[starterTwin] = found.machineFile(), found.policyFile(), study, twin
	if err := writeStarter(i.out, written, traceSource(s, dump), starter.Trace); err != nil {
		return stoppedOr(err)
	}
	if err := s.note(slices.Concat(found.notes(), notes, left)...); err != nil {
		return err
	}
	names := slices.DeleteFunc([]string{starterMachine, starterPolicy, starter.Trace, starter.Events, starterTwin, starterStudy}, func(name string) bool { return name == "" })
	results := fmt.Sprintf("%s (%s; %s, days %s)", i.out, strings.Join(names, ", "), text.Plural(len(jobs), "job"), strings.Join(starter.Days(), ", "))
	return s.conclusion(form{table.Form{Format: table.TextFormat}}, results,
		report.Next{Question: "how near a run of these jobs comes to the record", Command: []string{"sh", filepath.Join(i.out, starterTwin)}},
		report.Next{Question: "the answers", Command: []string{"slurmlab", "whatif", filepath.Join(i.out, starterStudy)}})
}

// stoppedOr is the error of an interrupt, or of what a user gave.
func stoppedOr(err error) error {
	if errors.Is(err, run.ErrStopped) {
		return run.ErrStopped
	}
	return usage(err)
}

// recordAmong is the one dump of sacct among files, and the others.
func recordAmong(s *State, files []string) (dump string, others []string, err error) {
	var dumps []string
	var unread []error
	for _, f := range files {
		is, err := interchange.LooksLikeSacct(traceSource(s, f))
		switch {
		case err != nil:
			unread = append(unread, err)
		case is:
			dumps = append(dumps, f)
		default:
			others = append(others, f)
		}
	}
	switch {
	case len(unread) > 0:
		return "", nil, errors.Join(unread...)
	case len(dumps) == 0:
		return "", nil, fmt.Errorf("%s: got no dump of sacct, allowed one, whose first line has the fields %s", strings.Join(files, ", "), strings.Join(sacctFields(), ", "))
	case len(dumps) > 1:
		return "", nil, fmt.Errorf("%s: got %d dumps of sacct, allowed one", strings.Join(dumps, ", "), len(dumps))
	}
	return dumps[0], others, nil
}

// sacctFields are the fields that a dump must have.
func sacctFields() []string {
	var all []string
	for _, names := range interchange.SacctFields() {
		all = append(all, names[0])
	}
	return all
}

// lived are the jobs of the record that started, as workload and record have them, the ones that never did, and what is to be
// said of the import.
func (i starting) lived(s *State, dump string, m workloads.Machine) (jobs []campaign.Lived, never []workloads.Job, notes []string, err error) {
	source := traceSource(s, dump)
	var rows bytes.Buffer
	summary, err := interchange.Import(source, "sacct", &rows, interchange.ImportOptions{Machine: m, SkipBad: i.skipBad, Rescale: interchange.Rescale{SizeFactor: 1, ArrivalFactor: 1}})
	if err != nil {
		if summary.Skipped > 0 && !i.skipBad {
			err = errors.Join(err, fmt.Errorf("%s: --skip-bad leaves out the records with faults (%d) and counts them", dump, summary.Skipped))
		}
		return nil, nil, nil, err
	}
	all, err := workloads.ReadCSV(io.MultiReader(strings.NewReader(workloads.CSVHeader(summary.Columns)+"\n"), &rows), dump)
	if err != nil {
		return nil, nil, nil, err
	}
	records, err := interchange.Records(source, "sacct")
	for _, j := range all {
		if r, started := records[j.ID]; started {
			jobs = append(jobs, campaign.Lived{Job: j, Submit: r.Submit, Wait: r.Wait})
		} else {
			never = append(never, j)
		}
	}
	if err == nil && len(jobs) == 0 {
		err = fmt.Errorf("%s: jobs: got none that started on machine %s, allowed at least one; %s", dump, m.Name, strings.Join(summary.Text(), "; "))
	}
	return jobs, never, append(summary.Text(), summary.Bad...), err
}

// freeName is the name of a record in the folder: its own, unless that is taken.
func freeName(path, prefix string, taken ...string) string {
	name := filepath.Base(path)
	for slices.Contains(append(taken, starterMachine, starterPolicy, starterStudy, starterTwin), name) {
		name = prefix + name
	}
	return name
}

// outagesAmong is the record of outages among files, without a name if there is none, and the others.
func outagesAmong(texts []site.File) (others []site.File, record site.File, err error) {
	var records []site.File
	var names []string
	for _, f := range texts {
		if events.IsRecord(f.Text) {
			records, names = append(records, f), append(names, f.Name)
			continue
		}
		others = append(others, f)
	}
	switch len(records) {
	case 0:
		return others, site.File{}, nil
	case 1:
		return others, records[0], nil
	}
	return nil, site.File{}, fmt.Errorf("%s: got %d records of outages, allowed one", strings.Join(names, ", "), len(records))
}

// outages checks the record of outages, and says what of it is left out.
func (i starting) outages(record site.File, of campaign.Starter) ([]string, error) {
	begins, err := time.Parse(time.DateOnly, of.Days()[0])
	if err != nil {
		return nil, err
	}
	found, err := events.Import(strings.NewReader(record.Text), record.Name, of.Machine, events.Options{From: begins, SkipBad: i.skipBad})
	if err != nil && found.Skipped > 0 {
		err = errors.Join(err, fmt.Errorf("%s: --skip-bad leaves out the rows with faults (%d) and counts them", record.Name, found.Skipped))
	}
	return found.LeftOut(of.Machine.Name), err
}

// writeStarter makes the folder out with files and a copy of the record. It is there whole or not at all.
func writeStarter(out string, files map[string]string, record records.Source, recordName string) (err error) {
	temporary, err := os.MkdirTemp(filepath.Dir(filepath.Clean(out)), ".slurmlab-whatif-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if filepath.Ext(name) == ".sh" {
			mode = 0o755
		}
		if err = os.WriteFile(filepath.Join(temporary, name), []byte(text), mode); err != nil {
			return err
		}
	}
	if err = copyRecord(record, filepath.Join(temporary, recordName)); err != nil {
		return err
	}
	if err = os.Chmod(temporary, 0o755); err != nil {
		return err
	}
	return os.Rename(temporary, out)
}

func copyRecord(record records.Source, to string) error {
	in, err := record.Open()
	if err != nil {
		return err
	}
	file, err := os.Create(to)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(file, in)
	return errors.Join(err, file.Close(), in.Close())
}
