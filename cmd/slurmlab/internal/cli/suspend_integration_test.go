//go:build integration

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// away is longer than the time after which a silent cluster counts as dead (silenceLimit of emulator/run).
const away = 70 * time.Second

// begin starts a run that lasts for a while, and returns the id of its container on an engine once its jobs are submitted.
func (p program) begin(host, image, out string) (cmd *exec.Cmd, told fmt.Stringer, container string) {
	p.t.Helper()
	started, text := p.start("run", "--workload", "V.2", "--theoretical-runtime", "3h", "--policy", "auction", "--image", image, "--core", "none", "--quiet", "--out", out)
	hosttest.Until(p.t, "the agent has decided", func() bool {
		info, err := os.Stat(filepath.Join(p.dir, out, "cycles.jsonl"))
		return err == nil && info.Size() > 0
	})
	ids := strings.Fields((&dockerd{t: p.t}).docker(host, "ps", "--quiet", "--filter", "label=org.slurmlab.name="+out))
	if len(ids) != 1 {
		p.t.Fatalf("containers %v of the run\n%s", ids, text)
	}
	return started, text, ids[0]
}

// A suspended machine stops everything on it: slurmlab and the cluster together, for longer than the silence after which a
// cluster counts as dead. The run goes on, and warns that it was stopped.
func TestSuspendedMachine(t *testing.T) {
	hosttest.Long(t, "stops a run for more than a minute of real time")
	image := backendtest.Image(t, backendtest.External())
	p := newProgram(t, image)
	cmd, told, container := p.begin("", image, "suspended")
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	engine := &dockerd{t: t}
	engine.docker("", "pause", container)
	// No condition says that enough time has passed: the time is the fault.
	time.Sleep(away)
	engine.docker("", "unpause", container)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, told)
	}
	p.recordOf("suspended")
	if !strings.Contains(told.String(), "stopped for ") {
		t.Errorf("no warning says that it was stopped:\n%s", told)
	}
}

// An engine that is restarted in the middle of a run ends its containers. The run fails and names what ended, nothing is
// left on the engine, and the next run is complete.
func TestEngineRestarts(t *testing.T) {
	hosttest.Long(t, "copies the image to a Docker engine of its own")
	image := backendtest.Image(t, backendtest.External())
	engine := newEngine(t)
	if out, err := exec.Command("sh", "-c", "docker save "+image+" | docker -H "+engine.host+" load").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newProgram(t, image)
	p.env = append(p.env, "DOCKER_HOST="+engine.host)
	cmd, told, _ := p.begin(engine.host, image, "restarted")
	engine.stop()
	if !engine.start() {
		t.Fatalf("dockerd does not start again:\n%s", engine.log())
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("got %v, want exit code 1\n%s", err, told)
	}
	if text := told.String(); !strings.Contains(text, "restarted is failed: ") || !strings.Contains(text, "container") && !strings.Contains(text, "Docker") {
		t.Errorf("nothing names the engine or the container:\n%s", text)
	}
	t.Logf("the engine restarts:\n%s", told)
	if text, err := p.run("run", "--workload", "V.2", "--theoretical-runtime", "5m", "--policy", "backfill", "--image", image, "--core", "none", "--quiet", "--out", "next"); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p.recordOf("next")
	if left := engine.runs(engine.host, p.dir); left > 0 {
		t.Errorf("%d clusters are left", left)
	}
}
