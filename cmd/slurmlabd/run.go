package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/watch"
	"github.com/slurmlab/slurmlab/plugin-bridge/agent"
	"github.com/slurmlab/slurmlab/plugin-bridge/plugin"
	"github.com/slurmlab/slurmlab/plugin-bridge/solver"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/channel"
)

// commandLimit is the real time that one scontrol command may take.
const commandLimit = 30 * time.Second

func runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Drive one run: a request on standard input, events on standard output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			var request drive.Request
			input, err := readRequest(os.Stdin, &request)
			if err != nil {
				return err
			}
			log, logFile, err := openLog(boot.LogDir, state.Clock)
			if err != nil {
				return err
			}
			defer func() { _ = logFile.Close() }()
			// The end of the input is the order to stop.
			// What comes before is of a program on the user's machine.
			program := plugin.NewDistant()
			ctx, stop := whileOpen(cmd.Context(), io.TeeReader(input, program), drive.ErrStopped)
			defer stop()
			if err = run(ctx, state, request, program, log); err != nil {
				log.Error("run broke", "error", err)
			}
			return err
		},
	}
}

// run drives the run of a request, under a policy "host:FILE" with its program.
func run(ctx context.Context, state boot.State, request drive.Request, program *plugin.Distant, log *slog.Logger) error {
	out := json.NewEncoder(os.Stdout)
	// The goroutines of a run emit one event at a time.
	emit := drive.Serialise[drive.Event](out.Encode)
	program.Send = func(c plugin.Call) error { return emit(drive.Event{Call: &c}) }
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	// If nobody listens, the driver's next event says so.
	go func() { _ = drive.StayAlive(alive, func() error { return emit(drive.Event{Alive: true}) }) }()
	slurm, err := connect(ctx, state)
	if err != nil {
		return err
	}
	defer func() { _ = slurm.Close() }()
	if ctx, err = listen(ctx, state, log); err != nil {
		return err
	}
	// mayBeStopped says of a stopped process that nobody misses it.
	mayBeStopped := func(int) bool { return false }
	driver := &drive.Driver{
		Client: &slurmctl.Client{Runner: commands(state)}, Slurm: slurm, Clock: state.Clock, Request: request, Out: drive.OutDir,
		Watch: func(ctx context.Context, restarted func(drive.Outage)) error {
			return state.Watch(ctx, func(r boot.Restart) { restarted(outage(r)) })
		},
		Ends:         jobs.Ends(conf.CompletionLog).Follow,
		RunnerEnds:   runnerEnds,
		Running:      jobs.Spool(conf.SpoolDir).Running,
		Processes:    func() map[string][]int { return processes(state) },
		Heard:        heard(),
		Completed:    completed,
		Computed:     func() (time.Duration, error) { return drive.Computed(state.Clock.Controller()) },
		Uncontrolled: func() bool { return state.Clock.Kind == clock.KindJump && !boot.Runs(state.Clock.Controller()) },
		BootStops:    bootStops(state),
		Emit:         emit,
		Log:          log,
	}
	driver.Stopped = func() []string { return stopped(state, mayBeStopped) }
	driver.Freeze = func(ctx context.Context) error { return freeze(ctx, state) }
	whole := driver.Drive
	if request.Policy.HasAgent() {
		// A submission does not wait until the agent has read the cluster's state.
		asks := slurm.beside(state)
		defer func() { _ = asks.Reader.Close() }()
		cluster := newCluster(asks, state.Spec, request.Policy.Priority, request.Policy.Parameters)
		driver.Prepare = func(ctx context.Context) error {
			_, stateErr := cluster.State(ctx)
			return stateErr
		}
		solvers := &endedSolvers{}
		scheduler, help, agentErr := newAgent(ctx, agentRequest{
			state: state, cluster: cluster, order: request.Policy.Priority, parameters: request.Policy.Parameters,
			journal: drive.OutDir, used: solvers.add, host: program, log: log,
		})
		if agentErr != nil {
			return agentErr
		}
		defer help.Close()
		if from := request.From; from != nil && from.Agent != nil {
			var memory agent.Memory
			if err = json.Unmarshal(from.Agent, &memory); err != nil {
				return fmt.Errorf("read the agent of the checkpoint: %w", err)
			}
			scheduler.Remember(memory)
		}
		mayBeStopped = help.mayBeStopped
		driver.Ended = solvers.list
		whole = func(ctx context.Context) drive.End {
			end := driver.Drive(ctx)
			if end.Position != nil {
				end.Position.Agent, _ = json.Marshal(scheduler.Memory())
			}
			if why := help.lost(); why != "" {
				// If nobody listens, the run's next event says so.
				_ = emit(drive.Event{Warning: why + "; no program was lost with it."})
			}
			return end
		}
		driver.Scheduler, driver.Reconnect = scheduler, slurm.Reopen
		stands := &stand{clock: state.Clock, hindered: scheduler.Hindered, news: true, agent: watch.Agent{
			Policy:   request.Policy.Name,
			Began:    watch.Moment{Real: time.Now(), Virtual: state.Clock.Now()},
			Interval: request.Policy.Parameters.Interval,
		}}
		driver.Emit = func(e drive.Event) error {
			if e.Cycle != nil {
				stands.learn(*e.Cycle)
			}
			return emit(e)
		}
		go stands.keep(alive, log)
	}
	// A stopped helper computes nothing, as a stopped daemon does.
	go boot.HoldWhileStopped(alive, state.Clock, func() []int { return slices.DeleteFunc(boot.Children(os.Getpid()), mayBeStopped) })
	for _, note := range state.Settings.Notes {
		// If nobody listens, the run's next event says so.
		_ = emit(drive.Event{Warning: note})
	}
	// If nobody listens, the run's next event says so.
	warn := eachOnce(func(text string) { _ = emit(drive.Event{Warning: text}) })
	ended := within(ctx, boot.OwnCgroup(), warn, whole)
	ended.EffectiveSettings = state.Settings.Effective
	if ended.SlurmVersion, err = slurmVersion(ctx, state); err != nil {
		if ended.Status == trace.StatusComplete {
			return err
		}
		// The reason of the run says more.
		log.Error("version not known", "error", err)
	}
	ended.HiGHSVersion, _ = solver.HiGHSVersion()
	if ended.MariaDBVersion, err = mariaDBVersion(ctx); err != nil {
		// Nothing of the run depends on it.
		log.Warn("version not known", "error", err)
	}
	return emit(drive.Event{End: &ended})
}

// listen has jobs ended whose scripts ask for it, until ctx ends, in a cluster whose nodes run scripts. The context that
// it returns ends with the cause when nobody listens any more.
//
// Ends have a slurmchannel of their own: a submission into a full queue may keep the driver's busy for a minute.
func listen(ctx context.Context, state boot.State, log *slog.Logger) (context.Context, error) {
	chosen, err := backend.Of(state.Spec)
	if err != nil || chosen.Nodes(state.Spec).Conf.External {
		return ctx, err
	}
	helper := channel.NewHelper(commands(state), commandLimit)
	// The first question starts the program. If it gets no answer, an end is tried again.
	if _, err = helper.Known(ctx); err != nil {
		log.Warn("no answer before the run", "error", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	opened := make(chan struct{})
	go func() {
		l := jobs.Listener{Slurm: helper, Clock: state.Clock, After: afterSecond, Log: log}
		stop(errors.Join(l.Listen(ctx, jobs.PipePath, func() { close(opened) }), helper.Close()))
	}()
	select {
	case <-opened:
		return ctx, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// heard reads Slurm's own files of starts and ends.
func heard() func() ([]drive.Heard, error) {
	book := jobs.NewBook(jobs.Starts(filepath.Join(boot.LogDir, "slurmctld.log")), conf.CompletionLog)
	return func() ([]drive.Heard, error) { return newsOf(book) }
}

// completed reads Slurm's file of ends, from its beginning.
func completed() ([]drive.Heard, error) { return newsOf(jobs.NewBook("", conf.CompletionLog)) }

func newsOf(book *jobs.Book) ([]drive.Heard, error) {
	seen, err := book.News()
	news := make([]drive.Heard, len(seen))
	for i, s := range seen {
		news[i] = drive.Heard(s)
	}
	return news, err
}

// runnerEnds reads what the runner of external nodes has told Slurm; nothing where there is none.
func runnerEnds() ([]drive.RunnerEnd, error) {
	told, err := external.ReadEnds(filepath.Join(boot.LogDir, external.EndsName))
	ends := make([]drive.RunnerEnd, len(told))
	for i, e := range told {
		ends[i] = drive.RunnerEnd(e)
	}
	return ends, err
}

func outage(r boot.Restart) drive.Outage {
	return drive.Outage{Daemon: r.Daemon, How: r.How, Died: r.Died, Real: r.Outage, Virtual: r.Virtual}
}

// endedSolvers are the solver's processes that have ended, such as those that overran their
// limit.
type endedSolvers struct {
	mu  sync.Mutex
	all []drive.EndedProcess
}

func (e *endedSolvers) add(pid int, processor time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, drive.EndedProcess{Name: "slurmlabd " + workerCommandName, ID: pid, Used: processor})
}

func (e *endedSolvers) list() []drive.EndedProcess {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

// within drives a run until a limit of the container is exceeded, which fails it, and
// which is the reason whatever else broke because of it.
func within(ctx context.Context, limits boot.Cgroup, warn func(string), whole func(context.Context) drive.End) drive.End {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() { stop(limits.Watch(ctx, warn)) }()
	ended := whole(ctx)
	ended.MemoryBytes = limits.MostMemory()
	for _, text := range limits.Crowded() {
		warn(text)
	}
	if err := limits.Exceeded(); err != nil && ended.Reason != err.Error() {
		ended.Status, ended.Reason = trace.StatusFailed, strings.TrimSuffix(err.Error()+"\n  "+ended.Reason, "\n  ")
	}
	return ended
}

// eachOnce tells each text once.
func eachOnce(tell func(string)) func(string) {
	var told sync.Map
	return func(text string) {
		if _, before := told.LoadOrStore(text, true); !before {
			tell(text)
		}
	}
}

// processes lists the parts of the cluster whose processor time is counted separately. They are the daemons,
// slurmlabd, and what slurmlabd and the runner have started, such as the solver's process and the helpers that speak
// to Slurm.
func processes(state boot.State) map[string][]int {
	parts := map[string][]int{"slurmlabd": {state.PID, os.Getpid()}}
	for _, d := range state.Daemons {
		parts[d.Part] = append(parts[d.Part], d.PID)
	}
	if pid := state.Clock.Controller(); pid > 0 {
		parts["vclockd"] = []int{pid}
	}
	known := slices.Concat(slices.Collect(maps.Values(parts))...)
	for _, parent := range slices.Concat(parts["slurmlabd"], parts[backend.RunnerCommand]) {
		for _, pid := range boot.Children(parent) {
			if name := boot.Command(pid); name != "" && !slices.Contains(known, pid) {
				parts[name] = append(parts[name], pid)
			}
		}
	}
	return parts
}

// stopped names the stopped processes of the cluster: the parts, and what the container's
// first process has inherited, as slurmstepd; but for those that may be stopped.
func stopped(state boot.State, mayBeStopped func(pid int) bool) []string {
	// One that ends between two looks has no user any more.
	missed := func(pid int) bool { return boot.Stopped(pid) && !mayBeStopped(pid) && boot.Stopped(pid) }
	parts := processes(state)
	known := map[int]bool{}
	var names []string
	for name, pids := range parts {
		for _, pid := range pids {
			known[pid] = true
		}
		if slices.ContainsFunc(pids, missed) {
			names = append(names, name)
		}
	}
	for _, pid := range boot.Children(1) {
		if !known[pid] && missed(pid) {
			names = append(names, boot.Command(pid))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// bootStops are the stops of the boot as a run records them.
func bootStops(state boot.State) []trace.Stop {
	var all []trace.Stop
	for _, s := range state.Stops {
		all = append(all, trace.Stop{Process: s.Part, Seconds: s.Real.Seconds(), Boot: true})
	}
	return all
}

// mariaDBVersion asks the installed MariaDB: "mariadbd  Ver 11.8.9-MariaDB-2 from Debian for ...".
func mariaDBVersion(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "mariadbd", "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask for MariaDB's version: %w", err)
	}
	_, version, _ := strings.Cut(string(out), " Ver ")
	version, _, found := strings.Cut(version, " ")
	if !found {
		return "", fmt.Errorf("ask for MariaDB's version: %q has none", out)
	}
	return version, nil
}

// slurmVersion asks the installed Slurm, which also answers after ctx has ended
// and without a daemon.
func slurmVersion(ctx context.Context, state boot.State) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandLimit)
	defer cancel()
	var stderr bytes.Buffer
	cmd := state.Command(ctx, "sinfo", "--version")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", errors.Join(fmt.Errorf("ask for Slurm's version: %w", err), errors.New(stderr.String()))
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "slurm "), nil
}
