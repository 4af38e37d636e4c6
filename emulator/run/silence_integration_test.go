//go:build integration

package run

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/clock"
	"github.com/slurmlab/slurmlab/emulator/progress"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/results/trace"
)

// dockerOn runs a command of docker on the container of a run, with what follows its id.
func dockerOn(t *testing.T, run, command string, rest ...string) ([]byte, error) {
	list, err := Containers(t.Context(), slurm.RoleRun, run)
	if err != nil || len(list) != 1 {
		return nil, fmt.Errorf("clusters %v: %w", list, err)
	}
	return exec.Command("docker", append([]string{command, list[0].ID}, rest...)...).CombinedOutput()
}

// pause tries more than once: control groups of version 1 cannot always freeze a
// container that starts processes. It is called beside the test.
func pause(t *testing.T, run string) {
	var out []byte
	var err error
	for limit := time.Now().Add(hosttest.Hang); time.Now().Before(limit); time.Sleep(200 * time.Millisecond) {
		if out, err = dockerOn(t, run, "pause"); err == nil {
			return
		}
	}
	t.Errorf("pause: %v: %s", err, out)
}

// A cluster that is paused, or whose slurmlabd is stopped, is declared dead and removed.
func TestSilentClusterIsDead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, state string
		act         func(t *testing.T, run string)
	}{
		{"paused", "its container is paused", pause},
		{"stopped", "its container is running", func(t *testing.T, run string) {
			if out, err := dockerOn(t, run, "exec", "pkill", "-STOP", "-f", "^slurmlabd run"); err != nil {
				t.Errorf("stop slurmlabd: %v: %s", err, out)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := placed(t, OwnDir(t, "silent-"+tt.name))
			jobs, err := c.Workload.Jobs(c.Machine, c.Seed)
			if err != nil {
				t.Fatal(err)
			}
			c.Jobs, c.Image, c.Clock = jobs, backendtest.Image(t, c.Backend), clock.Settings{Kind: clock.KindReal}
			c.silence = 15
			var said []string
			c.Warn = func(text string) {
				if strings.HasPrefix(text, backendtest.Silence) {
					said = append(said, text)
				}
			}
			var once sync.Once
			c.Report = func(u progress.Update) {
				if u.Counts.Running > 0 {
					once.Do(func() { tt.act(t, filepath.Base(c.Dir)) })
				}
			}
			record, err := Run(t.Context(), c)
			if err == nil || record.Status != trace.StatusFailed {
				t.Fatalf("run %s, %v", record.Status, err)
			}
			for _, want := range []string{"slurmlabd gave no sign of life for 15 s", tt.state} {
				if !strings.Contains(record.Reason, want) {
					t.Errorf("reason %q, want %q", record.Reason, want)
				}
			}
			if len(said) != 1 {
				t.Errorf("warned %q, want once that nothing was heard", said)
			}
			if left, listErr := Containers(t.Context(), "", filepath.Base(c.Dir)); listErr != nil || len(left) > 0 {
				t.Errorf("containers left: %v, %v", left, listErr)
			}
		})
	}
}
