package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/plugin-bridge/auction"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/events"
)

// Config is one run: what is asked for, and how it is carried out.
type Config struct {
	drive.Spec
	Dir      string // run directory to create
	Reserved bool   // Dir is there, empty, and reserved for this run
	// Engine runs the cluster, nil for Docker.
	Engine Engine
	// Sources of the image.
	Sources  []string
	Image    string
	ImageID  string
	Version  string
	Revision string
	// Core is the processor core that the cluster is confined to, nil for none.
	Core *int
	// Report is called with what the run does; it must not block.
	Report func(progress.Update)
	// Watcher looks at the cluster while the run is under way, nil for none.
	Watcher *Watcher
	// Warn is called with a sentence on each thing that went wrong beside the run.
	Warn func(string)
	// AllowFailed keeps a run with jobs that did not end as planned.
	AllowFailed bool
	// From is the checkpoint that the run goes on from, nil for a run from the beginning. Machine,
	// Jobs, Seed, Backend and Clock equal the checkpoint's.
	From *Checkpoint
	// AnyBuild takes a run of another version of slurmlab as this one.
	AnyBuild bool
	// Memory limits the cluster's container to so many bytes, instead of the limit that
	// follows from machine and jobs; 0 for that.
	Memory int64
	// Measured is what recorded runs of the same shape (ShapeOf) took at most, in bytes; 0 where there are none.
	Measured int64
	// silence is how many seconds without an event end the run, 0 for silenceLimit.
	silence int
}

// Reasons of a run that was stopped before its end.
var (
	ErrStopped = errors.New("interrupted by the user")
	// ErrPeer is also the cause with which a caller ends the context of a run after
	// the run that it was to be compared with has failed.
	ErrPeer = errors.New("stopped because a run it was to be compared with failed")
)

// stopReason says why the context of a run ended.
func stopReason(ctx context.Context) error {
	var full *fullError
	if cause := context.Cause(ctx); errors.Is(cause, ErrPeer) || errors.Is(cause, ErrStopped) || errors.As(cause, &full) {
		return cause
	}
	return ErrStopped
}

// Run carries out one run and returns its record. The error says why the run is
// not complete; the record is written to run.json in any case that left a
// directory.
func Run(ctx context.Context, c Config) (trace.Run, error) {
	record, err := c.record()
	if err != nil {
		return record, err
	}
	dir, lock, err := c.create(record)
	if err != nil {
		return record, err
	}
	defer func() { _ = lock.Close() }()
	defer whileAwake(c.Warn)()
	position, err := c.run(ctx, dir, &record)
	record.Finished = time.Now().UTC()
	if err == nil && position != nil {
		err = c.keepCheckpoint(dir, &record, *position)
		if err == nil {
			return record, nil
		}
	}
	if err == nil {
		return finish(dir, record, c.AllowFailed)
	}
	return record, broken(dir, &record, err)
}

// broken records why a run is not complete. The error also says what to do about it.
func broken(dir trace.Dir, record *trace.Run, err error) error {
	record.Reason = err.Error()
	if writeErr := dir.WriteRun(*record); writeErr != nil {
		err = errors.Join(err, fmt.Errorf("%w; run.json stays as it was", writeErr))
	} else {
		err = fmt.Errorf("run %s is %s: %w", dir.Path(), record.Status, err)
	}
	switch {
	case record.Container != "":
		return fmt.Errorf("%w\n  container %.12s keeps its files; fetch them with: slurmlab run --resume %s", err, record.Container, dir.Path())
	case record.FailedJobs != nil:
		return fmt.Errorf("%w\n  to keep it, marked in every table: slurmlab run --allow-failed --resume %s", err, dir.Path())
	case record.Ended:
		return fmt.Errorf("%w\n  all its jobs have ended; when the fault is mended: slurmlab run --resume %s", err, dir.Path())
	default:
		return err
	}
}

// Settings are what run.json says of what is asked for, and by what software: the form of the Spec on the disk.
func (c Config) Settings() (trace.Settings, error) {
	spec, err := c.Workload.SpecJSON()
	if err != nil {
		return trace.Settings{}, err
	}
	parameters := json.RawMessage("{}")
	if c.Policy.HasAgent() {
		if parameters, err = json.Marshal(c.Policy.Parameters); err != nil {
			return trace.Settings{}, fmt.Errorf("encode parameters: %w", err)
		}
	}
	rule := ""
	if c.Policy.ByValue() {
		rule = auction.DefaultRule().String()
	}
	window, windows := c.Workload.Window()
	settings := trace.Settings{
		ToolVersion:         c.Version,
		GitRevision:         c.Revision,
		Backend:             Recorded(c.Backend),
		ImageID:             c.ImageID,
		Machine:             c.Machine,
		Workload:            c.Workload.Name(),
		WorkloadSpec:        spec,
		Seed:                c.Seed,
		Window:              window,
		Windows:             windows,
		Policy:              c.Policy.Name,
		Parameters:          parameters,
		ValueRule:           rule,
		SchedulerType:       c.Policy.Scheduler.Type,
		SchedulerParameters: c.Policy.Scheduler.Parameters,
		PriorityType:        c.Policy.Priority.Plugin(),
		PriorityParameters:  strings.Join(c.Policy.Scheduler.PriorityLines(c.Policy.Priority), ","),
		SlurmSettings:       conf.ParseLines(c.Policy.Scheduler.Lines).Values(),
		FullConfiguration:   c.FullConfiguration,
		Events:              events.SumOf(c.Events),
		EventsName:          c.EventsName,
		Clock:               string(c.Clock.Kind),
		TimeScale:           c.Clock.TimeScale,
		ThinkScale:          c.Clock.ThinkScale,
	}
	if c.From != nil {
		c.From.settings(&settings)
	}
	return settings, nil
}

// record fills in what is known before the run.
func (c Config) record() (trace.Run, error) {
	settings, err := c.Settings()
	if err != nil {
		return trace.Run{}, err
	}
	program, err := trace.ProgramOf(c.Policy.ProgramFile, c.Policy.Parameters.Program, c.Policy.Parameters.ProgramSum)
	if err != nil {
		return trace.Run{}, err
	}
	var engine *trace.Engine
	if on, is := c.Engine.(DockerHost); is {
		engine = &trace.Engine{Host: on.Host, Machine: on.Machine}
	}
	return trace.Run{
		SchemaVersion: trace.SchemaVersion,
		ID:            filepath.Base(c.Dir),
		Settings:      settings,
		SlurmSources:  c.Sources,
		Engine:        engine,
		Program:       program,
		Core:          c.Core,
		Status:        trace.StatusIncomplete,
		Reason:        "slurmlab ended before it could record how the run went",
		Started:       time.Now().UTC(),
		Jobs:          len(c.Jobs),
	}, nil
}

// create makes the run directory with all that is known before the run, or
// leaves nothing behind. It is locked before it has a run.json.
func (c Config) create(record trace.Run) (trace.Dir, *os.File, error) {
	if err := checkRoom(c.Dir, Room(c)); err != nil {
		return trace.Dir{}, nil, err
	}
	establish := trace.Create
	if c.Reserved {
		establish = trace.Furnish
	}
	dir, err := establish(c.Dir)
	if err != nil {
		if !errors.Is(err, fs.ErrExist) {
			// Create may have got half way. Remove leaves a directory that is not
			// empty.
			_ = os.Remove(c.Dir)
		}
		return dir, nil, err
	}
	err = trace.WriteAtomic(dir.WorkloadFile(), func(w io.Writer) error {
		return workloads.WriteCSV(w, c.Jobs)
	})
	if err == nil && c.From != nil && c.Policy.HasAgent() {
		err = c.From.begin(dir)
	}
	if err == nil && len(c.Events) > 0 {
		err = trace.WriteAtomic(dir.EventsFile(), func(w io.Writer) error { return events.Write(w, c.Events) })
	}
	if err == nil && record.Program != nil {
		err = dir.KeepProgram(c.Policy.ProgramFile, *record.Program)
	}
	var lock *os.File
	if err == nil {
		lock, err = lockRun(dir)
	}
	if err == nil {
		err = dir.WriteRun(record)
	}
	if err != nil {
		if lock != nil {
			_ = lock.Close()
		}
		return dir, nil, errors.Join(err, os.RemoveAll(c.Dir))
	}
	return dir, lock, nil
}

// run starts the cluster, follows the run and removes the cluster. It leaves the outcome in record. Without an error
// all that is left to do is finish, or, for a run that has stopped at a position, to keep the checkpoint.
func (c Config) run(ctx context.Context, dir trace.Dir, record *trace.Run) (*drive.Position, error) {
	on := cmp.Or[Engine](c.Engine, Docker{})
	record.Status = trace.StatusFailed
	c.Report(progress.Update{Stage: progress.Creating})
	began, booting := time.Now(), time.Time{}
	report := func(u progress.Update) {
		if booting.IsZero() {
			booting = time.Now()
		}
		c.Report(u)
	}
	atBoot := c.Spec
	// The run makes them itself, as their starts count from its beginning.
	atBoot.Machine.Layout.Reservations = nil
	if c.From == nil && c.Lenient() {
		atBoot.Machine.Layout = atBoot.Machine.Layout.Lenient()
	}
	options := append(Options(atBoot, report), slurm.WithUsers(c.Machine.Submitters(c.Jobs)...), slurm.WithName(record.ID), slurm.WithOwner(OwnerOf(dir.Path())),
		slurm.WithJobs(len(c.Jobs)), slurm.WithArrayLicenses(workloads.ArrayLicenses(c.Jobs)), slurm.WithMemory(c.Memory))
	if c.Core != nil {
		options = append(options, slurm.WithCore(*c.Core))
	}
	if c.From != nil {
		options = append(options, slurm.WithCheckpoint(c.From.state(), c.From.Position.Instant))
	}
	cluster, err := on.Start(ctx, c.Image, options...)
	if err != nil {
		if ctx.Err() != nil {
			record.Status = trace.StatusIncomplete
		}
		return nil, err
	}
	defer cluster.Close()
	if booting.IsZero() {
		booting = time.Now()
	}
	record.Stages = &trace.Stages{Create: booting.Sub(began).Seconds(), Boot: time.Since(booting).Seconds()}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if full := watchRoom(ctx, dir.Path(), leastForRun+uint64(len(c.Jobs))*leastForJob, FreeSpace); full != nil {
			stop(full)
		}
	}()
	unwatch := c.watch(ctx, cluster)
	end, err := c.follow(ctx, cluster, dir, record)
	unwatch()
	c.Report(progress.Update{Stage: progress.Collecting})
	collecting := time.Now()
	var position *drive.Position
	if end != nil {
		position = end.Position
		err = errors.Join(ended(ctx, record, *end), err)
	} else if ctx.Err() != nil {
		record.Status, err = trace.StatusIncomplete, stopReason(ctx)
	}
	record.Ended, record.Container = err == nil && position == nil, cluster.ID()
	models := c.Policy.Parameters.DumpModels && c.Policy.HasAgent()
	// What an interrupted run measured is kept as well.
	err = errors.Join(err, bringHome(context.WithoutCancel(ctx), on, cluster, dir, record, what{models: models, checkpoint: position != nil}, c.Warn))
	if c.From != nil && c.Policy.HasAgent() {
		err = errors.Join(err, c.From.join(dir))
	}
	record.Stages.Collect = time.Since(collecting).Seconds()
	return position, err
}

// ended takes over how slurmlabd says that the run ended. The error is its reason
// if the jobs have not all ended.
func ended(ctx context.Context, record *trace.Run, end drive.End) error {
	record.SlurmVersion, record.HiGHSVersion = end.SlurmVersion, end.HiGHSVersion
	record.MariaDBVersion = end.MariaDBVersion
	record.EffectiveSettings = end.EffectiveSettings
	record.Submitted, record.ArrivalLagMax, record.RealSeconds = end.Submitted, end.ArrivalLagMax, end.RealSeconds
	record.Fidelity, record.Lateness, record.MemoryBytes = end.Fidelity, end.Lateness, end.MemoryBytes
	switch {
	case end.Status == trace.StatusComplete || end.Position != nil:
		return nil
	case ctx.Err() != nil:
		record.Status = end.Status
		return stopReason(ctx)
	default:
		record.Status = end.Status
		return errors.New(end.Reason)
	}
}
