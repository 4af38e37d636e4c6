package drive

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/jobs"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/workloads"
)

// The script is run by bash, with a scontrol that says what Slurm would and a sleep that says how long. AUCSCHED2's
// example: "a job of type C' takes 150 seconds when running with 1 GPU on each node [...] If the job is allocated 2
// GPUs, the execution time of that job will be taken as 75 seconds."
func TestPayloadRunsForTheGPUsItGot(t *testing.T) {
	bash := hosttest.Program(t, "bash")
	example := workloads.Job{Runtime: 150, GPUsMin: 1, GPUsMax: 3}
	tests := []struct {
		name     string
		job      workloads.Job
		scontrol string
		want     int // seconds; 0 if the job must fail
	}{
		{"least", example, "TresPerNode=gres/gpu:1", 150},
		{"paper", example, "TresPerNode=gres/gpu:2", 75},
		{"most", example, "TresPerNode=gres/gpu:3", 50},
		{"rounded up", workloads.Job{Runtime: 100, GPUsMin: 2, GPUsMax: 3}, "TresPerNode=gres/gpu:3", 67},
		{"no range", workloads.Job{Runtime: 100, GPUsMin: 2, GPUsMax: 2}, "", 100},
		{"outside the range", example, "TresPerNode=gres/gpu:4", 0},
		{"Slurm does not answer", example, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"scontrol": "#!" + bash + "\necho JobId=7 " + tt.scontrol + " \n",
				"sleep":    "#!" + bash + "\necho $1\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			// The job starts in the future, so that the rest is not below 0
			// however slow this computer is.
			start := time.Now().Add(time.Hour)
			cmd := exec.Command(bash)
			cmd.Stdin = strings.NewReader(script(tt.job))
			cmd.Env = []string{"PATH=" + dir, "SLURM_JOB_ID=7", fmt.Sprintf("SLURM_JOB_START_TIME=%d", start.Unix())}
			before := time.Now()
			out, err := cmd.Output()
			after := time.Now()
			if tt.want == 0 {
				if err == nil {
					t.Fatalf("it slept %s, want a failed job", out)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var slept float64
			if _, err := fmt.Sscan(string(out), &slept); err != nil {
				t.Fatal(err)
			}
			end := start.Truncate(time.Second).Add(time.Duration(tt.want) * time.Second)
			const rounding = 1e-6 // bash counts whole microseconds
			if slept < end.Sub(after).Seconds()-rounding || slept > end.Sub(before).Seconds()+rounding {
				t.Errorf("it slept %v s, want until %d s after its start", slept, tt.want)
			}
			if tt.want != tt.job.RuntimeOn(gpusIn(tt.scontrol)) {
				t.Errorf("RuntimeOn says %d s, want %d s", tt.job.RuntimeOn(gpusIn(tt.scontrol)), tt.want)
			}
		})
	}
}

// What a job does after its run time, as bash does it: its exit code, and what it asks for
// before.
func TestPayloadsEnd(t *testing.T) {
	bash := hosttest.Program(t, "bash")
	for _, tt := range []struct {
		outcome workloads.Outcome
		said    string
		code    int
	}{
		{workloads.Completed, "sleep", 0},
		{workloads.Failed, "sleep", 1},
		{workloads.Timeout, "sleep", 0},
		{workloads.Cancelled, "sleep cancelled 7 sleep", 1},
		{workloads.OutOfMemory, "sleep out_of_memory 7 sleep", 1},
	} {
		t.Run(tt.outcome.String(), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "sleep"), []byte("#!"+bash+"\necho sleep >>$SAID\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			said := filepath.Join(dir, "said")
			cmd := exec.Command(bash)
			text := script(workloads.Job{Runtime: 60, Limit: 60, Outcome: tt.outcome})
			cmd.Stdin = strings.NewReader(strings.ReplaceAll(text, ">"+jobs.PipePath, ">>"+said))
			cmd.Env = []string{"PATH=" + dir, "SLURM_JOB_ID=7", fmt.Sprintf("SLURM_JOB_START_TIME=%d", time.Now().Add(time.Hour).Unix()), "SAID=" + said}
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != tt.code {
				t.Errorf("exit code %d, %v, want %d", code, err, tt.code)
			}
			lines, err := os.ReadFile(said)
			if got := strings.Join(strings.Split(strings.TrimSpace(string(lines)), "\n"), " "); err != nil || got != tt.said {
				t.Errorf("said %q, %v, want %q", got, err, tt.said)
			}
		})
	}
}

// A job that is to run into its limit outlasts it, whatever GPUs it gets; one that waits
// until it is cancelled ends as it starts.
func TestSecondsOfOutcomes(t *testing.T) {
	job := workloads.Job{Runtime: 60, Limit: 60, GPUsMin: 1, GPUsMax: 2, Outcome: workloads.Timeout}
	if got := seconds(job); got.Fixed <= job.Limit || got.OnGPUs != nil || got.End != jobs.Completes {
		t.Errorf("%+v", got)
	}
	job.Outcome, job.Runtime = workloads.CancelledPending, 0
	if got := seconds(job); got.Fixed != 0 || got.OnGPUs != nil || got.End != jobs.IsCancelled {
		t.Errorf("%+v", got)
	}
	job.Outcome, job.Runtime = workloads.Failed, 60
	if got := seconds(job); got.OnGPUs[2] != 30 || got.End != jobs.Fails {
		t.Errorf("%+v", got)
	}
}

func gpusIn(scontrol string) int {
	var n int
	_, _ = fmt.Sscanf(scontrol, "TresPerNode=gres/gpu:%d", &n)
	return n
}
