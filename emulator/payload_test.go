package emulator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/workloads"
)

// The script is run by bash, with a scontrol that says what Slurm would and a
// sleep that says how long: AUCSCHED2's example, "a job of type C' takes 150
// seconds when running with 1 GPU on each node [...] If the job is allocated 2
// GPUs, the execution time of that job will be taken as 75 seconds."
func TestPayloadRunsForTheGPUsItGot(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
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

func gpusIn(scontrol string) int {
	var n int
	_, _ = fmt.Sscanf(scontrol, "TresPerNode=gres/gpu:%d", &n)
	return n
}
