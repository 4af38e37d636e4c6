package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slurmlab/slurmlab/results/trace"
)

// Verdict is what came of a cell.
type Verdict struct {
	Facts Facts `json:"facts"`
	// Told is the line in which slurmlab tells of a harmless fault, empty without one.
	Told   string   `json:"told,omitempty"`
	Broken []Broken `json:"broken,omitempty"`
}

// Broken is an invariant that does not hold; Invariant 0 is a fault that could not be
// done.
type Broken struct {
	Invariant int    `json:"invariant"`
	Text      string `json:"text"`
}

func (b Broken) String() string { return fmt.Sprintf("(%d) %s", b.Invariant, b.Text) }

// judge collects what is broken.
type judge struct {
	Verdict
	dir trace.Dir
	run trace.Run
	// printed is what slurmlab printed to standard error.
	printed string
	jobs    []job
	rows    []row
}

func (j *judge) breaks(invariant int, format string, args ...any) {
	j.Broken = append(j.Broken, Broken{invariant, fmt.Sprintf(format, args...)})
}

// Judge judges the cell in a directory. An error means that there is nothing to judge.
func Judge(dir string) (Verdict, error) {
	j := judge{}
	data, err := os.ReadFile(filepath.Join(dir, FactsName))
	if err == nil {
		err = json.Unmarshal(data, &j.Facts)
	}
	if err != nil {
		return j.Verdict, fmt.Errorf("judge %s: %w", dir, err)
	}
	if j.Facts.Undone != "" {
		j.breaks(0, "the fault was not done: %s", j.Facts.Undone)
	}
	printed, err := os.ReadFile(filepath.Join(dir, OutputName))
	if err != nil {
		return j.Verdict, fmt.Errorf("judge %s: %w", dir, err)
	}
	j.printed = string(printed)
	j.ends()
	if j.dir, err = trace.Open(filepath.Join(dir, RunName)); err == nil {
		j.run, err = j.dir.ReadRun()
	}
	if err != nil {
		j.breaks(7, "run.json cannot be read: %v", err)
	} else {
		j.ofRun()
	}
	j.residue()
	j.fresh(filepath.Join(dir, FreshName))
	slices.SortStableFunc(j.Broken, func(a, b Broken) int { return a.Invariant - b.Invariant })
	return j.Verdict, nil
}

// ofRun judges the run by its directory.
func (j *judge) ofRun() {
	j.files()
	j.blames()
	j.harmless()
}

// files judges the run by its files, whatever was done to it.
func (j *judge) files() {
	if err := j.read(); err != nil {
		j.breaks(2, "%v", err)
	}
	complete := j.run.Status == trace.StatusComplete
	if complete {
		j.accounted()
		j.planned()
	}
	j.starts()
	j.oversold()
	j.metrics(complete)
}

// ends is invariant 1.
func (j *judge) ends() {
	f := j.Facts
	if f.Endless || f.TookSeconds > f.BoundSeconds {
		j.breaks(1, "slurmlab had not ended %.0f s after the fault", f.TookSeconds)
	}
}

// accounted is invariant 2.
func (j *judge) accounted() {
	count := map[string]int{}
	for _, r := range j.rows {
		count[r.name]++
	}
	for _, job := range j.jobs {
		if n := count[job.name]; n != 1 {
			j.breaks(2, "job %s has %d rows in sacct.txt", job.name, n)
		}
		delete(count, job.name)
	}
	for name := range count {
		j.breaks(2, "sacct.txt has a job %q that the workload has not", name)
	}
}

// planned is invariant 5, for a complete run. Accounting counts whole seconds.
func (j *judge) planned() {
	if j.warned() {
		return
	}
	seconds := map[string]int{}
	for _, job := range j.jobs {
		seconds[job.name] = job.runtime
	}
	for _, r := range j.rows {
		want, own := seconds[r.name]
		if took := int(r.end - r.start); own && (r.state != "COMPLETED" || took < want-1 || took > want+1) {
			j.breaks(5, "job %s is %s after %d s, its workload says %d s, and the run is complete without a warning", r.name, r.state, took, want)
		}
	}
}

func (j *judge) warned() bool {
	return j.run.FailedJobs != nil || strings.Contains(j.printed, "ends of jobs (completed) were off")
}

// quotation begins what a reason quotes of a daemon's log. A name there is not slurmlab's
// word.
const quotation = "its last log lines:"

// blames is invariant 7.
func (j *judge) blames() {
	if j.Facts.Status == trace.StatusComplete || j.Facts.Undone != "" {
		return
	}
	reason, _, _ := strings.Cut(j.Facts.Reason, quotation)
	if j.Facts.Cell.Victim == Disk {
		// run.json cannot be replaced on a full disk.
		reason += "\n" + j.printed
	}
	if c := causeOf(j.Facts.Cell); !c.in(reason) {
		j.breaks(7, "the reason does not say %q of %q: %s", c.what, c.who, j.Facts.Reason)
	}
}

// harmless is invariant 10.
func (j *judge) harmless() {
	if !Harmless(j.Facts.Cell) || j.Facts.Undone != "" {
		return
	}
	if j.Facts.Status != trace.StatusComplete || j.Facts.Exit != 0 {
		j.breaks(10, "the run is %s with exit code %d", j.Facts.Status, j.Facts.Exit)
		return
	}
	want := told(j.Facts.Cell)
	for line := range strings.Lines(j.printed) {
		if j.Told == "" && want.MatchString(line) {
			j.Told = strings.TrimPrefix(strings.TrimSpace(line), "warning: ")
		}
	}
	if j.Told == "" && Unheard(j.Facts.Cell) == "" {
		j.breaks(10, "the run is complete and does not say %q", want)
	}
}

// residue is invariant 8.
func (j *judge) residue() {
	at, after := j.Facts.AtOnce, j.Facts.Afterwards
	for _, c := range at.Containers {
		// What a killed slurmlab cannot remove has ended, and the next one removes it;
		// what a living one leaves, it names.
		if named := strings.Contains(j.printed, c.ID[:min(12, len(c.ID))]); !named && (!slurmlabKilled(j.Facts.Cell) || c.State != "exited") {
			j.breaks(8, "container %.12s is left over (%s), and nobody says so", c.ID, c.State)
		}
	}
	for _, c := range after.Containers {
		j.breaks(8, "container %.12s is left over (%s) after the next run", c.ID, c.State)
	}
	left := append(slices.Concat(at.Locks, at.Processes), slices.Concat(after.Locks, after.Files, after.Processes)...)
	if !slurmlabKilled(j.Facts.Cell) {
		left = append(left, at.Files...)
	}
	slices.Sort(left)
	for _, what := range slices.Compact(left) {
		j.breaks(8, "left over: %s", what)
	}
}

// fresh is invariant 9; it also wants "slurmlab run --resume" to finish what it can.
func (j *judge) fresh(path string) {
	dir, err := trace.Open(path)
	var run trace.Run
	if err == nil {
		run, err = dir.ReadRun()
	}
	switch {
	case err != nil:
		j.breaks(9, "the fresh run left no run.json: %v", err)
	case j.Facts.Fresh != 0 || run.Status != trace.StatusComplete:
		j.breaks(9, "the fresh run is %s with exit code %d: %s", run.Status, j.Facts.Fresh, run.Reason)
	}
	if code := j.Facts.Finish; code != nil && *code != 0 && j.run.FailedJobs == nil {
		j.breaks(9, "slurmlab run --resume ended with exit code %d: %s", *code, j.run.Reason)
	}
}

// exists says whether a file is there.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
