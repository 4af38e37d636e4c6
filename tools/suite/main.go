package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
)

// logs is where the steps leave what they print, below the top of the checkout.
const logs = "build/suite"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "suite:", err)
	switch {
	case errors.Is(err, errUsage):
		os.Exit(2)
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	}
	os.Exit(1)
}

var (
	// errUsage is the error of arguments that are not understood.
	errUsage = errors.New("bad usage")
	// errFailed is the error of steps that did not pass.
	errFailed = errors.New("not all steps passed")
)

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("suite", flag.ContinueOnError)
	withLint := flags.Bool("lint", false, "also run the steps of lint")
	onlyLong := flags.Bool("long", false, "run the steps of \"make test-long\" and record what came of them in "+record)
	show := flags.Bool("plan", false, "print the steps and run nothing")
	cores := flags.Int("cores", runtime.NumCPU(), "start steps that keep as many `cores` busy")
	if err := flags.Parse(args); err != nil {
		return errors.Join(errUsage, err)
	}
	if *cores < 1 {
		return fmt.Errorf("%w: -cores %d, want at least 1", errUsage, *cores)
	}
	names := flags.Args()
	all := plan(backend.All())
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s step) bool { return s.name == name }) {
			return fmt.Errorf("%w: no step %q; the steps are %s", errUsage, name, strings.Join(stepNames(all), ", "))
		}
	}
	if len(names) == 0 {
		wanted := map[set]bool{tests: !*onlyLong, lint: !*onlyLong && *withLint, unlinted: !*onlyLong && !*withLint, long: *onlyLong}
		for _, s := range all {
			if wanted[s.set] {
				names = append(names, s.name)
			}
		}
	}
	steps := choose(all, names)
	if *show {
		_, err := io.WriteString(stdout, listing(steps))
		return err
	}
	results, err := runSteps(ctx, steps, *cores, stdout)
	if err == nil && *onlyLong && ctx.Err() == nil {
		err = note(ctx, results)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && slices.ContainsFunc(results, func(r result) bool { return r.state != passed }) {
		err = errFailed
	}
	return err
}

// runSteps runs steps and writes their report and table.
func runSteps(ctx context.Context, steps []step, cores int, stdout io.Writer) ([]result, error) {
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return nil, err
	}
	t := &teller{w: stdout, began: time.Now()}
	carryOut := func(ctx context.Context, s step) result {
		t.say(s.name, "begins")
		r := execute(ctx, s, func(format string, args ...any) { t.say(s.name, format, args...) })
		t.say(s.name, "%s", r.state)
		return r
	}
	// Without an engine no container is left; the steps that need one say that it is missing.
	before, engineErr := testContainers(ctx)
	var c clock
	stop := c.watch()
	results := schedule(ctx, steps, 10*cores, carryOut)
	stop()
	stood := c.standstills()
	again(ctx, results, stood, carryOut)
	var left string
	var leftErr error
	if engineErr == nil {
		left, leftErr = removeLeft(context.WithoutCancel(ctx), before)
	}
	_, err := io.WriteString(stdout, still(stood, t.began)+left+report(results, logs))
	var csv bytes.Buffer
	return results, errors.Join(err, leftErr, table(&csv, results), os.WriteFile(filepath.Join(logs, "steps.csv"), csv.Bytes(), 0o644))
}

// teller writes lines of several steps, with the time since the start.
type teller struct {
	mu    sync.Mutex
	w     io.Writer
	began time.Time
}

func (t *teller) say(step, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// A terminal that is gone must not end the steps.
	_, _ = fmt.Fprintf(t.w, "%5.0f s  %-16s %s\n", time.Since(t.began).Seconds(), step, fmt.Sprintf(format, args...))
}

// endDelay is how long an interrupted step may take to clean up after itself.
const endDelay = 30 * time.Second

// execute runs a step's target of make and follows what it prints.
func execute(ctx context.Context, s step, say func(string, ...any)) (r result) {
	r.state = failed
	log, logErr := os.Create(filepath.Join(logs, s.name+".log"))
	events, eventsErr := os.Create(filepath.Join(logs, s.name+".json"))
	if err := errors.Join(logErr, eventsErr); err != nil {
		r.tests.other = []string{err.Error()}
		return r
	}
	f := newFollower(func() bool { return ctx.Err() != nil }, say, log, events)
	cmd := exec.CommandContext(ctx, "make", slices.Concat([]string{"--no-print-directory"}, s.target, []string{"TESTFLAGS=-json"})...)
	// A step is a process group of its own, so that an interrupt of the terminal reaches it once, from here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = endDelay
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	followed := make(chan error, 1)
	go func() {
		err := f.follow(out)
		// A step that goes on must not wait for a reader that has failed.
		out.CloseWithError(err)
		followed <- err
	}()
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		// What has not ended in time would start the next cluster.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	_ = in.Close() // never fails
	err = errors.Join(err, <-followed, log.Close(), events.Close())
	f.end()
	r.tests = f.tally
	if cmd.ProcessState != nil {
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	switch {
	case ctx.Err() != nil:
		r.state = interrupted
	case err != nil:
		r.tests.other = last(r.tests.other, err.Error())
	case s.tests && r.tests.passed == 0:
		r.tests.other = last(r.tests.other, "no test ran")
	case r.tests.failed > 0:
	default:
		r.state = passed
	}
	return r
}

// listing is a line for each step.
func listing(steps []step) string {
	w := &strings.Builder{}
	for _, s := range steps {
		cores := ""
		if s.cores {
			cores = "takes cores"
		}
		fmt.Fprintf(w, "%-16s %-8s make %-24s load %.1f  %-11s  needs %s\n", s.name, s.set, strings.Join(s.target, " "), float64(s.load)/10, cores, strings.Join(s.needs, ", "))
	}
	return w.String()
}

func stepNames(steps []step) []string {
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = s.name
	}
	return names
}
