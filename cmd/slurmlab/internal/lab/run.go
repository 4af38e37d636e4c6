package lab

import (
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

	"github.com/slurmlab/slurmlab/cmd/slurmlab/internal/progress"
	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator"
	"github.com/slurmlab/slurmlab/policy"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// Config is one run.
type Config struct {
	Dir      string // run directory to create
	Reserved bool   // Dir is there, empty, and reserved for this run
	// Slurm is the name of the kind of cluster, see package kinds.
	Slurm string
	// Sources are those of the image.
	Sources  []string
	Image    string
	ImageID  string
	Version  string
	Revision string
	Machine  workloads.Machine
	Workload workloads.Workload
	Jobs     []workloads.Job
	Seed     uint64
	Policy   policy.Policy
	// FullConfiguration is that of emulator.Request: the class of the jobs that no
	// waiting job may start before.
	FullConfiguration string
	Clock             clock.Settings
	// Core is the processor core that the cluster is confined to, nil for none.
	Core *int
	// Report is told what the run does; it must not block.
	Report func(progress.Update)
	// Warn is told of what went wrong beside the run, in a sentence.
	Warn func(string)
	// AllowFailed keeps a run with jobs that did not end as planned.
	AllowFailed bool
	// Memory limits the cluster's container to so many bytes, instead of the limit that
	// follows from machine and jobs; 0 for that.
	Memory int64
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
	err = c.run(ctx, dir, &record)
	record.Finished = time.Now().UTC()
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
		return fmt.Errorf("%w\n  container %.12s keeps its files; fetch them with: slurmlab finish %s", err, record.Container, dir.Path())
	case record.FailedJobs != nil:
		return fmt.Errorf("%w\n  to keep it, marked in every table: slurmlab finish --allow-failed %s", err, dir.Path())
	case record.Ended:
		return fmt.Errorf("%w\n  all its jobs have ended; when the fault is mended: slurmlab finish %s", err, dir.Path())
	default:
		return err
	}
}

// record fills in what is known before the run.
func (c Config) record() (trace.Run, error) {
	spec, err := c.Workload.SpecJSON()
	if err != nil {
		return trace.Run{}, err
	}
	parameters := json.RawMessage("{}")
	if c.Policy.HasAgent() {
		if parameters, err = json.Marshal(c.Policy.Parameters); err != nil {
			return trace.Run{}, fmt.Errorf("encode parameters: %w", err)
		}
	}
	window, windows := c.Workload.Window()
	settings := trace.Settings{
		ToolVersion:         c.Version,
		GitRevision:         c.Revision,
		Slurm:               c.Slurm,
		ImageID:             c.ImageID,
		Machine:             c.Machine,
		Workload:            c.Workload.Name(),
		WorkloadSpec:        spec,
		Seed:                c.Seed,
		Window:              window,
		Windows:             windows,
		Policy:              c.Policy.Name,
		Parameters:          parameters,
		SchedulerType:       c.Policy.Scheduler.Type,
		SchedulerParameters: c.Policy.Scheduler.Parameters,
		PriorityType:        c.Policy.Priority.Plugin(),
		PriorityParameters:  strings.Join(c.Policy.Priority.Lines(), ","),
		FullConfiguration:   c.FullConfiguration,
		Clock:               string(c.Clock.Kind),
		TimeScale:           c.Clock.TimeScale,
		ThinkScale:          c.Clock.ThinkScale,
	}
	return trace.Run{
		SchemaVersion: trace.SchemaVersion,
		ID:            filepath.Base(c.Dir),
		Settings:      settings,
		SlurmSources:  c.Sources,
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

// run starts the cluster, follows the run and removes the cluster. It leaves
// the outcome in record; without an error all that is left to do is finish.
func (c Config) run(ctx context.Context, dir trace.Dir, record *trace.Run) error {
	record.Status = trace.StatusFailed
	c.Report(progress.Update{Stage: progress.Creating})
	options := append(Options(c.Machine, c.Policy, c.Clock, c.Report), slurm.WithSlurm(c.Slurm), slurm.WithName(record.ID), slurm.WithOwner(ownerOf(dir)),
		slurm.WithJobs(len(c.Jobs)), slurm.WithMemory(c.Memory))
	if c.Core != nil {
		options = append(options, slurm.WithCore(*c.Core))
	}
	cluster, err := Start(ctx, c.Image, options...)
	if err != nil {
		if ctx.Err() != nil {
			record.Status = trace.StatusIncomplete
		}
		return err
	}
	defer cluster.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if full := watchRoom(ctx, dir.Path(), leastForRun+uint64(len(c.Jobs))*leastForJob, freeSpace); full != nil {
			stop(full)
		}
	}()
	end, err := c.follow(ctx, cluster, dir, record)
	c.Report(progress.Update{Stage: progress.Collecting})
	if end != nil {
		err = errors.Join(ended(ctx, record, *end), err)
	} else if ctx.Err() != nil {
		record.Status, err = trace.StatusIncomplete, stopReason(ctx)
	}
	record.Ended, record.Container = err == nil, cluster.GetContainerID()
	models := c.Policy.Parameters.DumpModels && c.Policy.HasAgent()
	// Of an interrupted run, too, what was measured is kept.
	return errors.Join(err, bringHome(context.WithoutCancel(ctx), cluster.CopyDir, dir, record, models, c.Warn))
}

// ended takes over how slurmlabd says that the run ended. The error is its reason
// if the jobs have not all ended.
func ended(ctx context.Context, record *trace.Run, end emulator.End) error {
	record.SlurmVersion, record.HiGHSVersion = end.SlurmVersion, end.HiGHSVersion
	record.Submitted, record.ArrivalLagMax, record.RealSeconds = end.Submitted, end.ArrivalLagMax, end.RealSeconds
	record.Fidelity = end.Fidelity
	switch {
	case end.Status == trace.StatusComplete:
		return nil
	case ctx.Err() != nil:
		record.Status = end.Status
		return stopReason(ctx)
	default:
		record.Status = end.Status
		return errors.New(end.Reason)
	}
}
