package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/internal/faults"
	"github.com/slurmlab/slurmlab/internal/text"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// checkpointVersion is that of checkpoint.json. A reader refuses another one.
const checkpointVersion = 1

// manifestName is the file that says what a checkpoint is, the last one to be written.
const manifestName = "checkpoint.json"

// Files of a checkpoint that are copies of its run's files.
const (
	cyclesName    = "cycles.jsonl"
	snapshotsName = drive.SnapshotsName
)

// Checkpoint is what a run left that was stopped for it.
type Checkpoint struct {
	// Version is checkpointVersion, Run the id of the run.
	Version int    `json:"checkpoint_version"`
	Run     string `json:"run"`
	// Settings are those of run.json, Sources those of trace.Run.SlurmSources.
	Settings trace.Settings `json:"settings"`
	Sources  []string       `json:"slurm_sources,omitempty"`
	// Request is what the run was asked for, Position where it stopped.
	Request  drive.Request  `json:"request"`
	Position drive.Position `json:"position"`
	// Happened are the events that are over.
	Happened []trace.Happened `json:"happened,omitempty"`
	// Files are the SHA-256 of the other files, by name.
	Files map[string]string `json:"files"`

	// path is how the user named it, dir where it lies, sum the SHA-256 of checkpoint.json.
	path, dir, sum string
}

// Seconds is the virtual time of the checkpoint since the start of its run.
func (c *Checkpoint) Seconds() float64 { return c.Position.Instant.Sub(c.Position.Began).Seconds() }

// state is the file of what the daemons left.
func (c *Checkpoint) state() string { return filepath.Join(c.dir, boot.CheckpointName) }

// request is what slurmlabd is asked for.
func (c Config) request() drive.Request {
	r := drive.Request{Spec: c.Spec}
	if c.From != nil {
		r.From = &c.From.Position
	}
	return r
}

// CheckStop lists why a run of this configuration cannot be stopped and continued.
func (c Config) CheckStop() error {
	var faults []error
	add := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("stop-at: "+format, args...))
		}
	}
	able := backend.All().Which(func(t backend.Traits) bool { return t.Stops })
	add(!able.Has(c.Backend), "is not allowed with --backend %s, in which processes belong to the jobs, which no checkpoint has; want %s", c.Backend.Form, able.Flags())
	add(c.Clock.Kind != trace.ClockJump, "is not allowed with --clock %s, which starts at no chosen time; want %s", c.Clock.Kind, trace.ClockJump)
	add(c.Policy.ProgramFile != "", "is not allowed with policy %s, as no checkpoint has what the program remembers", c.Policy.Name)
	add(c.Policy.HasAgent() && c.Policy.Parameters.FairShare > 0, "is not allowed with fair_share, as no checkpoint has the usage of the past")
	return errors.Join(faults...)
}

// keepCheckpoint completes the checkpoint of a run that has stopped, and records it.
func (c Config) keepCheckpoint(dir trace.Dir, record *trace.Run, position drive.Position) error {
	record.Status = trace.StatusFailed
	request := c.request()
	request.From, request.StopAt = nil, 0
	cp := Checkpoint{
		Version: checkpointVersion, Run: record.ID, Settings: record.Settings, Sources: record.SlurmSources,
		Request: request, Position: position, Happened: record.Happened, Files: map[string]string{}, dir: dir.Checkpoint(),
	}
	err := cp.write(dir)
	if err != nil {
		return broken(dir, record, err)
	}
	record.Status = trace.StatusIncomplete
	record.Cycles = position.Cycles
	record.Reason = fmt.Sprintf("stopped for a checkpoint at %s of virtual time; go on with: slurmlab run --checkpoint %s",
		text.Duration(cp.Seconds()), text.ShellWord(dir.Checkpoint()))
	return dir.WriteRun(*record)
}

// write copies what a run that goes on needs of the run, and writes the manifest.
func (c *Checkpoint) write(dir trace.Dir) error {
	for _, name := range []string{cyclesName, snapshotsName} {
		if err := copyFile(filepath.Join(c.dir, name), filepath.Join(dir.Path(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("write checkpoint: %w", err)
		}
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return fmt.Errorf("write checkpoint: %w", err)
	}
	for _, entry := range entries {
		if c.Files[entry.Name()], err = sumFile(filepath.Join(c.dir, entry.Name())); err != nil {
			return fmt.Errorf("write checkpoint: %w", err)
		}
	}
	if c.Files[boot.CheckpointName] == "" {
		return fmt.Errorf("write checkpoint: %s is missing", boot.CheckpointName)
	}
	return trace.WriteAtomic(filepath.Join(c.dir, manifestName), func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", " ")
		return out.Encode(c)
	})
}

// OpenCheckpoint reads the checkpoint in a directory, or the checkpoint of the run there, and checks its files. The
// error lists every fault.
func OpenCheckpoint(path string) (*Checkpoint, error) {
	dir := path
	if _, err := os.Stat(filepath.Join(path, manifestName)); errors.Is(err, fs.ErrNotExist) {
		dir = filepath.Join(path, trace.CheckpointName)
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("checkpoint: %s has no %s; a run that stops leaves one: slurmlab run --stop-at TIME", path, manifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	sum := sha256.Sum256(text)
	c := Checkpoint{path: path, dir: dir, sum: hex.EncodeToString(sum[:])}
	var head struct {
		Version int `json:"checkpoint_version"`
	}
	file := filepath.Join(dir, manifestName)
	if err = json.Unmarshal(text, &head); err == nil && head.Version != checkpointVersion {
		return nil, fmt.Errorf("checkpoint: %s: field checkpoint_version: got %d, allowed %d", file, head.Version, checkpointVersion)
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %s: %w", file, err)
	}
	c.Settings.FillIn()
	return &c, errors.Join(c.complete(), c.check())
}

// complete sets what the request has of the run from its settings.
func (c *Checkpoint) complete() (err error) {
	r := &c.Request
	r.Seed, r.Clock = c.Settings.Seed, clock.Settings{Kind: clock.Kind(c.Settings.Clock), TimeScale: 1, ThinkScale: c.Settings.ThinkScale}
	r.Backend, err = BackendOf(c.Settings.Backend)
	return err
}

// CheckReplica refuses two checkpoints whose runs differ in more than the seed, or not in it.
func (c *Checkpoint) CheckReplica(other *Checkpoint) error {
	before, after := c.Settings, other.Settings
	if before.Seed == after.Seed {
		return fmt.Errorf("checkpoint: %s and %s both have seed %d, want checkpoints of different seeds", c.path, other.path, before.Seed)
	}
	if d := before.Differences(after, trace.Free{Seed: true, Jobs: true}); len(d) > 0 {
		return fmt.Errorf("checkpoint: %s and %s differ in more than the seed: %s", c.path, other.path, d)
	}
	return nil
}

// Continue is the run that goes on from the checkpoint under a policy, carried out in a directory as how says.
func (c *Checkpoint) Continue(p policy.Policy, dir string, how Config) (Config, error) {
	stop := how.StopAt
	how.Spec, how.Dir, how.From = c.Request.Spec, dir, c
	how.Policy, how.StopAt = p, stop
	err := errors.Join(p.CheckSlurm(how.Backend.Series), how.CheckFrom())
	if stop > 0 {
		err = errors.Join(err, how.CheckStop())
	}
	return how, faults.Usage(err)
}

// RunName names the directory of the run that goes on under a policy.
func (c *Checkpoint) RunName(p policy.Policy) string {
	return fmt.Sprintf("%s-%s-%s-seed%d", c.Settings.Machine.Name, c.Settings.Workload, p.Name, c.Settings.Seed)
}

// check compares the files with their sums, and the fields with each other.
func (c *Checkpoint) check() error {
	var faults []error
	if c.Files[boot.CheckpointName] == "" {
		faults = append(faults, fmt.Errorf("checkpoint: %s: field files: %s is missing", filepath.Join(c.dir, manifestName), boot.CheckpointName))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		path := filepath.Join(c.dir, filepath.Base(name))
		sum, err := sumFile(path)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("checkpoint: %w", err))
		case sum != c.Files[name]:
			faults = append(faults, fmt.Errorf("checkpoint: %s is damaged: its SHA-256 is %.12s, %s says %.12s", path, sum, manifestName, c.Files[name]))
		}
	}
	if p := c.Position; !p.Instant.After(p.Began) || p.Began.IsZero() || len(p.Jobs) > len(c.Request.Jobs) {
		faults = append(faults, fmt.Errorf("checkpoint: %s: field position: begins at %s, stops at %s with %d jobs of %d", filepath.Join(c.dir, manifestName),
			p.Began.Format(time.RFC3339), p.Instant.Format(time.RFC3339), len(p.Jobs), len(c.Request.Jobs)))
	}
	if err := c.checkEvents(); err != nil {
		faults = append(faults, fmt.Errorf("checkpoint: %s: %w", filepath.Join(c.dir, manifestName), err))
	}
	return errors.Join(faults...)
}

// checkEvents compares the events with their sum, and those that are over with what happened.
func (c *Checkpoint) checkEvents() error {
	all, over := c.Request.Events, c.Position.Events
	if has, want := events.SumOf(all), c.Settings.Events; (has == nil) != (want == nil) || has != nil && *has != *want {
		return fmt.Errorf("field request.events: the %d events are not those of settings.events", len(all))
	}
	if over < 0 || over > len(all) {
		return fmt.Errorf("field position.events: got %d events that are over, allowed 0..%d", over, len(all))
	}
	done := slices.EqualFunc(c.Happened, all[:over], func(h trace.Happened, e events.Event) bool { return h.Event == e && h.Refused == "" })
	if !done {
		return fmt.Errorf("field happened: the %d events are not the first %d of request.events, which are over by position.events", len(c.Happened), over)
	}
	return nil
}

// CheckFrom lists why a run cannot go on from its checkpoint; build is that of this slurmlab and
// its image.
func (c Config) CheckFrom() error {
	f := c.From
	if f == nil {
		return nil
	}
	var faults []error
	if f.Settings.ToolVersion != c.Version && !c.AnyBuild {
		faults = append(faults, fmt.Errorf("checkpoint: the checkpoint is of slurmlab %s, this is %s; --any-build takes it all the same", f.Settings.ToolVersion, c.Version))
	}
	if c.Policy.HasAgent() && !f.Position.Held {
		faults = append(faults, fmt.Errorf("checkpoint: the jobs of the checkpoint wait in Slurm's own queue under policy %s, without what an agent has to know of them; want a policy without an agent, not %s",
			f.Settings.Policy, c.Policy.Name))
	}
	if c.StopAt > 0 && float64(c.StopAt) <= f.Seconds() {
		faults = append(faults, fmt.Errorf("stop-at: got %d s, want more than the %.1f s of the checkpoint", c.StopAt, f.Seconds()))
	}
	return errors.Join(faults...)
}

// settings sets the settings of a run that goes on from the checkpoint: the workload's are its own.
func (c *Checkpoint) settings(s *trace.Settings) {
	old := c.Settings
	s.Workload, s.WorkloadSpec, s.Seed, s.Window, s.Windows = old.Workload, old.WorkloadSpec, old.Seed, old.Window, old.Windows
	s.EventsName = old.EventsName
	old.Continues = nil
	changed := old.Differences(*s, trace.Free{}).Names()
	s.Continues = &trace.Continued{Checkpoint: c.sum, Run: c.Run, Time: c.Seconds(), Changed: changed}
}

// begin puts what the run before recorded into the directory of the run that goes on.
func (c *Checkpoint) begin(dir trace.Dir) error {
	if _, has := c.Files[cyclesName]; !has {
		return nil
	}
	return copyFile(dir.CyclesFile(), filepath.Join(c.dir, cyclesName))
}

// join puts the snapshots of the run before in front of those that were fetched.
func (c *Checkpoint) join(dir trace.Dir) error {
	if _, has := c.Files[snapshotsName]; !has {
		return nil
	}
	path := filepath.Join(dir.Path(), snapshotsName)
	before, err := os.ReadFile(filepath.Join(c.dir, snapshotsName))
	if err != nil {
		return fmt.Errorf("join snapshots: %w", err)
	}
	after, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("join snapshots: %w", err)
	}
	return trace.WriteAtomic(path, func(w io.Writer) error {
		// Files of gzip one after the other are one file of gzip (RFC 1952, 2.2).
		_, err := io.Copy(w, io.MultiReader(bytes.NewReader(before), bytes.NewReader(after)))
		return err
	})
}

func copyFile(to, from string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	return errors.Join(keepFile(to, file), file.Close())
}

func sumFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), errors.Join(err, file.Close())
}
