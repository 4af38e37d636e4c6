package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/campaign"
	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

func djsbRunCommand(s *State) *cobra.Command {
	r := djsbRun{model: benchmark.DefaultContention()}
	var f form
	cmd := &cobra.Command{
		Use:   "run [NAME|FILE]",
		Short: "Run the benchmark, emulated or on a system of yours",
		Long: `Runs a configuration of the benchmark ("slurmlab djsb describe" shows it) on a
real Slurm under the jump clock: first each application alone, then each
scenario with each number of analytics.

The applications are emulated. They compute nothing and keep their own progress:
Slurm starts, suspends, resumes and ends real processes, and a model with the
parameters below says how fast each goes beside the others on its nodes.

With --on slurm, allocation, interactive or commands it runs on a system of
yours, in real time. The applications are then programs of yours
(--simulation-command, --analysis-command): jobs of a Slurm, steps of an
allocation, processes of this machine, or whatever the commands of the
configuration make of them. Commands in a file need --trust.

With --real nothing is modelled: the applications are the triad of STREAM, on a
cluster with one slurmd on each node (--backend slurmd), on this machine's cores
and in real time. The configuration is then real unless another one is named.

With --policy another scheduler starts the jobs. One of ours gives a core to one
job, and so runs scenarios in which no two jobs share cores; its configuration
is policy unless another one is named.

A benchmark in which a sample failed is a failed one: it ends with exit code 1,
names the samples, and prints no means.`,
		Example: "  slurmlab djsb run\n" +
			"  slurmlab djsb run figure4 --scenarios stop-continue,cooperative-dynamic\n" +
			"  slurmlab djsb run mine.yaml --on slurm --reservation bench --trust\n" +
			"  slurmlab djsb run --policy auction --set max_bypass=0",
		ValidArgsFunction: ofDJSB().first().cobra,
		Args:              cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.given = cmd.Flags().Visit
			if err := r.prepare(args, f.Check()); err != nil {
				return err
			}
			if err := r.run(cmd.Context(), s); err != nil {
				return err
			}
			return writeDJSB(s, f, r.out)
		},
	}
	r.options(cmd)
	declare(cmd, headJobs,
		flag("saturating", &r.model.Saturating, r.model.Saturating, "model: part of a node's cores that draws all of its memory bandwidth"),
		flag("switch-loss", &r.model.SwitchLoss, r.model.SwitchLoss, "model: part of its speed that a job loses while it shares cores"),
		flag("pressure-none", &r.model.PressureNone, r.model.PressureNone, "model: filled part of a node's memory up to which nothing is lost"),
		flag("pressure-full", &r.model.PressureFull, r.model.PressureFull, "model: filled part from which pressure-loss is lost"),
		flag("pressure-loss", &r.model.PressureLoss, r.model.PressureLoss, "model: part of its speed that a job loses then, beside others"),
	)
	declare(cmd, headJobs, flag("real", &r.real, false, "applications that compute (STREAM's triad), in real time").usual())
	r.trust.flag(cmd, headJobs)
	declare(cmd, headRepeat, flag("seed", &r.seed, 1, "seed of the sleeps").usual())
	r.policyFlags(cmd)
	coreFlag(cmd, s, &r.core, campaign.CoreAuto)
	r.backend.flags(cmd)
	declare(cmd, headResults, flag("out", &r.out, "", "directory to create for the results (default: one below runs/)").completes(ofDirectories).usual())
	f.flags(cmd)
	declare(cmd, headFlags, flag("quiet", &r.quiet, false, "do not say how far the run is").short("q").usual())
	return cmd
}

// djsbRun has the flags of "djsb run".
type djsbRun struct {
	djsbFlags
	djsbPolicy
	config djsbconfig.DJSB
	model  benchmark.Contention
	real   bool
	seed   uint64
	core   string
	out    string
	quiet  bool
	trust  trust
	// backend is chosen for a benchmark on clusters.
	backend backendFlags
	// given visits the flags of the command line.
	given func(visit func(*pflag.Flag))
}

// prepare validates all input. It creates nothing.
func (r *djsbRun) prepare(args []string, faults ...error) error {
	policyErr := r.choose()
	switch {
	case len(args) > 0:
	case r.real:
		args = []string{realDJSB}
	case r.chosen.HasAgent():
		args = []string{agentDJSB}
	}
	c, err := r.load(configuration(args))
	faults = append(faults, err, policyErr, r.model.Validate(), campaign.CheckCore(r.core))
	if err == nil {
		faults = append(faults, r.fit(c, r.real))
	}
	switch {
	case err != nil:
	case c.On != djsbconfig.SystemCluster:
		faults = append(faults, r.idle(c.On), programsThere(c))
	default:
		faults = append(faults, r.fitBackend(djsbNeeds(c, r.real)))
	}
	if err == nil {
		faults = append(faults, r.trust.check(c.Programs))
	}
	if r.out != "" {
		faults = append(faults, checkNew(r.out, "directory"))
	}
	if err = errors.Join(faults...); err != nil {
		return usage(err)
	}
	if r.out == "" {
		r.out = filepath.Join("runs", "djsb-"+c.Name+"-"+stamp())
	}
	r.config = c
	return nil
}

// fitBackend chooses the backend, and refuses one that the benchmark cannot run on.
func (r *djsbRun) fitBackend(needs backend.Needs) error {
	if err := r.backend.choose(needs); err != nil {
		return err
	}
	chosen, able := r.backend.Backend, backend.All().Which(needs.Met)
	if able.Has(chosen) {
		return nil
	}
	return fmt.Errorf("backend: %s is not allowed with djsb, which needs %s; want %s", chosen.Form, needs.Lacking(chosen.Traits()), able)
}

// run runs the benchmark and records how that went.
func (r *djsbRun) run(ctx context.Context, s *State) error {
	record := djsb.Record{
		SchemaVersion: djsb.SchemaVersion, ToolVersion: s.Version, Revision: s.Revision, Config: r.config, Real: r.real, Seed: r.seed,
		Status: trace.StatusIncomplete, Reason: "slurmlab ended before it could record how the run went",
	}
	prepare := r.onCluster
	if r.config.On != djsbconfig.SystemCluster {
		prepare = r.onSystem
	}
	perform, err := prepare(ctx, s, &record)
	if err != nil {
		return err
	}
	dir, err := djsb.Create(r.out, record)
	if err != nil {
		return err
	}
	record.Status, record.Reason = trace.StatusComplete, ""
	if err = perform(dir); err == nil {
		err = r.failedSamples(dir)
	}
	if err != nil {
		record.Status, record.Reason = trace.StatusFailed, err.Error()
		if errors.Is(err, run.ErrStopped) {
			record.Status = trace.StatusIncomplete
		}
		err = fmt.Errorf("benchmark %s is %s: %w", r.out, record.Status, err)
	}
	return errors.Join(err, dir.WriteRecord(record))
}

// onCluster returns what runs the benchmark on clusters of slurmlab, and puts them into the record.
func (r *djsbRun) onCluster(ctx context.Context, s *State, record *djsb.Record) (perform func(djsb.Dir) error, err error) {
	if err = campaign.CoreThere(ctx, run.Docker{}, r.core); err != nil {
		return nil, err
	}
	r.backend.say(s)
	image, err := r.backend.find(ctx, s, run.Docker{})
	if err != nil {
		return nil, err
	}
	if r.real && r.core == campaign.CoreAuto {
		// The applications share this machine's cores themselves.
		r.core = campaign.CoreNone
	}
	record.Backend, record.ImageID, record.Policy = run.Recorded(r.backend.Backend), image.ID, r.chosen.Name
	record.SchedulerParameters = r.chosen.Scheduler.Parameters
	if record.Model, err = json.Marshal(r.model); err != nil {
		return nil, fmt.Errorf("encode model: %w", err)
	}
	return func(dir djsb.Dir) error { return r.clusters(ctx, s, dir) }, nil
}

// clusters boots a cluster for the scenarios that have the same slurm.conf, one after the other.
func (r *djsbRun) clusters(ctx context.Context, s *State, dir djsb.Dir) error {
	core, release, err := campaign.TakeCore(ctx, run.Docker{}, r.core, func([]run.Holder) {})
	if err != nil {
		return err
	}
	defer release()
	agent, err := json.Marshal(r.chosen)
	if err != nil {
		return fmt.Errorf("encode policy: %w", err)
	}
	emit := r.emit(s, dir)
	for left := r.config.Scenarios; len(left) > 0; {
		config, sharing := r.config, djsbSharing(left[0])
		other := func(c djsbconfig.Scenario) bool { return djsbSharing(c) != sharing }
		config.Scenarios = slices.DeleteFunc(slices.Clone(left), other)
		left = slices.DeleteFunc(slices.Clone(left), func(c djsbconfig.Scenario) bool { return !other(c) })
		spec := drive.Spec{
			Machine: workloads.Machine{Nodes: config.Machine.Nodes, Cores: config.Machine.Cores}, Policy: r.chosen, Backend: r.backend.Backend, Clock: r.clock(),
		}
		options := append(run.Options(spec, func(progress.Update) {}), slurm.WithName(filepath.Base(dir.Path())), slurm.WithSharing(sharing))
		if r.real {
			memory := config.Simulation.MemoryPerNode() + workloads.Memory(slices.Max(config.NumOfDynAnalysis))*config.Analysis.MemoryPerNode()
			options = append(options, slurm.WithMemory(daemonMemory+int64(memory)))
		}
		if core != nil {
			options = append(options, slurm.WithCore(*core))
		}
		b := run.Benchmark{
			Image: r.backend.imageName(), Request: benchmark.Request{Config: config, Policy: agent, Model: r.model, Seed: r.seed, Real: r.real}, Emit: emit,
			Warn: func(text string) { s.warnf("%s", text) },
		}
		if err := b.Run(ctx, options...); err != nil {
			return err
		}
	}
	return nil
}

// emit returns what keeps each result and tells of it.
func (r *djsbRun) emit(s *State, dir djsb.Dir) func(djsb.Event) error {
	done := 0
	return func(e djsb.Event) error {
		if e.Trial != nil {
			done++
			r.say(s, *e.Trial, done)
		}
		return dir.Append(e)
	}
}

// daemonMemory is for all but the applications: a cluster of this size is limited to less.
const daemonMemory = 2 << 30

// clock is the time that the applications run in.
func (r *djsbRun) clock() clock.Settings {
	if r.real {
		return clock.Settings{Kind: clock.KindReal}
	}
	return clock.Settings{Kind: clock.KindJump}
}

// failedSamples names the samples that have no metrics, which makes a benchmark a failed one.
func (r *djsbRun) failedSamples(dir djsb.Dir) error {
	results, err := djsb.Read(trace.Folder(dir.Path()), dir.Path())
	if err != nil {
		return err
	}
	if got := len(results.Trials); got != r.samples() {
		return fmt.Errorf("it has %d samples, want %d", got, r.samples())
	}
	if failures := results.Failures(); len(failures) > 0 {
		return fmt.Errorf("%d of %d samples failed:\n  %s", len(failures), len(results.Trials), strings.Join(failures, "\n  "))
	}
	return nil
}

// samples is the number of samples of the whole configuration.
func (r *djsbRun) samples() int {
	return len(r.config.Scenarios) * len(r.config.NumOfDynAnalysis) * r.config.NumOfSamples
}

// say shows how far the run is, and a sample that failed in any case.
func (r *djsbRun) say(s *State, t djsb.Trial, done int) {
	if t.Failed != "" {
		s.warnf("%s with %d analytics, sample %d: %s", t.Scenario, t.NumOfDynAnalysis, t.Number, t.Failed)
	}
	if !r.quiet {
		_, _ = fmt.Fprintf(s.Stderr, "%d of %d: %s with %d analytics, sample %d\n", done, r.samples(), t.Scenario, t.NumOfDynAnalysis, t.Number)
	}
}

// readDJSB reads a directory, warns of what is missing in it, and draws its pictures there.
func readDJSB(s *State, dir string) (djsb.Results, error) {
	results, err := djsb.Read(trace.Folder(dir), dir)
	if err != nil {
		return results, usage(err)
	}
	if results.Record.Status != trace.StatusComplete {
		s.warnf("%s: the benchmark is %s: %s", dir, results.Record.Status, results.Record.Reason)
	}
	for _, failure := range results.Failures() {
		s.warnf("%s: %s; it is in no mean", dir, failure)
	}
	pictures := map[string]func(io.Writer) error{"djsb.svg": results.Draw}
	if results.Record.Config.On == djsbconfig.SystemCluster {
		// Nobody watches what programs of the user's compute with.
		pictures["timeline.svg"] = results.DrawTimeline
	}
	for name, draw := range pictures {
		if err = trace.WriteAtomic(filepath.Join(dir, name), draw); err != nil {
			s.warnf("%s is not drawn: %v", filepath.Join(dir, name), err)
		}
	}
	return results, nil
}

// writeDJSB prints the table of a directory.
func writeDJSB(s *State, f form, dir string) error {
	results, err := readDJSB(s, dir)
	if err != nil {
		return err
	}
	t, err := djsb.Table(results.Summaries)
	if err != nil {
		return err
	}
	return f.print(s, t, "slurmlab djsb report --wide --part results "+dir)
}
