package campaign

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/compare"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
)

// Survey are the runs of a folder.
type Survey struct {
	report.Folder
	// Study is what asks for them, and Entries are all that it asks for; nil without a campaign file.
	Study   *Study
	Entries Entries
	// complete are the directories of the complete runs.
	complete []string
}

// NewSurvey finds the complete runs of a folder and reads none: its campaign's runs, or all where
// it has no campaign file. o has the version of slurmlab.
func NewSurvey(folder string, o FileOptions) (Survey, error) {
	if !IsFolder(folder) {
		return unasked(folder)
	}
	st, err := Open(folder, o)
	if err != nil {
		return Survey{}, err
	}
	entries, err := st.Entries()
	if err != nil {
		return Survey{}, err
	}
	return Survey{Folder: st.folder(entries), Study: &st, Entries: entries, complete: entries.Complete()}, nil
}

// Read reads the complete runs, if there are any.
func (s *Survey) Read() error {
	if len(s.complete) == 0 {
		return nil
	}
	runs, err := metric.LoadNamed(metric.LoadLean, s.complete...)
	if err != nil {
		return err
	}
	s.Take(runs)
	return nil
}

// Gather reads the complete runs of a folder, of which there must be one.
func Gather(folder string, o FileOptions) (Survey, error) {
	s, err := NewSurvey(folder, o)
	if err == nil && len(s.complete) == 0 {
		err = faults.Usage(fmt.Errorf("report: %s has no complete run", folder))
	}
	if err != nil {
		return s, err
	}
	return s, s.Read()
}

// Complete are the directories of the complete runs.
func (all Entries) Complete() []string {
	var dirs []string
	for _, e := range all {
		if e.state == run.StateComplete {
			dirs = append(dirs, e.config.Dir)
		}
	}
	return dirs
}

// folder is what a report has of the campaign's runs before they are read.
func (st *Study) folder(entries Entries) report.Folder {
	f := newFolder(st.Folder)
	f.Builds, f.Pairs, f.Sweeps = entries.OtherBuilds(), st.Pairs, st.Sweeps
	for _, e := range entries {
		f.Asked = append(f.Asked, e.asked())
		if e.state == run.StateComplete {
			f.Labels[e.config.Dir] = e.label
		}
	}
	if st.Until != nil {
		f.Aim = func(groups []compare.Grouped) []string { return append(standings(*st.Until, groups), st.sequential()) }
	}
	return f
}

func newFolder(path string) report.Folder {
	f := report.Folder{Path: path, Labels: map[string]string{}, Aside: map[string]int{}}
	for _, name := range run.Aside(path) {
		f.Aside[name]++
	}
	return f
}

// unasked is the survey of a folder without a campaign file.
func unasked(folder string) (Survey, error) {
	s := Survey{Folder: newFolder(folder)}
	for _, path := range RunsIn(folder) {
		_, record, err := trace.OpenRun(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			// It was set aside, or killed before it had begun.
		case err != nil:
			return s, err
		case record.Status == trace.StatusComplete:
			s.complete, s.Labels[path] = append(s.complete, path), record.Workload
		}
	}
	return s, nil
}

// Runs are those that the campaign asks for, or without a campaign file those that are in the folder.
func (s Survey) Runs() ([]report.Asked, error) {
	if s.Study != nil {
		return s.Asked, nil
	}
	var all []report.Asked
	for _, path := range RunsIn(s.Path) {
		dir, err := trace.Open(path)
		if err != nil {
			return nil, err
		}
		r, err := dir.ReadRun()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		state := run.StateBroken
		switch {
		case r.Status == trace.StatusComplete:
			state = run.StateComplete
		case run.UnderWay(dir):
			state = run.StateRunning
		}
		all = append(all, report.Asked{
			Machine: r.Machine.Name, Events: r.EventsLabel(), Workload: r.Workload, Backend: r.Backend, Policy: r.Policy, Replica: r.Replica(),
			Path: path, State: string(state), Reason: r.Reason, Disturbed: r.Disturbed(), LateSeconds: r.Latest(), Quiet: r.Quiet(),
		})
	}
	return all, nil
}
