package backendtest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
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

// FrontEnd is the name of the backend with one slurmd for all nodes.
func FrontEnd() string { return backend.All().Of(backend.FrontEnd).Name() }

// External is the name of the usual backend with external nodes.
func External() string { return backend.All().Of(backend.External).Name() }

// OnNodes is the name of the usual backend with a slurmd on every node.
func OnNodes() string { return backend.All().Of(backend.OnNodes).Name() }

// Quick is the name of the backend that boots and runs jobs fastest.
func Quick() string { return External() }

// Core are the names of the backends on which the core set runs.
func Core() []string { return names(true) }

// names lists the backends on which the core set runs, or the others.
func names(core bool) []string {
	var all []string
	for _, b := range backend.All() {
		// With a slurmd on every node the contract is a part of a front end's.
		if (b.Form != backend.OnNodes) == core {
			all = append(all, b.Name())
		}
	}
	return all
}

// Each runs a test on the Core kinds.
func Each(t *testing.T, test func(t *testing.T, series string)) {
	t.Helper()
	for _, series := range Core() {
		t.Run(series, func(t *testing.T) { test(t, series) })
	}
}

// Others runs a test on the kinds that are not Core.
func Others(t *testing.T, test func(t *testing.T, kind string)) {
	t.Helper()
	for _, kind := range names(false) {
		t.Run(kind, func(t *testing.T) { test(t, kind) })
	}
}

// Image is the image of a kind: the value of IMAGE for "slurmlab:latest" and of IMAGE_TAG
// for "slurmlab:TAG", with "_" for all other characters than letters and digits;
// otherwise the one that "make image" builds.
func Image(t testing.TB, series string) string {
	t.Helper()
	kind, err := backend.All().Find(series)
	if err != nil {
		t.Fatal(err)
	}
	variable := "IMAGE"
	if _, tag, _ := strings.Cut(kind.Image(), ":"); tag != "latest" {
		variable += "_" + strings.NewReplacer(".", "_", "-", "_").Replace(tag)
	}
	return cmp.Or(os.Getenv(variable), kind.Image())
}

// Nodes stands for the node of a cluster with one node.
func Nodes(t testing.TB, name string) boot.Nodes {
	t.Helper()
	of, err := backend.All().Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return of.Nodes(conf.Spec{Nodes: 1})
}

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

// submit is a command that hands in a job of so many seconds as every kind runs it. Its
// arguments are the seconds and options of sbatch.
const submit = `#!/bin/bash
printf '#!/bin/bash\n# slurmlab seconds=%s\nsleep %s\n' "$1" "$1" | sbatch "${@:2}"
`

// accounted is a command that waits until sacct has the end of each job of its arguments,
// or of all jobs: slurmctld tells slurmdbd of it later than squeue leaves the job out.
const accounted = `#!/bin/bash
ids=$(IFS=,; echo "$*")
until ends=$(sacct -n -X -P ${ids:+-j "$ids"} -o end) && [[ $ends = *T* && $ends != *Unknown* ]]; do sleep 1; done
`

// Start starts a cluster of a kind, which ends with the test.
func Start(t *testing.T, series string, options ...testcontainers.ContainerCustomizer) *slurm.Container {
	t.Helper()
	image := Image(t, series)
	kind, err := backend.All().Find(series)
	if err != nil {
		t.Fatal(err)
	}
	Needs(t, image, "make image SLURM="+kind.Series)
	c, err := slurm.Run(t.Context(), image, append(options, slurm.WithSlurm(series))...)
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

// Warnings hands on what a run warns of. That the machine was too busy for slurmlab or the engine, or stopped them, is right
// whenever it comes, and says nothing of the cluster: it is only logged.
func Warnings(t testing.TB, warn func(text string)) func(text string) {
	return func(text string) {
		for _, busy := range []string{"slurmlab was stopped for ", "Docker did not answer for "} {
			if strings.HasPrefix(text, busy) {
				t.Log(text)
				return
			}
		}
		warn(text)
	}
}
