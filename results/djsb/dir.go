package djsb

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// SchemaVersion of the files below.
const SchemaVersion = 1

// The files of a result directory.
const (
	recordName  = "djsb.json"
	samplesName = "samples.jsonl"
)

// Record says what was run.
type Record struct {
	SchemaVersion int    `json:"schema_version"`
	ToolVersion   string `json:"tool_version"`
	Revision      string `json:"git_revision"`
	// Backend of a cluster of slurmlab; of a site's Slurm it has only the version. It is empty where there is neither,
	// and Config.On says which. ImageID is the cluster's image.
	trace.Backend
	ImageID string          `json:"image_id"`
	Config  djsbconfig.DJSB `json:"configuration"`
	// Policy is the one that scheduled with its settings, such as "auction+max_bypass-0"; empty in older records, which are of backfill-whole-queue, and for other systems.
	Policy string `json:"policy,omitempty"`
	// SchedulerParameters of slurm.conf. Older records have none, and their "backfill" is what is
	// backfill-whole-queue today.
	SchedulerParameters string `json:"scheduler_parameters,omitempty"`
	// Real says that the applications computed, and no model was used.
	Real bool `json:"real,omitempty"`
	// Model is benchmark.Contention, which a reader of results need not know.
	Model json.RawMessage `json:"model"`
	Seed  uint64          `json:"seed"`
	// Status is trace.StatusComplete when the whole configuration was run and no sample
	// failed; Reason says why it was not.
	Status trace.Status `json:"status"`
	Reason string       `json:"reason,omitempty"`
}

// System says in a few words what the benchmark ran on.
func (r Record) System() string {
	system := "Slurm " + r.Series
	if r.Form != "" {
		system += ", backend " + r.Form
	}
	switch r.Config.On {
	case djsbconfig.SystemSlurm:
		system += " of a site"
	case djsbconfig.SystemAllocation:
		system += " of a site, in an allocation"
	case djsbconfig.SystemInteractive:
		system = "processes of one machine, without a scheduler"
	case djsbconfig.SystemCommands:
		system = "a scheduler that the configuration's commands drive"
	}
	if r.Config.Reservation != "" {
		system += ", reservation " + r.Config.Reservation
	}
	return system
}

// policyToday is Policy under the name that it has today, see docs/design/012.
func (r Record) policyToday() string {
	if r.Policy == "" || r.Policy == trace.Backfill && r.SchedulerParameters == "" {
		return trace.WholeQueue
	}
	return r.Policy
}

// Dir is a directory of results.
type Dir struct{ path string }

// Create makes a new directory with a record of what will be run.
func Create(path string, r Record) (Dir, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return Dir{}, fmt.Errorf("create results: %w", err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return Dir{}, fmt.Errorf("create results: %w", err)
	}
	d := Dir{path}
	return d, d.WriteRecord(r)
}

// Path is where the directory is.
func (d Dir) Path() string { return d.path }

// WriteRecord replaces the record.
func (d Dir) WriteRecord(r Record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(filepath.Join(d.path, recordName), append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", recordName, err)
	}
	return nil
}

// Append adds an event to the samples.
func (d Dir) Append(e Event) error {
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write %s: %w", samplesName, err)
	}
	file, err := os.OpenFile(filepath.Join(d.path, samplesName), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", samplesName, err)
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", samplesName, err)
	}
	return nil
}

// Results are what a directory has.
type Results struct {
	Record Record
	// Summaries are in the order of the configuration, scenario by scenario.
	Summaries []Summary
	// Trials are the samples in the order in which they were run.
	Trials []Trial
}

// Read reads a directory of results, whose files errors name below path. The error lists all faults with their lines.
func Read(files fs.FS, path string) (Results, error) {
	var r Results
	file, err := trace.OpenFile(files, recordName, path)
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	// What was only read loses nothing when it is closed.
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(file)
	if err != nil {
		return r, fmt.Errorf("read results: %w", err)
	}
	// Older records do not say so.
	r.Record.Config.On = djsbconfig.SystemCluster
	if err = json.Unmarshal(text, &r.Record); err != nil {
		return r, fmt.Errorf("read results: %s: %w", filepath.Join(path, recordName), err)
	}
	if r.Record.Config.On == djsbconfig.SystemCluster {
		r.Record.FillIn()
	}
	if r.Record.SchemaVersion != SchemaVersion {
		return r, fmt.Errorf("read results: %s: schema_version: got %d, allowed %d", filepath.Join(path, recordName), r.Record.SchemaVersion, SchemaVersion)
	}
	if err = r.Record.Config.Check(); err != nil {
		return r, fmt.Errorf("read results: %s: %w", filepath.Join(path, recordName), err)
	}
	return r, r.readSamples(files, path)
}

// readSamples reads the samples; a run that ended before its first has no file.
func (r *Results) readSamples(files fs.FS, path string) error {
	file, err := trace.OpenFile(files, samplesName, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	// What was only read loses nothing when it is closed.
	defer func() { _ = file.Close() }()
	bad := faults.List{Name: filepath.Join(path, samplesName)}
	var references []Reference
	lines := bufio.NewScanner(file)
	for line := 1; lines.Scan(); line++ {
		var e Event
		switch err := json.Unmarshal(lines.Bytes(), &e); {
		case err != nil:
			bad.Add(line, err)
		case e.Reference != nil:
			references = append(references, *e.Reference)
		case e.Trial == nil:
			bad.Addf(line, "got neither a reference nor a trial")
		case len(references) == 0:
			bad.Addf(line, "trial: got one before any reference")
		case !slices.Contains(r.Record.Config.Scenarios, e.Trial.Scenario):
			bad.Addf(line, "scenario: got %q, which the configuration has not", e.Trial.Scenario)
		default:
			e.Trial.Reference = references[len(references)-1]
			r.Trials = append(r.Trials, *e.Trial)
		}
	}
	if err := lines.Err(); err != nil {
		bad.Addf(0, "%w", err)
	}
	if err := bad.Err(); err != nil {
		return err
	}
	r.summarise()
	return nil
}

func (r *Results) summarise() {
	c := r.Record.Config
	for _, scenario := range c.Scenarios {
		for _, n := range c.NumOfDynAnalysis {
			var of []Trial
			for _, t := range r.Trials {
				if t.Scenario == scenario && t.NumOfDynAnalysis == n {
					of = append(of, t)
				}
			}
			if len(of) > 0 {
				r.Summaries = append(r.Summaries, Summarise(scenario, JobsOf(c, scenario), n, of))
			}
		}
	}
}
