//go:build integration

package run_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/slurmctl/accounting"
	"github.com/slurmlab/slurmlab/workloads"
)

const outcomeHeader = "job_id,arrival_s,runtime_s,limit_s,nodes,cores,cores_per_node,gpus_min,gpus_max,contiguous,class,outcome,cancel_after_s\n"

// outcomes are a job of each outcome. Jobs 1 to 4 fill the machine, so that job 6 waits
// until it is cancelled; when job 7 comes the machine is idle.
const outcomes = outcomeHeader + `1,0,100,600,1,8,8,0,0,0,a,failed,0
2,0,180,600,1,8,8,1,2,0,a,cancelled,0
3,0,200,600,1,8,8,2,2,0,a,out_of_memory,0
4,0,120,120,1,8,8,0,0,0,a,timeout,0
5,30,60,600,4,32,8,0,0,0,a,completed,0
6,30,0,600,4,32,8,0,0,0,a,cancelled_pending,40
7,2000,0,600,4,32,8,0,0,0,a,cancelled_pending,5000
`

// Each job ends on the real Slurm as its row says. The state and the exit code are the ones that Slurm itself gives
// such a job, and it has run to the second for as long. What ends the jobs starts no command of Slurm's.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, on := range backendtest.Core() {
		image := noted(t, on)
		for _, name := range []string{policy.WholeQueue, policy.Auction} {
			t.Run(on.Name()+" "+name, func(t *testing.T) {
				t.Parallel()
				c := config(t, on, file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\ngpus: 2\n"), file(t, "outcomes.csv", outcomes), name, 0)
				c.Image = image
				c.Dir = run.OwnDir(t, "outcomes-"+on.Name()+"-"+name)
				r := carriedOut(t, c)
				proven(t, r.Run, nil)
				m := *r.Metrics
				if m.Failed != 0 || m.Completed != 1 || m.CancelledPending == nil || m.CancelledPending.Jobs != 2 || m.CancelledPending.Cancelled != 1 {
					t.Errorf("%d jobs failed, %d completed, pending %+v", m.Failed, m.Completed, m.CancelledPending)
				}
				_, rows, err := mustOpen(t, c.Dir).Accounting()
				if err != nil {
					t.Fatal(err)
				}
				checkOutcomes(t, r, rows)
				startsNothing(t, c, rows)
			})
		}
	}
}

// timeoutInterval is how often Slurm looks for jobs at their time limit (PERIODIC_TIMEOUT
// in src/slurmctld/slurmctld.h), in seconds.
const timeoutInterval = 30

func checkOutcomes(t *testing.T, r metric.Result, rows []accounting.Row) {
	t.Helper()
	jobs := r.Jobs
	// On a core that others keep busy, Slurm may take until the next second to end a job whose time has come a quarter of a
	// second ago (slurmlabd's afterSecond). Then the cluster had no idle moment for as long.
	busy := r.Run.Fidelity.Jump.LongestBusySeconds + 0.25
	t.Logf("the cluster had an idle moment at least every %.3f s", r.Run.Fidelity.Jump.LongestBusySeconds)
	codes := map[int]string{}
	for _, row := range rows {
		codes[row.JobID] = row.ExitCode
	}
	for _, j := range jobs {
		code, late := "0:0", busy
		switch j.Outcome {
		case workloads.Failed:
			code = "1:0"
		case workloads.OutOfMemory:
			// As slurmstepd reports it: signal 253 - 128.
			code = "0:125"
		case workloads.Timeout:
			late += 2 * timeoutInterval
		case workloads.Completed, workloads.Cancelled, workloads.CancelledPending:
		}
		if j.State != j.Outcome.State() || codes[j.SlurmID] != code {
			t.Errorf("job %d, %s: state %s, exit code %s, want %s and %s", j.ID, j.Outcome, j.State, codes[j.SlurmID], j.Outcome.State(), code)
		}
		if off := j.Execution() - float64(j.Expected()); j.ID < 6 && (off < 0 || off > late) {
			t.Errorf("job %d, %s: ran for %g s, want %d s and at most %.3f s more", j.ID, j.Outcome, j.Execution(), j.Expected(), late)
		}
	}
	waited := jobs[5]
	if off := waited.Finish - waited.Submit - float64(waited.CancelAfter); waited.Started() || off < 0 || off > busy {
		t.Errorf("job 6 was cancelled %g s after its submission, want %d s and at most %.3f s more: %+v", waited.Finish-waited.Submit, waited.CancelAfter, busy, waited)
	}
	if started := jobs[6]; !started.Started() || started.Execution() > 1+busy {
		t.Errorf("job 7 ran for %g s, want it to end as it starts: %+v", started.Execution(), started)
	}
}

// A job that did not end as its row says fails the run and is named, also if somebody
// else gave it the end that it was to have.
func TestOtherOutcomes(t *testing.T) {
	t.Parallel()
	for _, on := range backendtest.Core() {
		t.Run(on.Name(), func(t *testing.T) {
			t.Parallel()
			rows := "1,0,20,600,1,8,8,0,0,0,a,failed,0\n2,0,3600,7200,1,8,8,0,0,0,a,failed,0\n3,0,3600,7200,1,8,8,0,0,0,a,cancelled,0\n"
			c := config(t, on, file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\ngpus: 2\n"), file(t, "other.csv", outcomeHeader+rows), policy.WholeQueue, 0)
			c.Dir = run.OwnDir(t, "other-outcomes-"+on.Name())
			// Under the jump clock the hour would be over before anybody can do anything.
			c.Clock = clock.Settings{Kind: clock.KindReal, TimeScale: 1, ThinkScale: 1}
			whenRunning(&c, func() {
				for _, job := range []string{"--name=2", "--name=3"} {
					inContainer(t, filepath.Base(c.Dir), "slurmlabd", "exec", "--", "scancel", job)
				}
			})
			record, err := run.Run(t.Context(), c)
			const want = "2 of 3 jobs did not end as planned: job 2 CANCELLED (planned: failed), job 3 CANCELLED too early"
			if err == nil || !strings.Contains(err.Error(), want) || record.Status != trace.StatusFailed || record.Reason != want {
				t.Errorf("got %s, %q, %v, want %q", record.Status, record.Reason, err, want)
			}
			if _, err = os.Stat(mustOpen(t, c.Dir).MetricsFile()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a failed run has metrics: %v", err)
			}
		})
	}
}
