//go:build integration

package run_test

import (
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

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
	"github.com/slurmlab/slurmlab/results/metric"
	"github.com/slurmlab/slurmlab/results/trace"
)

// tools are the words of the shell scripts that break a cluster. A script is a program of the cluster. It looks once
// in a virtual second, and the clock waits for it meanwhile. So "starts N" returns within a second after the N-th
// start however fast the run is.
const tools = `
log=/var/log/slurm/slurmctld.log
lines() { until [ "$(grep -c -E "$2" $log)" -ge "$1" ]; do sleep 1; done; }
submissions() { lines "$1" 'rpc_submit_batch_job: JobId='; }
starts() { lines "$1" '(Allocate|Started) JobId='; }
restarts() { until [ "$(grep -o '"how"' /run/slurmlab/cluster.json | wc -l)" -ge "$1" ]; do sleep 1; done; }
`

// breaks runs a script in the container of a run, armed before the run begins, and
// collects its warnings.
func breaks(t *testing.T, c *run.Config, script string) *[]string {
	t.Helper()
	var mu sync.Mutex
	warnings := new([]string)
	c.Warn = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		*warnings = append(*warnings, text)
	}
	c.Report = func(u progress.Update) {
		// The run begins when this returns.
		if u.Stage != progress.Booting || !strings.HasPrefix(u.Boot, "5/5") {
			return
		}
		list, err := run.Containers(t.Context(), "run", filepath.Base(c.Dir))
		if err != nil || len(list) != 1 {
			t.Errorf("clusters %v, %v", list, err)
			return
		}
		arm := exec.Command("docker", "exec", "-d", list[0].ID, "slurmlabd", "exec", "--", "bash", "-c", "exec >/var/log/slurm/breaks.log 2>&1; set -x; "+tools+script)
		if out, err := arm.CombinedOutput(); err != nil {
			t.Errorf("arm: %v %s", err, out)
		}
	}
	return warnings
}

// survived carries out a run that is complete although daemons were restarted, each of
// which run.json and a warning name, and all of whose jobs are accounted for once.
func survived(t *testing.T, c run.Config, warnings *[]string, daemons ...string) (trace.Data, metric.Metrics) {
	t.Helper()
	record, err := run.Run(t.Context(), c)
	if err != nil {
		rows, _ := os.ReadFile(filepath.Join(c.Dir, "sacct.txt"))
		t.Fatalf("%v\n%s", err, rows)
	}
	r, err := metric.Load(mustOpen(t, c.Dir))
	if err != nil {
		t.Fatal(err)
	}
	var died []string
	for _, restart := range record.Restarts {
		t.Logf("%s Real: %.2f s", restart.Text(), restart.RealSeconds)
		died = append(died, restart.Daemon)
		if warnings == nil || !slices.Contains(*warnings, restart.Text()) {
			t.Errorf("no warning of: %s", restart.Text())
		}
	}
	slices.Sort(died)
	slices.Sort(daemons)
	if !slices.Equal(died, daemons) {
		t.Errorf("restarts of %v, want %v", died, daemons)
	}
	if r.Metrics.Completed != len(c.Jobs) || r.Metrics.Jobs != len(c.Jobs) {
		t.Errorf("%d jobs of %d completed, %d accounted for", r.Metrics.Completed, len(c.Jobs), r.Metrics.Jobs)
	}
	return r.Data, *r.Metrics
}

// late are the seconds by which jobs ran longer than their run time, by job.
func late(jobs []trace.FinishedJob) map[int]float64 {
	all := map[int]float64{}
	for _, j := range jobs {
		if d := j.Execution() - float64(j.Expected()); d != 0 {
			all[j.ID] = d
		}
	}
	return all
}

// Issue 15, line 7: "slurmctld killed and started again in mid-run, slurmdbd and MariaDB down for ten virtual
// minutes: no job lost, none twice, accounting complete, the same metrics within noise". The runner dies as well.
func TestRestartsAreSurvived(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), "S", "V.2", policy.WholeQueue, 20*time.Minute)
	undisturbed := c
	undisturbed.Dir = run.OwnDir(t, "undisturbed")
	_, want := survived(t, undisturbed, nil)

	c.Dir = run.OwnDir(t, "restarts-backfill")
	warnings := breaks(t, &c, `
submissions 4; pkill -9 -x slurmctld; restarts 1
starts 8; pkill -9 -f '^/usr/local/bin/slurmlabd runner'; restarts 2
starts 12
touch /run/slurmlab/down/mariadbd /run/slurmlab/down/slurmdbd
pkill -9 -x mariadbd; pkill -9 -x slurmdbd
sleep 600
rm /run/slurmlab/down/*
`)
	data, m := survived(t, c, warnings, "slurmctld", "runner", "mariadbd", "slurmdbd")
	for _, r := range data.Run.Restarts {
		if r.Daemon == "slurmdbd" && (r.Seconds < 590 || r.Seconds > 630) {
			t.Errorf("slurmdbd was down for %g s, want ten minutes", r.Seconds)
		}
	}
	for job, seconds := range late(data.Jobs) {
		t.Logf("job %d ran %+g s", job, seconds)
		if seconds < 0 || seconds > 10 {
			t.Errorf("job %d ran %+g s longer than its run time", job, seconds)
		}
	}
	for _, check := range []struct {
		name      string
		got, want float64
	}{{"makespan", m.Makespan, want.Makespan}, {"mean wait", m.Waiting.Mean, want.Waiting.Mean}, {"utilisation", m.CPUUtilization, want.CPUUtilization}} {
		t.Logf("%s %g, undisturbed %g", check.name, check.got, check.want)
		if math.Abs(check.got-check.want) > 0.2*check.want {
			t.Errorf("%s = %g, undisturbed %g", check.name, check.got, check.want)
		}
	}
}

// Also under an agent, which is in the middle of a cycle when slurmctld dies at the second start.
func TestRestartsAreSurvivedUnderAnAgent(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), "S", "V.2", policy.Auction, 20*time.Minute)
	c.Dir = run.OwnDir(t, "restarts-auction")
	warnings := breaks(t, &c, `
starts 2; pkill -9 -x slurmctld
`)
	data, m := survived(t, c, warnings, "slurmctld")
	for job, seconds := range late(data.Jobs) {
		t.Logf("job %d ran %+g s", job, seconds)
		if seconds < 0 || seconds > 10 {
			t.Errorf("job %d ran %+g s longer than its run time", job, seconds)
		}
	}
	if p := m.Placement; p == nil || p.Exact != p.Checked {
		t.Errorf("placements %+v, want all as planned", p)
	}
}

// A front-end cluster survives the deaths of the database's daemons, as slurmctld keeps
// the records for them.
func TestFrontEndSurvivesItsDatabase(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.FrontEnd(), "S", "V.2", policy.WholeQueue, 20*time.Minute)
	c.Dir = run.OwnDir(t, "restarts-frontend")
	warnings := breaks(t, &c, `
starts 5
touch /run/slurmlab/down/mariadbd /run/slurmlab/down/slurmdbd
pkill -9 -x mariadbd; pkill -9 -x slurmdbd
sleep 600
rm /run/slurmlab/down/*
`)
	data, _ := survived(t, c, warnings, "mariadbd", "slurmdbd")
	for job, seconds := range late(data.Jobs) {
		if seconds < 0 || seconds > allowance(data.Run)-1 {
			t.Errorf("job %d ran %+g s longer than its run time", job, seconds)
		}
	}
}

// A daemon that dies whenever it is started ends the run, with its last words.
func TestCrashLoopFailsTheRun(t *testing.T) {
	t.Parallel()
	c := config(t, backendtest.External(), "S", "V.2", policy.WholeQueue, 20*time.Minute)
	c.Dir = run.OwnDir(t, "crash-loop")
	breaks(t, &c, `
starts 3; rm /etc/slurm/slurm.key; pkill -9 -x slurmctld
`)
	record, err := run.Run(t.Context(), c)
	if err == nil || record.Status != trace.StatusFailed {
		t.Fatalf("run.json: %s, %v", record.Status, err)
	}
	for _, part := range []string{"slurmctld died", "6 times", "slurm.key"} {
		if !strings.Contains(record.Reason, part) {
			t.Errorf("reason %s, want it to say %q", strconv.Quote(record.Reason), part)
		}
	}
}
