package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/tools/faults/internal/check"
	"github.com/slurmlab/slurmlab/workloads"
)

// killedRun is a kill that is being played.
type killedRun struct {
	stage
	kill
	dir string
	// victim is the name of the process that was killed, empty if there was none; during is the step, and at the real
	// time since the beginning.
	victim, during string
	at             time.Duration
	mu             sync.Mutex
	step           string
	// exits has the exit code of each step that was made, -1 if a signal ended it.
	exits []exit
	// printed is what steps printed on standard error, out on standard output.
	printed, out map[string]string
	broken       []check.Broken
}

type exit struct {
	step string
	code int
}

func (e exit) String() string { return fmt.Sprintf("%s %d", e.step, e.code) }

func (k *killedRun) breaks(invariant int, format string, args ...any) {
	k.broken = append(k.broken, check.Broken{Invariant: invariant, Text: fmt.Sprintf(format, args...)})
}

// playKill plays a kill in a new directory. Of its commands it is known that without a kill they take so long; if that
// is 0, nothing is killed, and took is how long they take. An error means that the nemesis itself failed.
func playKill(ctx context.Context, s stage, drawn kill, dir string, whole time.Duration) (k *killedRun, took time.Duration, err error) {
	k = &killedRun{stage: s, kill: drawn, printed: map[string]string{}, out: map[string]string{}}
	if k.dir, err = filepath.Abs(dir); err != nil {
		return k, 0, err
	}
	if err = os.MkdirAll(k.temporary(), 0o755); err != nil {
		return k, 0, err
	}
	if err = s.writeStudy(drawn); err != nil {
		return k, 0, err
	}
	defer func() { err = errors.Join(err, k.clear()) }()
	first := s.steps(drawn, k.dir, false)
	began := time.Now()
	striking, over := context.WithCancel(ctx)
	var strike sync.WaitGroup
	if whole > 0 {
		strike.Go(func() { err = k.strike(striking, began, time.Duration(drawn.share*float64(whole))) })
	}
	ended := k.commands(ctx, first)
	over()
	strike.Wait()
	took = time.Since(began)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return k, took, err
	}
	if ofSlurmlab(k.victim) {
		k.settle(ctx)
	}
	left, err := k.residue(ctx)
	if err == nil && ofSlurmlab(k.victim) && running(left) {
		// The engine has just started a container that the killed slurmlab had asked for.
		k.settle(ctx)
		left, err = k.residue(ctx)
	}
	if err != nil {
		return k, took, err
	}
	k.atOnce(left)
	if !ended || ofSlurmlab(k.victim) {
		if err = k.mend(ctx, first); err != nil {
			return k, took, err
		}
		if left, err = k.residue(ctx); err != nil {
			return k, took, err
		}
	}
	k.afterwards(left)
	return k, took, k.judge()
}

func (k *killedRun) temporary() string { return filepath.Join(k.dir, "tmp") }

// strike kills a process at the instant.
func (k *killedRun) strike(ctx context.Context, began time.Time, after time.Duration) error {
	select {
	case <-time.After(time.Until(began.Add(after))):
	case <-ctx.Done():
		return nil
	}
	for ctx.Err() == nil {
		here, err := k.containers(ctx)
		if ctx.Err() != nil {
			// The commands ended meanwhile.
			return nil
		}
		if err != nil {
			return err
		}
		var ids []string
		for _, c := range here {
			ids = append(ids, c.ID)
		}
		all, err := living(k.temporary(), ids)
		if err != nil {
			return err
		}
		// One that is no longer there was not killed.
		if p, some := choose(all, k.kill.victim, k.process); some && killProcess(p) {
			k.mu.Lock()
			k.victim, k.during, k.at = p.name, k.step, time.Since(began)
			k.mu.Unlock()
			return nil
		}
	}
	return nil
}

// commands makes steps one after the other, up to the first that fails. The cluster of "up" is looked at and removed in
// any case.
func (k *killedRun) commands(ctx context.Context, steps []step) bool {
	good := true
	for _, s := range steps {
		always := k.kind == anUp && (s.args[0] == stepStatus || s.args[0] == stepDown)
		if !good && !always || ctx.Err() != nil {
			continue
		}
		k.mu.Lock()
		k.step = s.name
		k.mu.Unlock()
		if code := k.command(ctx, s.name, s.args...); code != 0 {
			good = false
		}
	}
	return good
}

// command makes a command of slurmlab.
func (k *killedRun) command(ctx context.Context, name string, args ...string) int {
	ctx, stop := context.WithTimeout(ctx, bound)
	defer stop()
	cmd := exec.CommandContext(ctx, k.Slurmlab, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+k.temporary(), "HOME="+k.temporary())
	var out, printed strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &printed
	err := cmd.Run()
	code := cmd.ProcessState.ExitCode()
	switch {
	case cmd.ProcessState == nil:
		k.breaks(0, "%s cannot be started: %v", name, err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		k.breaks(1, "%s had not ended after %v", name, bound)
	}
	k.exits = append(k.exits, exit{name, code})
	k.printed[name], k.out[name] = printed.String(), out.String()
	for ending, text := range map[string]string{".out": out.String(), ".err": printed.String()} {
		if err := os.WriteFile(filepath.Join(k.dir, name+ending), []byte(text), 0o644); err != nil {
			k.breaks(0, "%v", err)
		}
	}
	return code
}

// code is the exit code of a step that was made.
func (k *killedRun) code(step string) (int, bool) {
	for _, e := range k.exits {
		if e.step == step {
			return e.code, true
		}
	}
	return 0, false
}

// mend does what a user does after a kill: completes the run whose jobs have ended, begins what broke once more, and
// types the same command of a campaign again. All of that must succeed.
func (k *killedRun) mend(ctx context.Context, first []step) error {
	again := k.steps(k.kill, k.dir, true)
	if k.kind == anUp {
		k.must(ctx, again)
		return ctx.Err()
	}
	for i, s := range first {
		code, made := k.code(s.name)
		if made && code == 0 && i < len(first)-1 {
			// What it left is gone on from.
			again[i+1] = k.afterPast(again[i+1], again[i], s)
			continue
		}
		if s.run != "" {
			if r, err := check.JudgeRun(s.run, ""); err == nil && r.Ended && r.Status != trace.StatusComplete {
				if code := k.command(ctx, s.name+"-resumed", "run", "--quiet", "--resume", s.run); code != 0 && !r.Failed {
					k.breaks(9, "slurmlab run --resume ended with exit code %d: %s", code, told(k.printed[s.name+"-resumed"]))
				}
			}
		}
		k.must(ctx, again[i:])
		break
	}
	return ctx.Err()
}

// afterPast is a step that continues from the run of another one.
func (k *killedRun) afterPast(s, instead, from step) step {
	s.args = slices.Clone(s.args)
	if i := slices.Index(s.args, instead.run); i >= 0 {
		s.args[i] = from.run
	}
	return s
}

// must makes steps that must succeed (invariant 9).
func (k *killedRun) must(ctx context.Context, steps []step) {
	k.commands(ctx, steps)
	for _, s := range steps {
		if code, made := k.code(s.name); !made || code != 0 {
			k.breaks(9, "%s after the kill ended with exit code %d: %s", s.name, code, told(k.printed[s.name]))
			return
		}
	}
}

// told is the error that slurmlab printed: the first line that names slurmlab, or the last line.
func told(text string) string {
	const begins = "slurmlab: "
	lines := strings.Split(strings.TrimSpace(text), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, begins) })
	if i < 0 {
		i = len(lines) - 1
	}
	return strings.TrimPrefix(strings.TrimSpace(lines[i]), begins)
}

// containers lists the containers of the kill.
func (k *killedRun) containers(ctx context.Context) ([]check.LeftContainer, error) {
	return containers(ctx, k.dir, "kills-"+k.name())
}

// residue is what is left of all commands.
func (k *killedRun) residue(ctx context.Context) (r check.Residue, err error) {
	if r.Containers, err = k.containers(ctx); err != nil {
		return r, err
	}
	pids, commands, err := processes(k.temporary())
	if err != nil {
		return r, err
	}
	r.Processes = commands
	if r.Locks, err = locks(pids); err != nil {
		return r, err
	}
	r.Files, err = temporaryFiles(k.temporary(), k.dir)
	return r, err
}

// settle waits until what a killed slurmlab could not remove has ended by itself.
func (k *killedRun) settle(ctx context.Context) {
	if k.kind == anUp {
		return
	}
	for limit := time.Now().Add(settleLimit); time.Now().Before(limit) && ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
		// A container that goes just now can make it an error.
		if left, err := k.residue(ctx); err == nil && !running(left) {
			return
		}
	}
}

// atOnce is invariant 8 at the end of the commands: what a killed slurmlab could not remove has ended, and what a
// living one left it names.
func (k *killedRun) atOnce(left check.Residue) {
	killed := ofSlurmlab(k.victim)
	for _, c := range left.Containers {
		if killed && (k.kind == anUp || rests(c)) || k.named(c.ID[:12]) {
			continue
		}
		k.breaks(8, "container %.12s is left over (%s), and nobody says so", c.ID, c.State)
	}
	for _, p := range left.Processes {
		k.breaks(8, "process left over: %s", p)
	}
}

func (k *killedRun) named(id string) bool {
	for _, text := range k.printed {
		if strings.Contains(text, id) {
			return true
		}
	}
	return false
}

// afterwards is invariant 8 after all.
func (k *killedRun) afterwards(left check.Residue) {
	for _, c := range left.Containers {
		k.breaks(8, "container %.12s is left over (%s) after the next command", c.ID, c.State)
	}
	for _, what := range slices.Concat(left.Locks, left.Files, left.Processes) {
		k.breaks(8, "left over after the next command: %s", what)
	}
}

// judge judges all that the commands left.
func (k *killedRun) judge() error {
	killed := ofSlurmlab(k.victim)
	for _, again := range []bool{false, true} {
		for _, s := range k.steps(k.kill, k.dir, again) {
			code, made := k.code(s.name)
			switch {
			case !made:
			case s.run != "":
				k.judgeRun(s, code, killed)
			case s.args[0] == "campaign":
				if err := k.judgeStudy(); err != nil {
					return err
				}
			case s.args[0] == "shell" && code == 0:
				k.judgeUp(s)
			}
		}
	}
	return nil
}

// judgeRun judges a run and says whether the exit code is true.
func (k *killedRun) judgeRun(s step, code int, killed bool) {
	r, err := check.JudgeRun(s.run, k.printed[s.name])
	if err != nil {
		if _, statErr := os.Stat(s.run); !killed && statErr == nil {
			k.breaks(7, "%s has no run.json: %v", s.name, err)
		}
		return
	}
	k.broken = append(k.broken, r.Broken...)
	resumed, wasResumed := k.code(s.name + "-resumed")
	good := r.Status == trace.StatusComplete || s.stops && code == 0
	if wasResumed && resumed == 0 {
		code = 0
	}
	if good != (code == 0) && code >= 0 {
		k.breaks(7, "%s ended with exit code %d and is %s: %s", s.name, code, r.Status, r.Reason)
	}
}

// judgeStudy judges each run of a campaign.
func (k *killedRun) judgeStudy() error {
	study := filepath.Join(k.dir, stepStudy)
	dirs, err := filepath.Glob(filepath.Join(study, "*"))
	if err != nil {
		return err
	}
	complete := 0
	for _, dir := range dirs {
		if strings.HasSuffix(dir, ".zip") {
			unpacked := filepath.Join(k.dir, "unpacked", strings.TrimSuffix(filepath.Base(dir), ".zip"))
			if err = unzip(dir, unpacked); err != nil {
				k.breaks(8, "%s is no archive: %v", dir, err)
				continue
			}
			dir = unpacked
		}
		r, err := check.JudgeRun(dir, k.printed[stepStudy]+k.printed[stepStudy+"-again"])
		if err != nil {
			continue
		}
		k.broken = append(k.broken, r.Broken...)
		if r.Status == trace.StatusComplete {
			complete++
		}
	}
	if last := k.exits[len(k.exits)-1]; last.code == 0 && complete != runsOfStudy {
		k.breaks(2, "the campaign ended well with %d complete runs, want %d", complete, runsOfStudy)
	}
	return nil
}

// unzip makes a directory of an archive, unless it is there already.
func unzip(path, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }()
	return os.CopyFS(to, archive)
}

// judgeUp judges the jobs of a cluster. A job whose process was killed has failed.
func (k *killedRun) judgeUp(s step) {
	machine, err := workloads.LoadMachine(k.Machine)
	if err != nil {
		k.breaks(0, "%v", err)
		return
	}
	broken, err := check.JudgeUp(k.out[s.name], jobsOfUp(), machine)
	if err != nil {
		k.breaks(2, "%v", err)
	}
	if ofJob(k.victim) && s.name == stepJobs {
		broken = slices.DeleteFunc(broken, func(b check.Broken) bool { return b.Invariant == 5 })
	}
	k.broken = append(k.broken, broken...)
}

// clear removes what the kill left.
func (k *killedRun) clear() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	left, err := k.containers(ctx)
	for _, c := range left {
		_, removeErr := docker(ctx, "rm", "--force", "--volumes", c.ID)
		err = errors.Join(err, removeErr)
	}
	return err
}

// smooth says that each command ended well.
func (k *killedRun) smooth() bool {
	return !slices.ContainsFunc(k.exits, func(e exit) bool { return e.code != 0 })
}

// outcome says in one line what came of the kill.
func (k *killedRun) outcome() string {
	var parts []string
	for _, e := range k.exits {
		text := e.String()
		if e.code != 0 {
			text += ": " + short(told(k.printed[e.step]))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
