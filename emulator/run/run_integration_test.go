//go:build integration

package run_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/drive"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// decidedBy gives a run the program of its policy, with the sum that a command takes when it begins.
func decidedBy(t *testing.T, c *run.Config, programFile string) {
	t.Helper()
	p, err := policy.WithProgram(c.Policy, programFile)
	if err != nil {
		t.Fatal(err)
	}
	c.Policy = p
}

// config is a run of a workload, named or in a file, on a backend, below the test's directory, under the jump clock.
// A named workload is cut to estimated.
func config(t *testing.T, on backend.Backend, machine, workload, name string, estimated time.Duration) run.Config {
	t.Helper()
	m, err := workloads.LoadMachine(machine)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workloads.Load(workload)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(workload, "V.") {
		if w, err = w.WithEstimatedRuntime(estimated); err != nil {
			t.Fatal(err)
		}
	}
	jobs, err := w.Jobs(m, 1)
	if err != nil {
		t.Fatal(err)
	}
	policies, err := policy.All()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	backendtest.KeepRuns(t)
	return run.Config{
		Spec: drive.Spec{Backend: on, Machine: m, Workload: w, Jobs: jobs, Seed: 1, Policy: p,
			Clock: clock.Settings{Kind: clock.KindJump, TimeScale: 1, ThinkScale: 1},
		},
		Dir: run.OwnDir(t, name), Image: backendtest.Image(t, on), ImageID: "test", Version: "test",
		Revision: "test", Core: run.CoreOf(t),
		Report: func(progress.Update) {}, Warn: ownStandstills(t, func(text string) { t.Errorf("warned: %s", text) }),
	}
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func complete(t *testing.T, c run.Config) (trace.Data, metric.Metrics) {
	t.Helper()
	if _, err := run.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	dir, err := trace.Open(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Metrics(dir)
	if err != nil {
		t.Fatal(err)
	}
	data, m := r.Data, *r.Metrics
	if may := allowance(data.Run); m.ElapsedError.Max > may || may == 1 && m.ElapsedError.WithinSecond != len(c.Jobs) {
		t.Errorf("elapsed error %+v, want every job of %d within %g s", m.ElapsedError, len(c.Jobs), may)
	}
	proven(t, data.Run, c.Engine)
	return data, m
}

// allowance is how many seconds the jobs of a run may be off. It is one, as Slurm's times are whole seconds, and more
// where the cluster had no idle moment for more than a second, as when it was paused. What is due in such a time
// comes at its end.
func allowance(r trace.Run) float64 {
	if r.Fidelity == nil || r.Fidelity.Jump == nil || r.Fidelity.Jump.LongestBusySeconds <= 1 {
		return 1
	}
	return 1 + r.Fidelity.Jump.LongestBusySeconds
}

// "This allocation, however, will cause J3 to wait 1000 seconds until J1 and J2 are finished. On the other hand, if
// we take all the jobs, J1, J2 and J3, collectively and solve an assignment problem, it is possible to allocate the
// requested resources to all the jobs" (IPSCHED section I, Table I).
func TestIPSCHEDTableI(t *testing.T) {
	t.Parallel()
	workload := file(t, "table1.txt", "1000 -n 4096\n1000 -N 512 -n 2048 --gres=gpu:2\n1000 -N 512 -n 2048 --gres=gpu:2\n")
	t.Run("backfill", func(t *testing.T) {
		t.Parallel()
		data, _ := complete(t, config(t, backendtest.Quick(), "L", workload, policy.WholeQueue, 0))
		j := data.Jobs
		if j[2].Start < j[0].Finish {
			t.Errorf("J3 started at %g s, before J1 ended at %g s", j[2].Start, j[0].Finish)
		}
	})
	t.Run("auction", func(t *testing.T) {
		t.Parallel()
		data, m := complete(t, config(t, backendtest.Quick(), "L", workload, policy.Auction, 0))
		first, last := math.Inf(1), 0.0
		for _, j := range data.Jobs {
			first, last = min(first, j.Finish), max(last, j.Start)
		}
		if last >= first {
			t.Errorf("the last job started at %g s, after the first had ended at %g s", last, first)
		}
		if m.Placement == nil || m.Placement.Exact != 3 || m.Placement.Checked != 3 {
			t.Errorf("placement %+v, want 3 of 3 exact", m.Placement)
		}
		for _, cycle := range data.Cycles {
			for _, r := range cycle.Released {
				if r.Job == 1 && (r.Cores != "4(x1024)" || r.Nodes != "n[1-1024]") {
					t.Errorf("J1 was bid as %s on %s, want full sharing: 4(x1024) on n[1-1024]", r.Cores, r.Nodes)
				}
			}
		}
	})
}

// Both policies on the same jobs: every job COMPLETED exactly once, elapsed
// within 1 virtual second of its run time, metrics equal to an independent
// recomputation from sacct.txt.
func TestBothPoliciesOnWorkloadV2(t *testing.T) {
	t.Parallel()
	backendtest.Each(t, testBothPolicies)
}

func testBothPolicies(t *testing.T, on backend.Backend) {
	t.Parallel()
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, on, "S", "V.2", name, 15*time.Minute)
			data, m := complete(t, c)
			if m.Completed != len(c.Jobs) || m.Failed != 0 {
				t.Errorf("%d of %d jobs completed, %d failed", m.Completed, len(c.Jobs), m.Failed)
			}
			recompute(t, c, m)
			if name == policy.WholeQueue {
				if m.Placement != nil {
					t.Error("backfill has a placement fidelity")
				}
				return
			}
			if m.Placement == nil || m.Placement.Checked != len(c.Jobs) || m.Placement.Exact != m.Placement.Checked {
				t.Errorf("placement %+v, want all %d exact", m.Placement, len(c.Jobs))
			}
			if data.Run.HiGHSVersion == "" || !strings.Contains(data.Run.SlurmVersion, on.Series+".") {
				t.Errorf("versions %q and %q", data.Run.SlurmVersion, data.Run.HiGHSVersion)
			}
		})
	}
}

// proven checks that the run carries the proof of its fidelity; on is nil for Docker.
func proven(t *testing.T, r trace.Run, on run.Engine) {
	t.Helper()
	if r.Fidelity == nil || r.Fidelity.Jump == nil {
		t.Fatalf("a run under the jump clock has fidelity %+v", r.Fidelity)
	}
	j := r.Fidelity.Jump
	if j.Jumps == 0 || j.IdleTests < j.Jumps || len(j.Sources) == 0 || j.LongestBusySeconds <= 0 || j.Rounded["acctg_prof"] != 60 {
		t.Errorf("jumps %+v", *j)
	}
	// Virtual time is what was skipped and what passed.
	if d := r.Fidelity.VirtualSeconds - r.Fidelity.RealSeconds - j.SkippedSeconds; math.Abs(d) > 0.1 {
		t.Errorf("%g virtual s, %g real and %g skipped: %g s off", r.Fidelity.VirtualSeconds, r.Fidelity.RealSeconds, j.SkippedSeconds, d)
	}
	emulated, err := run.BackendOf(r.Backend)
	if err != nil {
		t.Fatal(err)
	}
	nodes := backendtest.Nodes(emulated)
	parts := []string{"mariadbd", "slurmdbd", "slurmctld", nodes.Programs[0].Part, "slurmlabd", "vclockd"}
	// Scripts run on nodes with a slurmd. Beside its daemons a cluster of external nodes starts nothing.
	if !nodes.Conf.External {
		parts = append(parts, "other")
	}
	for _, part := range parts {
		if r.Fidelity.BusySeconds[part] <= 0 {
			t.Errorf("%s used no processor time", part)
		}
	}
	if st := r.Stages; st == nil || st.Create <= 0 || st.Boot <= 0 || st.Collect <= 0 {
		t.Errorf("the stages took %+v", st)
	}
	// slurmctld alone has more than 16 MB.
	if _, docker := on.(run.Docker); (docker || on == nil) && r.MemoryBytes < 16<<20 {
		t.Errorf("the cluster took %d bytes", r.MemoryBytes)
	}
}

// A controller that is killed or stopped in mid-run is replaced; the run is complete, every
// job exact, and the record says what happened.
func TestKilledClock(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"KILL", "STOP"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t, backendtest.Quick(), "S", "V.2", policy.WholeQueue, 40*time.Minute)
			c.Dir = run.OwnDir(t, "clock-"+name)
			whenRunning(&c, func() { inside(t, c, "pkill", "-"+name, "vclockd") })
			data, _ := complete(t, c)
			if f := data.Run.Fidelity; f == nil || f.Jump == nil || f.Jump.Restarts != 1 {
				t.Errorf("fidelity %+v, want one restart", f)
			}
		})
	}
}

// A clock may not jump although nothing computes, because somebody holds it. That is reported while it lasts: the run
// goes on at the speed of real time. It is complete, and every job exact.
func TestHeldClock(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.Quick(), "S", "V.2", policy.WholeQueue, 40*time.Minute)
	c.Dir = run.OwnDir(t, "held-clock")
	whenRunning(&c, func() { inside(t, c, "slurmlabd", "clock", "hold") })
	var said []string
	c.Warn = backendtest.Warnings(t, func(text string) {
		said = append(said, text)
		inside(t, c, "slurmlabd", "clock", "go")
	})
	data, _ := complete(t, c)
	if len(said) == 0 || slices.ContainsFunc(said, func(text string) bool { return !strings.HasPrefix(text, standstill) }) {
		t.Errorf("warned %q, want that the clock has not jumped", said)
	}
	// The first one is the test's.
	if f := data.Run.Fidelity; f == nil || f.Jump == nil || f.Jump.Standstills != len(said) || !byOthers(*f, len(said)-1) {
		t.Errorf("fidelity %+v, want %d standstills, all but one by others", f, len(said))
	}
}

// inside runs a command in the cluster of a run.
func inside(t *testing.T, c run.Config, argv ...string) {
	t.Helper()
	list, err := run.Containers(context.Background(), "run", filepath.Base(c.Dir))
	if err != nil || len(list) != 1 {
		t.Errorf("clusters %v, %v", list, err)
		return
	}
	if out, err := exec.Command("docker", append([]string{"exec", list[0].ID}, argv...)...).CombinedOutput(); err != nil {
		t.Errorf("%q: %v %s", argv, err, out)
	}
}

// recompute reads sacct.txt with other code than the product's and compares
// what AUCSCHED section 6.2 defines.
func recompute(t *testing.T, c run.Config, m metric.Metrics) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.Dir, "sacct.txt"))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(raw))
	r.Comma = '|'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	when := func(row []string, name string) float64 {
		at, parseErr := time.Parse("2006-01-02T15:04:05", row[column[name]])
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		return float64(at.Unix())
	}
	runtimes := map[string]int{}
	work := 0.0
	for _, j := range c.Jobs {
		runtimes[strconv.Itoa(j.ID)] = j.Runtime
		work += float64(j.Runtime * j.Cores)
	}
	first, last, waits, slowdowns := math.Inf(1), 0.0, 0.0, 0.0
	for _, row := range rows[1:] {
		if row[column["State"]] != "COMPLETED" {
			t.Errorf("job %s is %s", row[column["JobName"]], row[column["State"]])
		}
		delete(runtimes, row[column["JobName"]])
		submit, start, end := when(row, "Submit"), when(row, "Start"), when(row, "End")
		first, last = min(first, submit), max(last, end)
		waits += start - submit
		slowdowns += (end - submit) / (end - start)
	}
	if len(runtimes) > 0 || len(rows)-1 != len(c.Jobs) {
		t.Errorf("sacct has %d rows for %d jobs and lacks %v", len(rows)-1, len(c.Jobs), runtimes)
	}
	n := float64(len(c.Jobs))
	theoretical := work / float64(c.Machine.Nodes*c.Machine.Cores)
	for _, check := range []struct {
		name      string
		got, want float64
	}{
		{"makespan", m.Makespan, last - first},
		{"theoretical runtime", m.TheoreticalRuntime, theoretical},
		{"utilisation", m.CPUUtilization, theoretical / (last - first)},
		{"mean wait", m.Waiting.Mean, waits / n},
		{"mean slowdown", m.Slowdown.Mean, slowdowns / n},
	} {
		if math.Abs(check.got-check.want) > 1e-9*math.Abs(check.want) {
			t.Errorf("%s = %g, recomputed %g", check.name, check.got, check.want)
		}
	}
}

// whenRunning calls act once, when the first job runs.
func whenRunning(c *run.Config, act func()) {
	var once sync.Once
	c.Report = func(u progress.Update) {
		if u.Counts.Running > 0 {
			once.Do(func() { go act() })
		}
	}
}

// startsBeforeEnd waits until the directory of a run that is under way tells of jobs that have
// started, and returns how many there are by then.
func startsBeforeEnd(t *testing.T, dir trace.Dir) int {
	t.Helper()
	for deadline := time.Now().Add(hosttest.Hang); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		lines, err := dir.Progress()
		if err != nil {
			t.Error(err)
			return 0
		}
		starts := 0
		for _, line := range lines {
			for _, s := range line.Jobs {
				if s.State == "" && s.Nodes != "" {
					starts++
				}
			}
		}
		if r, readErr := dir.ReadRun(); starts > 0 && readErr == nil && r.Finished.IsZero() && run.UnderWay(dir) {
			return starts
		}
	}
	return 0
}

// Ctrl-C: the container is gone, the directory says incomplete and why, and
// what was measured is kept. Before that, the directory told of starts, also under
// Slurm's own scheduler.
func TestInterruptedRun(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.Quick(), "S", "V.2", policy.WholeQueue, 4*time.Hour)
	c.Dir = run.OwnDir(t, "interrupted")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	var booted time.Duration
	var stopped time.Time
	starts := 0
	whenRunning(&c, func() {
		booted = time.Since(began)
		starts = startsBeforeEnd(t, mustOpen(t, c.Dir))
		stopped = time.Now()
		cancel()
	})
	record, err := run.Run(ctx, c)
	took := time.Since(stopped)
	if !errors.Is(err, run.ErrStopped) {
		t.Errorf("error %v, want %v", err, run.ErrStopped)
	}
	if starts == 0 {
		t.Error("no start of a job was known before the end of the run")
	}
	// Seconds, of which a user may wait 15; the hours that the jobs had left are not waited for.
	if took > hosttest.Hang {
		t.Errorf("cleaning up took %v", took)
	}
	t.Logf("started in %v, cleaned up in %v", booted, took)
	if record.Status != trace.StatusIncomplete || record.Reason == "" {
		t.Errorf("run.json: %s, %q", record.Status, record.Reason)
	}
	if left, listErr := run.Containers(context.Background(), "run", filepath.Base(c.Dir)); listErr != nil || len(left) > 0 {
		t.Errorf("containers left: %v, %v", left, listErr)
	}
	sacct, err := os.ReadFile(filepath.Join(c.Dir, "sacct.txt"))
	if err != nil || !strings.Contains(string(sacct), "RUNNING") {
		t.Errorf("sacct.txt does not show the jobs that ran: %v", err)
	}
	entries, err := os.ReadDir(filepath.Join(c.Dir, "logs"))
	if err != nil || len(entries) == 0 {
		t.Errorf("the logs are missing: %v", err)
	}
	if _, metricErr := run.Metrics(mustOpen(t, c.Dir)); metricErr == nil {
		t.Error("an incomplete run has metrics")
	}
}

func mustOpen(t *testing.T, path string) trace.Dir {
	t.Helper()
	dir, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// carriedOut carries out a run and loads its metrics.
func carriedOut(t *testing.T, c run.Config) metric.Result {
	t.Helper()
	if _, err := run.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	r, err := run.Metrics(mustOpen(t, c.Dir))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A run never writes over another one.
func TestExistingDirectoryIsRefused(t *testing.T) {
	c := config(t, backendtest.Quick(), "S", "V.2", policy.WholeQueue, 4*time.Hour)
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Run(t.Context(), c); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want %v", err, fs.ErrExist)
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
