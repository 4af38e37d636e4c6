//go:build integration

package run_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/report"
	"github.com/slurmlab/slurmlab/results/trace"
	"github.com/slurmlab/slurmlab/workloads"
)

// holdBack stops the runner until a job of 15 s has run for 20 s by Slurm. A runner that is stopped hears no end.
const holdBack = `pkill -STOP -f '^/usr/local/bin/slurmlabd runner' || exit 1
until slurmlabd exec -- squeue --noheader --format=%M | grep -qE '^0:[2-5]'; do sleep 0.2; done
pkill -CONT -f '^/usr/local/bin/slurmlabd runner'`

// A job whose end comes late fails the run's claim to be in time. run.json has the action and the end in the
// accounting, people are warned of both, and the run counts as disturbed (issue 38, line 0).
func TestLateEndIsTold(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), file(t, "mini.yaml", "name: mini\nnodes: 4\ncores: 8\ngpus: 2\n"), file(t, "late.csv", outcomeHeader+"1,0,15,600,1,8,8,0,0,0,a,failed,0\n"), policy.WholeQueue, 0)
	c.Dir = run.OwnDir(t, "late")
	// A jump clock would be at the end of the job before anybody can stop the runner, and stands still for a stopped one.
	c.Clock = clock.Settings{Kind: clock.KindReal, TimeScale: 1, ThinkScale: 1}
	held := make(chan struct{})
	whenRunning(&c, func() {
		inContainer(t, filepath.Base(c.Dir), "sh", "-c", holdBack)
		close(held)
	})
	r := carriedOut(t, c)
	<-held
	action, end := r.Run.Lateness.ByAction[trace.ActionEnd], r.Run.Lateness.Ends[workloads.Failed]
	if action.Count != 1 || action.Over != 1 || action.Job != 1 || action.Most < 4 || end.Count != 1 || end.Over != 1 || end.Job != 1 || end.Most < 4 {
		t.Errorf("lateness %+v, want job 1 at least 4 s late", r.Run.Lateness)
	}
	if arrival := r.Run.Lateness.ByAction[trace.ActionArrival]; arrival.Count != 1 || arrival.Over != 0 {
		t.Errorf("arrivals %+v", arrival)
	}
	if r.Run.Quiet() || !strings.Contains(r.Run.Disturbance(), "job 1") {
		t.Errorf("disturbed by %q", r.Run.Disturbance())
	}
	told := strings.Join(report.WarningsOfRun(r), "\n")
	for _, want := range []string{"1 of 1 ends by the runner were off", "1 of 1 ends of jobs (failed) were off"} {
		if !strings.Contains(told, want) {
			t.Errorf("warnings %q, want %q", told, want)
		}
	}
	// What the run says of itself is in its run.json, without its accounting.
	if found, err := c.Find(); err != nil || found.State != run.StateComplete || found.Quiet || found.Late < 4 {
		t.Errorf("found %+v, %v", found, err)
	}
}
