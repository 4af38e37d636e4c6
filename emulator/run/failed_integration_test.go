//go:build integration

package run_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// small is a run of four jobs, each as large as a node of the machine; job 1 takes 20 s,
// the others an hour.
func small(t *testing.T, policyName, name string) run.Config {
	t.Helper()
	c := config(t, backendtest.FrontEnd(), file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\ngpus: 2\n"),
		file(t, "four.txt", "20 -N 1 -n 8\n3600 -N 1 -n 8\n3600 -N 1 -n 8\n3600 -N 1 -n 8\n"), policyName, 0)
	c.Dir = run.OwnDir(t, name)
	return c
}

// breakJobs cancels job 2, kills the process of job 3 and takes the node of job 4 down
// as soon as all jobs run.
func breakJobs(t *testing.T, c *run.Config) {
	// Under the jump clock the hour would be over before anybody can do anything.
	c.Clock = clock.Settings{Kind: clock.KindReal, TimeScale: 1, ThinkScale: 1}
	act := func() {
		list, err := run.Containers(context.Background(), "run", filepath.Base(c.Dir))
		if err != nil || len(list) != 1 {
			t.Errorf("clusters %v, %v", list, err)
			return
		}
		for _, command := range []string{
			"slurmlabd exec -- scancel --name=2",
			`for p in /proc/[0-9]*; do tr '\0' '\n' <$p/environ | grep -qx SLURM_JOB_NAME=3 && kill -9 ${p#/proc/}; done; true`,
			"slurmlabd exec -- scontrol update nodename=$(slurmlabd exec -- squeue -h -o %N --name=4) state=down reason=test",
		} {
			if out, err := exec.Command("docker", "exec", list[0].ID, "bash", "-c", command).CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", command, err, out)
			}
		}
	}
	var once sync.Once
	c.Report = func(u progress.Update) {
		if u.Counts.Running == len(c.Jobs) {
			once.Do(func() { go act() })
		}
	}
}

// wantFailedJobs are those of breakJobs.
func wantFailedJobs(t *testing.T, record trace.Run, status trace.Status) {
	t.Helper()
	const want = "3 of 4 jobs did not end as planned: job 2 CANCELLED, job 3 FAILED, job 4 NODE_FAIL"
	if record.FailedJobs == nil || record.FailedJobs.Of(record.Jobs) != want || record.Status != status {
		t.Errorf("run.json: %s, failed jobs %+v", record.Status, record.FailedJobs)
	}
	if status == trace.StatusFailed && record.Reason != want {
		t.Errorf("run.json: reason %q, want %q", record.Reason, want)
	}
}

// A run whose jobs did not end as planned is failed, names them and has no metrics,
// until somebody allows it.
func TestFailedJobs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{policy.WholeQueue, policy.Auction} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := small(t, name, "failed-jobs-"+name)
			breakJobs(t, &c)
			record, err := run.Run(t.Context(), c)
			if err == nil || !strings.HasSuffix(err.Error(), "slurmlab run --allow-failed --resume "+c.Dir) {
				t.Errorf("got error %v", err)
			}
			wantFailedJobs(t, record, trace.StatusFailed)
			dir := mustOpen(t, c.Dir)
			if _, err = os.Stat(dir.MetricsFile()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a failed run has metrics: %v", err)
			}
			if err = run.Finish(t.Context(), dir, true, c.Warn); err != nil {
				t.Fatal(err)
			}
			r, err := metric.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			wantFailedJobs(t, r.Run, trace.StatusComplete)
			if r.Metrics.Completed != 1 || r.Metrics.Failed != 3 {
				t.Errorf("%d jobs completed, %d failed", r.Metrics.Completed, r.Metrics.Failed)
			}
		})
	}
}

func TestAllowedFailedJobs(t *testing.T) {
	t.Parallel()
	c := small(t, policy.WholeQueue, "allowed-failed-jobs")
	breakJobs(t, &c)
	c.AllowFailed = true
	record, err := run.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	wantFailedJobs(t, record, trace.StatusComplete)
	if _, err = metric.Load(mustOpen(t, c.Dir)); err != nil {
		t.Error(err)
	}
}

// A run whose files cannot be copied at its end is failed, but not lost: its container
// stays, stopped, until "finish" has fetched them.
func TestUnfetchedRunIsFinished(t *testing.T) {
	t.Parallel()
	c := small(t, policy.Auction, "unfetched")
	logs := filepath.Join(c.Dir, "logs")
	var once sync.Once
	c.Report = func(u progress.Update) {
		if u.Stage != progress.Running {
			return
		}
		once.Do(func() {
			if err := errors.Join(os.RemoveAll(logs), os.WriteFile(logs, nil, 0o600)); err != nil {
				t.Error(err)
			}
		})
	}
	record, err := run.Run(t.Context(), c)
	if err == nil || !strings.HasSuffix(err.Error(), "fetch them with: slurmlab run --resume "+c.Dir) {
		t.Fatalf("got error %v", err)
	}
	t.Cleanup(func() { _ = run.Remove(context.Background(), record.Container) })
	list, err := run.Containers(t.Context(), "run", filepath.Base(c.Dir))
	if err != nil || len(list) != 1 || list[0].ID != record.Container || list[0].State != "exited" {
		t.Fatalf("containers %+v, %v, want %s, exited", list, err, record.Container)
	}
	dir := mustOpen(t, c.Dir)
	// The fault is still there.
	if err = run.Finish(t.Context(), dir, false, c.Warn); err == nil {
		t.Fatal("files were copied into a folder that is not there")
	}
	if err = errors.Join(os.Remove(logs), os.Mkdir(logs, 0o755)); err != nil {
		t.Fatal(err)
	}
	if err = run.Finish(t.Context(), dir, false, c.Warn); err != nil {
		t.Fatal(err)
	}
	if r, loadErr := metric.Load(dir); loadErr != nil || r.Metrics.Completed != len(c.Jobs) || !r.Recorded {
		t.Errorf("after all: %+v, %v", r.Run, loadErr)
	}
	if list, err = run.Containers(t.Context(), "run", filepath.Base(c.Dir)); err != nil || len(list) > 0 {
		t.Errorf("containers left: %v, %v", list, err)
	}
}
