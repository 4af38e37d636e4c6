//go:build integration

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/slurmlab/slurmlab/containers/slurm"
	"github.com/slurmlab/slurmlab/containers/slurm/backend"
	"github.com/slurmlab/slurmlab/containers/slurm/backend/backendtest"
	"github.com/slurmlab/slurmlab/containers/slurm/image"
	"github.com/slurmlab/slurmlab/emulator/run"
	"github.com/slurmlab/slurmlab/internal/hosttest"
)

// TestCluster runs the scenarios that need Docker and the cluster image, which IMAGE names. slurmlab takes the
// version of the image. $NAME is a name of its own for the clusters of a script; they are removed at its end.
// $IMAGE_24_11 is the image of Slurm 24.11.
//
// Commands besides those of TestScript:
//
//   - containers NAME COUNT: so many containers, running or not, have that name
//   - died NAME [OTHER...]: kills the container of that name, as soon as it and
//     the others run
//   - archived SAVED FILE: the file of a release from what docker save has written
//   - relabelled IMAGE VERSION: a copy of the cluster image with another version
//   - mounted DIR OPTIONS: mounts a file system in memory, as of mount -t tmpfs; needs root
//   - silent SOCKET: an engine that takes connections and answers nothing
//   - occupied: takes every core until the end of the script; $OCCUPIER is the id of
//     the process that has them
//   - pandas: the rest needs the image of "make image-pandas"
//   - ends NAME: waits until the container of that name runs no more
func TestCluster(t *testing.T) {
	t.Parallel()
	clusterScripts(t, "testdata/cluster")
}

// TestOrphans runs those that need the machine for themselves: each run removes the
// orphans of others.
func TestOrphans(t *testing.T) { clusterScripts(t, "testdata/orphans") }

// TestLong runs those that "make test-long" has.
func TestLong(t *testing.T) {
	hosttest.Long(t, "resumes a row of a paper's table")
	clusterScripts(t, "testdata/long")
}

func clusterScripts(t *testing.T, dir string) {
	docker, err := client.New(client.FromEnv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = docker.Close() })
	image := backendtest.Image(t, backend.Default())
	found, err := docker.ImageInspect(t.Context(), image)
	if err != nil {
		t.Fatalf("%v; build the image with: make image", err)
	}
	version := found.Config.Labels[slurm.VersionLabel]
	l := cluster{docker: docker, image: image}
	cmds := commands()
	cmds["containers"], cmds["died"] = l.containers, l.died
	cmds["relabelled"], cmds["mounted"], cmds["silent"], cmds["occupied"] = l.relabelled, mounted, silent, occupied
	cmds["ends"], cmds["archived"] = l.ends, archived
	cmds["pandas"] = pandas
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           conditions,
		Setup: func(env *testscript.Env) error {
			for _, variable := range os.Environ() {
				if strings.HasPrefix(variable, "DOCKER_") {
					env.Vars = append(env.Vars, variable)
				}
			}
			name := fmt.Sprintf("test-%d-%08x", os.Getpid(), rand.Uint32())
			env.Setenv("IMAGE", image)
			env.Setenv("IMAGE_24_11", backendtest.Image(t, backendtest.FrontEnd()))
			env.Setenv("VERSION", version)
			env.Setenv("NAME", name)
			env.Setenv(versionVariable, version)
			env.Defer(func() { l.clean(t, name) })
			return remember(env)
		},
		Cmds: cmds,
	})
}

func pandas(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: pandas")
	}
	backendtest.Needs(scriptOf(ts), "slurmlab-pandas:latest", "make image-pandas")
}

type cluster struct {
	docker *client.Client
	image  string
}

// named lists the containers of slurmlab whose name begins with prefix.
func (l cluster) named(ctx context.Context, prefix string) (names, ids []string, err error) {
	list, err := l.docker.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", slurm.RoleLabel),
	})
	for _, item := range list.Items {
		if name := item.Labels[slurm.NameLabel]; strings.HasPrefix(name, prefix) {
			names, ids = append(names, name), append(ids, item.ID)
		}
	}
	return names, ids, err
}

func (l cluster) clean(t *testing.T, prefix string) {
	// The test's own context has ended by now.
	ctx := context.Background()
	_, ids, err := l.named(ctx, prefix)
	if err != nil {
		t.Error(err)
	}
	for _, id := range ids {
		// A run beside this script removes the containers of killed ones as well, maybe just now.
		_, err := l.docker.ContainerRemove(ctx, id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
		if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) {
			t.Error(err)
		}
	}
}

func (l cluster) containers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: containers NAME COUNT")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	names, _, err := l.named(context.Background(), args[0])
	ts.Check(err)
	count := 0
	for _, name := range names {
		if name == args[0] {
			count++
		}
	}
	if count != want {
		ts.Fatalf("%d containers have the name %s, want %d", count, args[0], want)
	}
}

func (l cluster) ends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ends NAME")
	}
	_, ids, err := l.named(context.Background(), args[0])
	ts.Check(err)
	if len(ids) != 1 {
		ts.Fatalf("%d containers have names like %s, want 1", len(ids), args[0])
	}
	for deadline := time.Now().Add(hosttest.Hang); l.running(ts, ids[0]); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("the container of %s still runs", args[0])
		}
	}
}

func (l cluster) died(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: died NAME [OTHER...]")
	}
	var ids []string
	for _, name := range slices.Backward(args) {
		// One that is created and does not run yet cannot be killed.
		ids = nil
		for deadline := time.Now().Add(hosttest.Hang); len(ids) != 1 || !l.running(ts, ids[0]); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				ts.Fatalf("%d containers have names like %s, want 1 that runs", len(ids), name)
			}
			var err error
			_, ids, err = l.named(context.Background(), name)
			ts.Check(err)
		}
	}
	_, err := l.docker.ContainerKill(context.Background(), ids[0], client.ContainerKillOptions{Signal: "KILL"})
	ts.Check(err)
	for l.running(ts, ids[0]) {
		time.Sleep(50 * time.Millisecond)
	}
}

// running says whether a container runs. Its slurmlab, or a run beside this script, may have removed it.
func (l cluster) running(ts *testscript.TestScript, id string) bool {
	found, err := l.docker.ContainerInspect(context.Background(), id, client.ContainerInspectOptions{})
	if errdefs.IsNotFound(err) {
		return false
	}
	ts.Check(err)
	return found.Container.State.Running
}

func (l cluster) relabelled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: relabelled IMAGE VERSION")
	}
	ctx := context.Background()
	made, err := l.docker.ContainerCreate(ctx, client.ContainerCreateOptions{Image: l.image})
	ts.Check(err)
	_, err = l.docker.ContainerCommit(ctx, made.ID, client.ContainerCommitOptions{
		Reference: args[0], Changes: []string{"LABEL " + slurm.VersionLabel + "=" + args[1]},
	})
	_, removeErr := l.docker.ContainerRemove(ctx, made.ID, client.ContainerRemoveOptions{Force: true})
	ts.Check(err)
	ts.Check(removeErr)
	ts.Defer(func() {
		_, err := l.docker.ImageRemove(ctx, args[0], client.ImageRemoveOptions{})
		ts.Check(err)
	})
}

// archived writes the file of a release from what docker save has written.
func archived(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: archived SAVED FILE")
	}
	saved, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	out, err := os.Create(ts.MkAbs(args[1]))
	ts.Check(err)
	scratch := ts.MkAbs("scratch")
	ts.Check(os.Mkdir(scratch, 0o755))
	ts.Check(image.Write(out, saved, scratch))
	ts.Check(errors.Join(out.Close(), saved.Close(), os.RemoveAll(scratch)))
}

func mounted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mounted DIR OPTIONS")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.Mkdir(dir, 0o755))
	options, readOnly := strings.CutPrefix(args[1], "ro,")
	var flags uintptr
	if readOnly {
		flags = unix.MS_RDONLY
	}
	err := unix.Mount("tmpfs", dir, "tmpfs", flags, options)
	if errors.Is(err, unix.EPERM) {
		hosttest.Missing(scriptOf(ts), "root", "run the tests as root, who alone mounts file systems")
	}
	ts.Check(err)
	ts.Defer(func() { ts.Check(unix.Unmount(dir, 0)) })
	know(ts, args[0])
}

func silent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: silent SOCKET")
	}
	listener, err := net.Listen("unix", ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { _ = listener.Close() })
	know(ts, args[0])
}

// occupiedLimit is far longer than any other script has a core.
const occupiedLimit = 10 * time.Minute

func occupied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: occupied")
	}
	all, err := run.Cores(context.Background(), run.Docker{})
	ts.Check(err)
	// Scripts beside this one have cores for a while, but not all of them at one time: what is free is kept.
	end := time.Now().Add(occupiedLimit)
	for got := 0; got < len(all); time.Sleep(200 * time.Millisecond) {
		ctx, stop := context.WithDeadline(context.Background(), end)
		taken, err := run.TakeCores(ctx, run.Docker{}, len(all)-got, func([]run.Holder) {})
		stop()
		if err != nil {
			ts.Fatalf("took %d of %d cores, others have the rest: %v", got, len(all), err)
		}
		ts.Defer(func() { run.ReleaseCores(taken) })
		got += len(taken)
	}
	ts.Setenv("OCCUPIER", strconv.Itoa(os.Getpid()))
}
