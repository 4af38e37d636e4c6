//go:build integration

package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/external"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
	"github.com/slurmlab/slurmlab/plugin-bridge/policy"
)

func TestDockerRuntime(t *testing.T) {
	t.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	engineContract(t, run.Docker{}, backendtest.Image(t, backendtest.External()))
}

// insideVariable names the unpacked image in the container of TestCharliecloudRuntime, which has no
// Docker.
const insideVariable = "SLURMLAB_TEST_UNPACKED"

// greedy is a policy that imports the module of Python which a cluster has for it.
const greedy = `#!/usr/bin/env python3
import slurmlab

def decide(snapshot):
    answer, room = slurmlab.Answer(), slurmlab.Room(snapshot)
    for job in snapshot["queue"]:
        for place in room.places(job):
            answer.start(job, place)
            room.take(place)
            break
    return answer

slurmlab.serve("greedy", decide)
`

// siteImage is made by "make image-site".
const siteImage = "slurmlab-site:latest"

// A node of a site: Debian's Charliecloud, an ordinary user, no capability and no new privileges. The
// options lift what Docker forbids beyond that and a login to a real machine does not:
// making namespaces (seccomp) and mounting their /proc (systempaths).
func TestCharliecloudRuntime(t *testing.T) {
	if image := os.Getenv(insideVariable); image != "" {
		engineContract(t, run.Charliecloud{}, image)
		return
	}
	backendtest.Needs(t, siteImage, "make image-site")
	shared := t.TempDir()
	name := backendtest.Image(t, backendtest.External())
	img, err := run.Docker{}.Image(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = run.Unpack(t.Context(), name, img, filepath.Join(shared, "image")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "docker", "run", "--rm", "--init", "--network=none", "--user=2000:2000", "--shm-size=2g",
		"--cap-drop=ALL", "--security-opt=no-new-privileges", "--security-opt=seccomp=unconfined", "--security-opt=systempaths=unconfined",
		"--volume", shared+":/shared:ro", "--volume", self+":/lab.test:ro", "--env", insideVariable+"=/shared/image", "--workdir", "/tmp",
		siteImage, "/lab.test", "-test.v", "-test.run=^TestCharliecloudRuntime$").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestCharliecloudRuntime/run/exec:greedy.py")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// engineContract is what every Engine does.
func engineContract(t *testing.T, on run.Engine, image string) {
	if version, err := on.Check(t.Context()); err != nil || version == "" {
		t.Fatalf("%s has version %q, %v", on.Name(), version, err)
	}
	t.Run("image", func(t *testing.T) {
		img, err := on.Image(t.Context(), image)
		if err != nil || !strings.HasPrefix(img.ID, "sha256:") || img.Version == "" || !strings.HasPrefix(img.Slurm, backendtest.External().Series+".") || len(img.Sources) == 0 {
			t.Errorf("%+v, %v", img, err)
		}
		if _, err = on.Image(t.Context(), "slurmlab-none"); !errors.Is(err, run.ErrNoImage) {
			t.Errorf("an image that is not there: %v, want %v", err, run.ErrNoImage)
		}
	})
	t.Run("processors", func(t *testing.T) {
		if all, err := on.Processors(t.Context()); err != nil || len(all) == 0 {
			t.Errorf("%v, %v", all, err)
		}
	})
	name := fmt.Sprintf("test-engine-%d", os.Getpid())
	options := []slurm.Option{slurm.WithBackend(backendtest.External()), slurm.WithMachine(4, 8, 2), slurm.WithName(name), slurm.WithOwner("here:/there")}
	t.Run("cluster", func(t *testing.T) {
		clusterContract(t, on, image, name, append(options, slurm.WithCore(*run.CoreOf(t))))
	})
	t.Run("lease", func(t *testing.T) {
		c, err := on.Start(t.Context(), image, options...)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		same := open(t, on, c.ID())
		hosttest.Until(t, "the cluster ends with the connection of who started it", func() bool {
			state, gone := same.State(t.Context())
			return gone != nil || !state.Running
		})
		_, knows := on.(run.Docker)
		for _, ended := range clusters(t, on, name) {
			if ended.State == "running" || knows && ended.Ended.Before(ended.Created) {
				t.Errorf("a cluster that has ended is %+v", ended)
			}
		}
		if err = same.Remove(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("start that fails", func(t *testing.T) {
		if _, err := on.Start(t.Context(), image, append(options, slurm.WithCore(4095))...); err == nil {
			t.Error("a cluster has started on a core that is not there")
		}
		leftOver(t, on, name)
	})
	t.Run("start that is interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		stage := slurm.WithStages(func(string) { cancel() })
		if _, err := on.Start(ctx, image, append(options, stage)...); !errors.Is(err, run.ErrStopped) {
			t.Errorf("%v, want %v", err, run.ErrStopped)
		}
		leftOver(t, on, name)
	})
	t.Run("run", func(t *testing.T) {
		var names []string
		for _, p := range []string{policy.Backfill, policy.Auction, "exec:greedy.py"} {
			t.Run(p, func(t *testing.T) {
				c := config(t, backendtest.External(), "S", "V.2", p, 3*time.Minute)
				c.Engine, c.Image, c.Dir = on, image, run.OwnDir(t, "engine-"+p)
				names = append(names, filepath.Base(c.Dir))
				if c.Policy.Parameters.Program != "" {
					script := file(t, "greedy.py", greedy)
					if err := os.Chmod(script, 0o755); err != nil {
						t.Fatal(err)
					}
					decidedBy(t, &c, script)
				}
				if data, _ := complete(t, c); len(data.Jobs) != len(c.Jobs) || data.Run.Restarts != nil {
					t.Errorf("%d jobs of %d, restarts %v", len(data.Jobs), len(c.Jobs), data.Run.Restarts)
				}
				want := []string{
					"jobs.csv", "logs/mariadbd.out", "logs/" + external.EndsName, "logs/runner.out", "logs/slurmctld.log", "logs/slurmctld.out", "logs/slurmdbd.log", "logs/slurmdbd.out",
					"logs/slurmlabd.log", "metrics.json", "run.json", "sacct.txt", "sdiag.txt", "series.csv", "workload.csv",
				}
				switch {
				case c.Policy.ProgramFile != "":
					want = append(want, "cycles.jsonl", "logs/program.log", "program/greedy.py")
				case c.Policy.HasAgent():
					want = append(want, "cycles.jsonl", "snapshots.jsonl.gz")
				}
				slices.Sort(want)
				if got := filesBelow(t, c.Dir); !slices.Equal(got, want) {
					t.Errorf("the run has files\n%s\nwant\n%s", got, want)
				}
			})
		}
		for _, name := range names {
			leftOver(t, on, name)
		}
	})
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func open(t *testing.T, on run.Engine, id string) run.Cluster {
	t.Helper()
	c, err := on.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func leftOver(t *testing.T, on run.Engine, name string) {
	t.Helper()
	for _, c := range clusters(t, on, name) {
		t.Errorf("cluster %s is left, %s", c.ID, c.State)
		if err := open(t, on, c.ID).Remove(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func clusters(t *testing.T, on run.Engine, name string) []run.Container {
	t.Helper()
	all, err := on.Clusters(t.Context(), "", name)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// clusterContract is the life of a cluster, as two processes see it.
func clusterContract(t *testing.T, on run.Engine, image, name string, options []slurm.Option) {
	var stages []string
	started, err := on.Start(t.Context(), image, append(options, slurm.WithStages(func(stage string) { stages = append(stages, stage) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = started.Remove(context.Background())
		started.Close()
	})
	if len(stages) != 5 || stages[0] != "1/5 database" || stages[4] != "5/5 nodes" {
		t.Errorf("stages %q", stages)
	}
	all, err := on.Clusters(t.Context(), slurm.RoleRun, name)
	if err != nil || len(all) != 1 || all[0].ID != started.ID() || all[0].State != "running" || all[0].Owner != "here:/there" || all[0].Core == "" || time.Since(all[0].Created) > time.Hour {
		t.Errorf("listed as %+v, %v", all, err)
	}
	if others, err := on.Clusters(t.Context(), slurm.RoleUp, name); err != nil || len(others) > 0 {
		t.Errorf("listed in another role: %+v, %v", others, err)
	}
	same := open(t, on, started.ID())
	for who, c := range map[string]run.Cluster{"the process that started it": started, "another process": same} {
		if state, err := c.State(t.Context()); err != nil || !state.Running || state.Status != "running" {
			t.Errorf("state for %s: %+v, %v", who, state, err)
		}
		streams(t, c)
	}
	logged := func(c run.Cluster) string {
		text := ""
		if err := c.CopyDir(t.Context(), boot.LogDir, func(name string, data io.Reader) error {
			read, err := io.ReadAll(data)
			if name == "slurmctld.log" {
				text = string(read)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		return text
	}
	before := logged(same)
	if !strings.Contains(before, "slurmctld version "+backendtest.External().Series) {
		t.Errorf("slurmctld.log is %.200q", before)
	}
	full := errors.New("full")
	if err := same.CopyDir(t.Context(), boot.LogDir, func(string, io.Reader) error { return full }); !errors.Is(err, full) {
		t.Errorf("copying where nothing can be kept: %v", err)
	}
	if err := same.Kill(t.Context()); err != nil {
		t.Error(err)
	}
	for who, c := range map[string]run.Cluster{"the process that started it": started, "another process": same} {
		state, err := c.State(t.Context())
		if err != nil || state.Running || state.Status != "exited" {
			t.Errorf("state for %s after the kill: %+v, %v", who, state, err)
		}
	}
	if state, err := started.State(t.Context()); err != nil || state.ExitCode != 137 {
		t.Errorf("exit code %d after the kill, %v", state.ExitCode, err)
	}
	if after := logged(same); !strings.HasPrefix(after, before) {
		t.Errorf("slurmctld.log after the kill is %.200q", after)
	}
	if code, err := same.Stream(t.Context(), nil, nil, io.Discard, io.Discard, "true"); err == nil {
		t.Errorf("a command in a cluster that has ended: exit code %d", code)
	}
	for range 2 {
		if err := same.Remove(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := same.State(t.Context()); !errors.Is(err, run.ErrGone) {
			t.Errorf("state of a removed cluster: %v, want %v", err, run.ErrGone)
		}
	}
	leftOver(t, on, name)
}

// streams is what a command in a cluster has of its streams.
func streams(t *testing.T, c run.Cluster) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code, err := c.Stream(t.Context(), nil, strings.NewReader("in"), &stdout, &stderr, "sh", "-c", "cat; echo fault >&2; exit 3")
	if code != 3 || err != nil || stdout.String() != "in" || stderr.String() != "fault\n" {
		t.Errorf("exit code %d, %v, %q, %q", code, err, &stdout, &stderr)
	}
	if code, err = c.Stream(t.Context(), nil, nil, io.Discard, io.Discard, "sh", "-c", "kill -9 $$"); code != 137 || err != nil {
		t.Errorf("exit code of a killed command: %d, %v", code, err)
	}
	// The user's own Slurm is not the cluster's.
	t.Setenv("SLURM_CONF", "/dev/null")
	stdout.Reset()
	if code, err = c.Stream(t.Context(), nil, nil, &stdout, &stderr, "slurmlabd", "exec", "--", "sinfo", "-h", "-o", "%D"); code != 0 || err != nil || stdout.String() != "4\n" {
		t.Errorf("sinfo: %d, %v, %q, %q", code, err, &stdout, &stderr)
	}
	// The end of ctx ends the input, and the command goes on.
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	said := &atFirst{act: cancel}
	if code, err = c.Stream(ctx, nil, reader, said, &stderr, "sh", "-c", "echo first; cat; echo last"); code != 0 || err != nil || said.String() != "first\nlast\n" {
		t.Errorf("after the end of its context: %d, %v, %q", code, err, said)
	}
	kill := make(chan struct{})
	said = &atFirst{act: sync.OnceFunc(func() { close(kill) })}
	if _, err = c.Stream(t.Context(), kill, nil, said, io.Discard, "sh", "-c", "echo first; sleep 3600"); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that nobody waits for: %v", err)
	}
	if _, err = c.Stream(t.Context(), nil, nil, broken{}, io.Discard, "sh", "-c", "while echo much; do :; done"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("output that cannot be kept: %v", err)
	}
}

// atFirst acts as soon as something is written to it. It embeds no buffer: io.Copy would call ReadFrom of that and not Write.
type atFirst struct {
	written bytes.Buffer
	act     func()
}

func (w *atFirst) Write(data []byte) (int, error) {
	w.act()
	return w.written.Write(data)
}

func (w *atFirst) String() string { return w.written.String() }

// broken takes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fs.ErrClosed }
