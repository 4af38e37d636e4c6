package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/emulator/djsb/benchmark"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/djsb"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl"
	"github.com/slurmlab/slurmlab/slurmctl/values"
	"github.com/slurmlab/slurmlab/workloads/djsbconfig"
)

// djsbSocket is where payloads find the benchmark.
const djsbSocket = "/run/slurmlab/djsb.sock"

// The times between two questions for a job, virtual. What waits for an analytics' end, as a
// suspended simulation does, waits up to djsbPoll longer than for the scheduler.
const (
	djsbPoll     = 250 * time.Millisecond
	djsbSlowPoll = 10 * time.Second
)

func djsbCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "djsb",
		Short: "Run the dynamic job scheduling benchmark: a request on standard input, results on standard output",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			var request benchmark.Request
			input, err := readRequest(os.Stdin, &request)
			if err != nil {
				return err
			}
			// The end of the input is the order to stop.
			ctx, stop := whileOpen(cmd.Context(), input, drive.ErrStopped)
			defer stop()
			return runDJSB(ctx, state, request)
		},
	}
}

func runDJSB(ctx context.Context, state boot.State, request benchmark.Request) error {
	if err := os.Remove(djsbSocket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("run benchmark: %w", err)
	}
	l, err := net.Listen("unix", djsbSocket)
	if err != nil {
		return fmt.Errorf("run benchmark: %w", err)
	}
	emit := drive.Serialise[benchmark.Line](json.NewEncoder(os.Stdout).Encode)
	alive, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	// If nobody listens, the next result says so.
	go func() { _ = drive.StayAlive(alive, func() error { return emit(benchmark.Line{Alive: true}) }) }()
	c := request.Config
	server := &benchmark.Server{Model: &request.Model, Node: benchmark.Node{Cores: c.Machine.Cores, Memory: int64(c.Machine.Memory)}, Now: state.Clock.Now}
	script := func(self string, part benchmark.Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
		return djsbScript(self, part, benchmark.Placed(c, request.Model, part, a), scenario)
	}
	if request.Real {
		server.Model = nil
		if script, err = realScript(ctx, c); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	// What a limit of the container breaks is no result.
	go func() {
		// If nobody listens, the next result says so.
		stop(boot.OwnCgroup().Watch(ctx, eachOnce(func(text string) { _ = emit(benchmark.Line{Warning: text}) })))
	}()
	ended := make(chan struct{}, 1)
	go func() {
		stop(jobs.Ends(conf.CompletionLog).Follow(ctx, func(int) {
			select {
			case ended <- struct{}{}:
			default:
			}
		}))
	}()
	slurm, err := connect(ctx, state)
	if err != nil {
		return errors.Join(err, l.Close(), <-served)
	}
	defer func() { _ = slurm.Close() }()
	if err = reserve(ctx, commands(state), c.Reservation); err != nil {
		return errors.Join(err, l.Close(), <-served)
	}
	endAgent, err := djsbAgent(ctx, state, request.Policy, stop)
	if err != nil {
		return errors.Join(err, l.Close(), <-served)
	}
	defer endAgent()
	// The first question starts the program that asks, which comes before time is skipped.
	if _, err = slurm.Queue(ctx); err != nil {
		return errors.Join(err, l.Close(), <-served)
	}
	state.Clock.Go()
	defer state.Clock.Hold()
	b := benchmark.Benchmark{
		Config: c, Seed: request.Seed, Clock: state.Clock, Poll: djsbPoll, SlowPoll: djsbSlowPoll, Ended: ended,
		Scheduler: &benchmark.Cluster{Control: slurm, Runner: slurm.Runner, Reservation: c.Reservation},
		Script: func(part benchmark.Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
			return script(self, part, a, scenario)
		},
		Changes: server.Changes, WholeSeconds: request.Real,
		Partition: func(part benchmark.Part, scenario djsbconfig.Scenario) string {
			if part == benchmark.Simulation {
				return ""
			}
			return conf.Preemption(scenario.PreemptMode()).Urgent()
		},
		Emit: func(e djsb.Event) error { return emit(benchmark.Line{Event: e}) },
	}
	err = b.Run(ctx)
	return errors.Join(err, l.Close(), <-served)
}

// reserve makes the reservation that the jobs run in: all nodes, for as long as the cluster lives.
// Without a name there is none.
func reserve(ctx context.Context, runner slurmctl.Runner, name string) error {
	if name == "" {
		return nil
	}
	if _, err := runner.Run(ctx, nil, "scontrol", "create", "reservation", "ReservationName="+name, "StartTime=now", "Duration=UNLIMITED", "Users=root", "Nodes=ALL"); err != nil {
		return fmt.Errorf("make reservation %s: %w", name, err)
	}
	return nil
}

// djsbAgent has the agent of a policy schedule until end is called. broken is called if the agent ends before.
// Without an agent nothing happens.
func djsbAgent(ctx context.Context, state boot.State, text json.RawMessage, broken func(error)) (end func(), err error) {
	var p policy.Policy
	if len(text) > 0 {
		if err = json.Unmarshal(text, &p); err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
	}
	if !p.HasAgent() {
		return func() {}, nil
	}
	log, file, err := openLog(boot.LogDir, state.Clock)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	ready, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		err := schedule(ctx, state, p, log, func(trace.Cycle) error { return nil }, func() { close(ready) })
		if ctx.Err() == nil {
			broken(fmt.Errorf("the agent ended: %w", err))
		}
	}()
	select {
	case <-ready:
	case <-ended:
	}
	return func() {
		stop()
		<-ended
		_ = file.Close()
	}, nil
}

// djsbScript is the script of an emulated application. LD_PRELOAD is for programs that do not
// know the clock.
func djsbScript(self string, part benchmark.Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
	lends := part == benchmark.Simulation && scenario == djsbconfig.ScenarioCooperative
	return fmt.Sprintf("#!/bin/bash\nunset LD_PRELOAD\nexec %s %s --work %s --threads %d --memory %d --lends=%t\n",
		self, djsbPayloadName, a.ExecTime, a.CPUsPerNode(), int64(a.MemoryPerNode()), lends)
}

// realScript makes the script of a real application. Its work is what it computes alone in its
// time, here and now.
func realScript(ctx context.Context, c djsbconfig.DJSB) (func(string, benchmark.Part, djsbconfig.Application, djsbconfig.Scenario) string, error) {
	passes := map[benchmark.Part]int{}
	for part, a := range map[benchmark.Part]djsbconfig.Application{benchmark.Simulation: c.Simulation, benchmark.Analysis: c.Analysis.Application} {
		triad, err := benchmark.NewTriad(int64(a.MemoryPerNode()), a.CPUsPerNode())
		if err != nil {
			return nil, err
		}
		if passes[part], err = triad.Calibrate(ctx, a.ExecTime.Duration); err != nil {
			return nil, err
		}
	}
	return func(self string, part benchmark.Part, a djsbconfig.Application, scenario djsbconfig.Scenario) string {
		lends := part == benchmark.Simulation && scenario == djsbconfig.ScenarioCooperative
		return fmt.Sprintf("#!/bin/bash\nexec %s %s --passes %d --threads %d --memory %d --lends=%t\n",
			self, djsbStreamName, passes[part], a.CPUsPerNode(), int64(a.MemoryPerNode()), lends)
	}, nil
}

// djsbStreamName is the command that realScript runs.
const djsbStreamName = "djsb-stream"

func djsbStreamCommand() *cobra.Command {
	r := benchmark.Real{Stop: benchmark.StopSelf}
	cmd := &cobra.Command{
		Use:    djsbStreamName,
		Short:  "Be an application of the benchmark that computes",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signals := make(chan os.Signal, 4)
			signal.Notify(signals, syscall.SIGTSTP, syscall.SIGCONT)
			var err error
			if r.Load.Nodes, err = values.ExpandHosts(strings.TrimSpace(os.Getenv("SLURM_JOB_NODELIST"))); err != nil {
				return fmt.Errorf("read SLURM_JOB_NODELIST: %w", err)
			}
			if r.Triad, err = benchmark.NewTriad(r.Load.Memory, r.Load.Threads); err != nil {
				return err
			}
			conn, err := net.Dial("unix", djsbSocket)
			if err != nil {
				return fmt.Errorf("find the benchmark: %w", err)
			}
			defer func() { _ = conn.Close() }()
			r.Job, r.Signals = os.Getenv("SLURM_JOB_ID"), signals
			return r.Run(cmd.Context(), conn)
		},
	}
	cmd.Flags().IntVar(&r.Passes, "passes", 0, "passes over the arrays")
	cmd.Flags().IntVar(&r.Load.Threads, "threads", 0, "threads")
	cmd.Flags().Int64Var(&r.Load.Memory, "memory", 0, "bytes of the arrays")
	cmd.Flags().BoolVar(&r.Load.Lends, "lends", false, "lend cores to jobs that come")
	return cmd
}

// djsbPayloadName is the command that djsbScript runs.
const djsbPayloadName = "djsb-payload"

func djsbPayloadCommand() *cobra.Command {
	var p benchmark.Payload
	cmd := &cobra.Command{
		Use:    djsbPayloadName,
		Short:  "Be an application of the benchmark",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			signals := make(chan os.Signal, 4)
			signal.Notify(signals, syscall.SIGTSTP, syscall.SIGCONT)
			state, err := boot.Load(boot.StatePath)
			if err != nil {
				return err
			}
			// Slurm may have suspended the job before it came here.
			scheduler := benchmark.Slurm{Runner: &slurmctl.Exec{Env: append(os.Environ(), state.Env...)}}
			p.Job = os.Getenv("SLURM_JOB_ID")
			status, err := scheduler.Poll(cmd.Context(), p.Job)
			if err != nil {
				return err
			}
			if p.Load.Nodes, err = values.ExpandHosts(strings.TrimSpace(os.Getenv("SLURM_JOB_NODELIST"))); err != nil {
				return fmt.Errorf("read SLURM_JOB_NODELIST: %w", err)
			}
			conn, err := net.Dial("unix", djsbSocket)
			if err != nil {
				return fmt.Errorf("find the benchmark: %w", err)
			}
			defer func() { _ = conn.Close() }()
			p.Clock, p.Start, p.Suspended, p.Signals = state.Clock, status.Start.Add(status.Suspended), status.SuspendedAt, signals
			return p.Run(cmd.Context(), conn)
		},
	}
	cmd.Flags().DurationVar(&p.Work, "work", 0, "time that it takes alone")
	cmd.Flags().IntVar(&p.Load.Threads, "threads", 0, "threads on each node")
	cmd.Flags().Int64Var(&p.Load.Memory, "memory", 0, "bytes on each node")
	cmd.Flags().BoolVar(&p.Load.Lends, "lends", false, "lend cores to jobs that come")
	return cmd
}
