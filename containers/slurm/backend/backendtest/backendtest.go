package backendtest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/boot"
	"github.com/slurmlab/slurmlab/containers/slurm/conf"
)

// FrontEnd is the backend with one slurmd for all nodes.
func FrontEnd() backend.Backend { return backend.All().Of(backend.FrontEnd) }

// External is the usual backend with external nodes.
func External() backend.Backend { return backend.All().Of(backend.External) }

// OnNodes is the usual backend with a slurmd on every node.
func OnNodes() backend.Backend { return backend.All().Of(backend.OnNodes) }

// Quick is the backend that boots and runs jobs fastest.
func Quick() backend.Backend { return External() }

// Core are the backends on which the core set runs.
func Core() backend.List { return core(true) }

// core lists the backends on which the core set runs, or the others.
func core(is bool) backend.List {
	// With a slurmd on every node the contract is a part of a front end's.
	return slices.DeleteFunc(slices.Clone(backend.All()), func(b backend.Backend) bool { return (b.Form != backend.OnNodes) != is })
}

// Each runs a test on the Core backends.
func Each(t *testing.T, test func(t *testing.T, on backend.Backend)) {
	t.Helper()
	for _, on := range Core() {
		t.Run(on.Name(), func(t *testing.T) { test(t, on) })
	}
}

// Others runs a test on the backends that are not Core.
func Others(t *testing.T, test func(t *testing.T, on backend.Backend)) {
	t.Helper()
	for _, on := range core(false) {
		t.Run(on.Name(), func(t *testing.T) { test(t, on) })
	}
}

// Image is the image of a backend. It is the value of IMAGE for "slurmlab:latest" and of IMAGE_TAG for "slurmlab:TAG",
// where "_" replaces all characters other than letters and digits. Otherwise it is the one that "make image" builds.
func Image(t testing.TB, on backend.Backend) string {
	t.Helper()
	variable := "IMAGE"
	if _, tag, _ := strings.Cut(on.Image(), ":"); tag != "latest" {
		variable += "_" + strings.NewReplacer(".", "_", "-", "_").Replace(tag)
	}
	return cmp.Or(os.Getenv(variable), on.Image())
}

// Remedy is the command that makes the image of a backend.
func Remedy(on backend.Backend) string { return "make image-" + on.Series }

// Nodes stands for the node of a cluster with one node.
func Nodes(on backend.Backend) boot.Nodes { return on.Nodes(conf.Spec{Nodes: 1}) }

// Needs fails a test whose image the engine does not have, and says what makes it.
func Needs(t testing.TB, image, remedy string) {
	t.Helper()
	docker, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = docker.Close() }()
	_, err = docker.ImageInspect(t.Context(), image)
	switch {
	case errdefs.IsNotFound(err):
		t.Fatalf("needs image %s: %s", image, remedy)
	case err != nil:
		t.Fatalf("needs Docker: apt-get install docker.io, and start dockerd: %v", err)
	}
}

// submit is a command that hands in a job of so many seconds as every backend runs it. Its
// arguments are the seconds and options of sbatch.
const submit = `#!/bin/bash
printf '#!/bin/bash\n# slurmlab seconds=%s\nsleep %s\n' "$1" "$1" | sbatch "${@:2}"
`

// accounted is a command that waits until sacct has the end of each job of its arguments, or of all jobs: slurmctld
// reports it to slurmdbd later than squeue leaves the job out.
const accounted = `#!/bin/bash
ids=$(IFS=,; echo "$*")
until ends=$(sacct -n -X -P ${ids:+-j "$ids"} -o end) && [[ $ends = *T* && $ends != *Unknown* ]]; do sleep 1; done
`

// Start starts a cluster of a backend, which ends with the test.
func Start(t *testing.T, on backend.Backend, options ...testcontainers.ContainerCustomizer) *slurm.Container {
	t.Helper()
	image := Image(t, on)
	Needs(t, image, Remedy(on))
	c, err := slurm.Run(t.Context(), image, append(options, slurm.WithBackend(on))...)
	if c != nil {
		testcontainers.CleanupContainer(t, c)
		t.Cleanup(func() { keepLogs(t, c) })
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{"submit": submit, "accounted": accounted} {
		if err = c.CopyToContainer(t.Context(), []byte(script), "/usr/local/bin/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// keepLogs leaves the logs of a cluster's daemons with a test that has failed (testing.T.ArtifactDir).
func keepLogs(t *testing.T, c *slurm.Container) {
	if !t.Failed() {
		return
	}
	// The context of the test has ended.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir := t.ArtifactDir()
	err := c.CopyDir(ctx, boot.LogDir, func(name string, data io.Reader) error {
		path := filepath.Join(dir, filepath.Base(name))
		text, err := io.ReadAll(data)
		return errors.Join(err, os.WriteFile(path, text, 0o644))
	})
	t.Logf("logs of the cluster: %s (error: %v)", dir, err)
}

// KeepRuns leaves what there is of each run below the temporary directories of the test, if it has failed by its end
// (testing.T.ArtifactDir).
func KeepRuns(t *testing.T) {
	all := filepath.Dir(t.TempDir())
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		runs, err := filepath.Glob(filepath.Join(all, "*", "*", "run.json"))
		if err != nil || len(runs) == 0 {
			t.Logf("the test has left no run (error: %v)", err)
		}
		for _, file := range runs {
			dir := filepath.Dir(file)
			kept := filepath.Join(t.ArtifactDir(), filepath.Base(dir))
			t.Logf("run of the cluster: %s (error: %v)", kept, os.CopyFS(kept, os.DirFS(dir)))
		}
	})
}

// Silence begins the warning of a cluster that said nothing for more than three seconds.
const Silence = "nothing was heard of the cluster for "

// Warnings hands on what a run warns of. That the machine was too busy for slurmlab, the engine or the cluster, or stopped them,
// is right whenever it comes, and says nothing of the run: it is only logged. The tests of silence look for it themselves.
func Warnings(t testing.TB, warn func(text string)) func(text string) {
	return func(text string) {
		for _, busy := range []string{"slurmlab was stopped for ", "Docker did not answer for ", Silence} {
			if strings.HasPrefix(text, busy) {
				t.Log(text)
				return
			}
		}
		warn(text)
	}
}
